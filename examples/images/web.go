package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// web serves on --address (":80") and writes a line for every request to
// access.log in --log (/mnt/share). It prints the file --read first, where that is
// given.
func web(ctx context.Context, words []string, out io.Writer) error {
	if path := option(words, "read", ""); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprint(out, "read: ", string(text))
	}
	log, err := appendTo(filepath.Join(option(words, "log", "/mnt/share"), "access.log"))
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // every line has been written
	fmt.Fprintln(log, "web started")
	address := option(words, "address", ":80")
	fmt.Fprintln(out, "web listens on", address)
	return serve(ctx, address, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(log, "%s %s %s\n", time.Now().UTC().Format(time.RFC3339), r.Method, r.URL.Path)
		fmt.Fprintf(w, "hello %s\n", r.URL.Path)
	})
}

// serve answers every path by page until ctx ends.
func serve(ctx context.Context, address string, page http.HandlerFunc) error {
	server := &http.Server{Addr: address, Handler: page, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServe(); ctx.Err() == nil {
		return err
	}
	return nil
}

// appendTo opens a file for appending, and makes its folder where it is missing.
func appendTo(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
}

// every calls do at once and then after each pause, until ctx ends.
func every(ctx context.Context, pause time.Duration, do func() error) error {
	for {
		if err := do(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}
