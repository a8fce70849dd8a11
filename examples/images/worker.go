package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"
)

// worker writes --lines (3) lines to worker.log in --log (/mnt/share), one every
// 200 ms, and ends.
func worker(ctx context.Context, words []string, out io.Writer) error {
	lines, err := strconv.Atoi(option(words, "lines", "3"))
	if err != nil {
		return fmt.Errorf("--lines: %w", err)
	}
	log, err := appendTo(filepath.Join(option(words, "log", "/mnt/share"), "worker.log"))
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // every line has been written
	done := 0
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err = every(ctx, 200*time.Millisecond, func() error {
		done++
		_, err := fmt.Fprintf(log, "part %d of %d done\n", done, lines)
		if done == lines {
			stop()
		}
		return err
	})
	fmt.Fprintln(out, "worker has ended")
	return err
}

// prepare writes --text to the file --file and ends.
func prepare(_ context.Context, words []string, out io.Writer) error {
	path := option(words, "file", "/mnt/prepared/settings")
	file, err := appendTo(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // what was written is checked below
	if _, err := fmt.Fprintln(file, option(words, "text", "prepared")); err != nil {
		return err
	}
	fmt.Fprintln(out, "prepared", path)
	return nil
}

// store appends a line with the time to --file (/data/records) and to --log
// (/mnt/share/store.log) every second.
func store(ctx context.Context, words []string, out io.Writer) error {
	data, err := appendTo(option(words, "file", "/data/records"))
	if err != nil {
		return err
	}
	defer data.Close() //nolint:errcheck // every line has been written
	log, err := appendTo(option(words, "log", "/mnt/share/store.log"))
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // every line has been written
	fmt.Fprintln(out, "store is open")
	return every(ctx, time.Second, func() error {
		line := "record of " + time.Now().UTC().Format(time.RFC3339)
		_, err := fmt.Fprintln(io.MultiWriter(data, log), line)
		return err
	})
}
