package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// counter counts and keeps the number in the file --file
// (/var/run/statistics/counter), as "jobs=7;state=ok".
func counter(ctx context.Context, words []string, out io.Writer) error {
	path := option(words, "file", "/var/run/statistics/counter")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	fmt.Fprintln(out, "counting into", path)
	jobs := 0
	return every(ctx, 200*time.Millisecond, func() error {
		jobs++
		return replace(path, fmt.Sprintf("jobs=%d;state=ok\n", jobs))
	})
}

// replace writes a file so that nobody reads half of it.
func replace(path, text string) error {
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// adapter serves what counter writes on --address (":9102"), in the words of
// Prometheus.
func adapter(ctx context.Context, words []string, out io.Writer) error {
	path, address := option(words, "file", "/var/run/statistics/counter"), option(words, "address", ":9102")
	fmt.Fprintln(out, "adapter listens on", address)
	return serve(ctx, address, func(w http.ResponseWriter, _ *http.Request) {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, metrics(string(text)))
	})
}

// metrics turns "jobs=7;state=ok" into text for Prometheus.
func metrics(statistic string) string {
	jobs, up := "0", 0
	for _, part := range strings.Split(strings.TrimSpace(statistic), ";") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "jobs":
			jobs = value
		case "state":
			if value == "ok" {
				up = 1
			}
		}
	}
	return fmt.Sprintf("# TYPE counter_jobs_total counter\ncounter_jobs_total %s\n# TYPE counter_up gauge\ncounter_up %d\n", jobs, up)
}
