package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// client asks --url (http://localhost:8090/) every second and prints the answers.
func client(ctx context.Context, words []string, out io.Writer) error {
	url := option(words, "url", "http://localhost:8090/")
	http := &http.Client{Timeout: 5 * time.Second}
	return every(ctx, time.Second, func() error {
		request, err := newRequest(ctx, url)
		if err != nil {
			return err
		}
		response, err := http.Do(request)
		if err != nil {
			fmt.Fprintln(out, "no answer:", err)
			return nil
		}
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		fmt.Fprintln(out, "answer:", strings.TrimSpace(string(body)), complaint(err))
		return nil
	})
}

// ambassador answers on --address (localhost:8090) for the server --for: where
// that server is, and how it is to be spoken to, is the ambassador's business. A
// stand-in has no server and says whom it speaks for.
func ambassador(ctx context.Context, words []string, out io.Writer) error {
	address, other := option(words, "address", "localhost:8090"), option(words, "for", "a server elsewhere")
	fmt.Fprintln(out, "ambassador listens on", address)
	return serve(ctx, address, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s through the ambassador, path %s\n", other, r.URL.Path)
	})
}

func newRequest(ctx context.Context, url string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
}

func complaint(err error) string {
	if err == nil {
		return ""
	}
	return "(" + err.Error() + ")"
}
