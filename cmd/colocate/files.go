package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// eachFile opens the files that -f names, one after the other, and calls f for
// each: "-" is stdin, and a folder means all .yaml, .yml and .json files below
// it, in the order of their names.
func (p *program) eachFile(names []string, f func(name string, r io.Reader) error) error {
	for _, name := range names {
		if name == "-" {
			if err := f("stdin", p.in); err != nil {
				return err
			}
			continue
		}
		files, err := filesOf(name)
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := withFile(file, f); err != nil {
				return err
			}
		}
	}
	return nil
}

func withFile(name string, f func(string, io.Reader) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return f(name, file)
}

func filesOf(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	var files []string
	err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case ".yaml", ".yml", ".json":
			if !entry.IsDir() {
				files = append(files, path)
			}
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		return nil, usagef("folder %q has no .yaml, .yml or .json file", name)
	}
	return files, err
}
