package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxInput bounds what is read into memory at once, in bytes: far above the
// largest manifest, and far below what would take a machine down.
const maxInput = 64 << 20

// read returns the content of a file, or of stdin for "-", and the name by which
// messages call it.
func (p *program) read(file string) (data []byte, name string, err error) {
	if file == "-" {
		data, err = readAll(p.in, "stdin")
		return data, "stdin", err
	}
	err = withFile(file, func(name string, r io.Reader) error {
		data, err = readAll(r, name)
		return err
	})
	return data, file, err
}

func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = fmt.Errorf("%s: is larger than %d MiB: is it the right file?", name, maxInput>>20)
	}
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	return data, fileError(name, err)
}

// fileError says what is wrong with a file in words, and what to do.
func fileError(name string, err error) error {
	if err == nil {
		return nil
	}
	info, _ := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such file: check the name and the folder that you are in", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: may not be read: check its permissions", name)
	case info != nil && info.IsDir():
		return fmt.Errorf("%s: is a folder: name a file in it", name)
	}
	return err
}

// oneStdin refuses a command line that reads stdin in more than one place: the
// second would find it empty.
func oneStdin(names ...string) error {
	n := 0
	for _, name := range names {
		if name == "-" {
			n++
		}
	}
	if n > 1 {
		return usagef(`stdin ("-") is named %d times, and can be read once: put the rest into files`, n)
	}
	return nil
}

// eachFile opens the files that -f names, one after the other, and calls f for
// each: "-" is stdin, and a folder means all .yaml, .yml and .json files below
// it, in the order of their names. All names are looked up before the first is read.
func (p *program) eachFile(names []string, f func(name string, r io.Reader) error) error {
	var files []string
	for _, name := range names {
		found, err := filesOf(name)
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	for _, file := range files {
		var err error
		if file == "-" {
			err = f("stdin", p.in)
		} else {
			err = withFile(file, f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func withFile(name string, f func(string, io.Reader) error) error {
	file, err := os.Open(name)
	if err != nil {
		return fileError(name, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	return f(name, file)
}

func filesOf(name string) ([]string, error) {
	if name == "-" {
		return []string{name}, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	var files []string
	err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fileError(path, err)
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
		return nil, fmt.Errorf("%s: the folder has no .yaml, .yml or .json file: name another", name)
	}
	return files, err
}

// interruptible is a reader whose Read ends with ctx, also while nothing comes:
// a command that waits for a terminal must obey Ctrl-C.
type interruptible struct {
	ctx    context.Context // the command's
	reader io.Reader
}

// Read is [io.Reader]. After ctx has ended, a Read that blocks keeps its goroutine
// until the program ends.
func (i interruptible) Read(b []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	// The reader may still write after we have returned: not into the caller's bytes.
	own := make([]byte, min(len(b), 64<<10))
	done := make(chan result, 1)
	go func() {
		n, err := i.reader.Read(own)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return copy(b, own[:r.n]), r.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}

// wholeWrites buffers, and hands on only what was written by whole calls: of a
// program that is stopped, a reader behind a pipe sees no half document.
type wholeWrites struct {
	to     io.Writer
	buffer []byte
}

// Write is [io.Writer].
func (w *wholeWrites) Write(b []byte) (int, error) {
	w.buffer = append(w.buffer, b...)
	if len(w.buffer) < 64<<10 {
		return len(b), nil
	}
	return len(b), w.flush()
}

func (w *wholeWrites) flush() error {
	_, err := w.to.Write(w.buffer)
	w.buffer = w.buffer[:0]
	return err
}

// writeFile writes a file that everybody may read.
func writeFile(name string, text []byte) error { return os.WriteFile(name, text, 0o644) }
