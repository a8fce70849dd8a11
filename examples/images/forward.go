package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// forward prints every complete line of the files *.log in --follow (/mnt/share),
// also of files that come later.
func forward(ctx context.Context, words []string, out io.Writer) error {
	folder := option(words, "follow", "/mnt/share")
	fmt.Fprintln(out, "following", folder)
	offsets := map[string]int64{}
	look := func() error {
		paths, err := filepath.Glob(filepath.Join(folder, "*.log"))
		if err != nil {
			return err
		}
		for _, path := range paths {
			if offsets[path], err = printLines(path, offsets[path], out); err != nil {
				return err
			}
		}
		return nil
	}
	if err := every(ctx, 100*time.Millisecond, look); err != nil {
		return err
	}
	return look() // what was written while the others ended
}

// printLines prints the complete lines after an offset and gives the offset after
// them.
func printLines(path string, offset int64, out io.Writer) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return offset, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.NewSectionReader(file, offset, 1<<20))
	if err != nil {
		return offset, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	for line := range bytes.Lines(text) {
		fmt.Fprintf(out, "%s: %s", filepath.Base(path), line)
	}
	return offset + int64(len(text)), nil
}
