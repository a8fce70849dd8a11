// Command images is what runs in the containers of the examples and of the cluster
// tests: small stand-ins for real web servers, log forwarders and so on. Each is an
// image of its own, with this one program and a first argument that names it:
//
//	web               an nginx that writes an access log
//	log-forwarder     prints what is appended to the files of a folder
//	client            asks an address again and again and prints the answers
//	ambassador        answers on localhost for a server elsewhere
//	counter           keeps a statistic in a file, in a format of its own
//	adapter           serves that statistic as Prometheus metrics
//	worker            works for some seconds, writes a log, ends
//	prepare           writes a file and ends: an init container
//	store             appends to a file on its volume: something stateful
//	pause             waits: the container that holds a pod's namespaces
//
// They need no shell and no files but their own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// stand is what one stand-in does until ctx ends; words are its arguments.
type stand func(ctx context.Context, words []string, out io.Writer) error

func stands() map[string]stand {
	return map[string]stand{
		"web":           web,
		"log-forwarder": forward,
		"client":        client,
		"ambassador":    ambassador,
		"counter":       counter,
		"adapter":       adapter,
		"worker":        worker,
		"prepare":       prepare,
		"store":         store,
		"pause":         pause,
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, words []string, out io.Writer) error {
	if len(words) == 0 {
		return errors.New("name a stand-in, such as web or log-forwarder")
	}
	stand, ok := stands()[words[0]]
	if !ok {
		return fmt.Errorf("stand-in %q: unknown", words[0])
	}
	return stand(ctx, words[1:], out)
}

// option gives the value of --name=value among words, or other.
func option(words []string, name, other string) string {
	for _, word := range words {
		if value, ok := strings.CutPrefix(word, "--"+name+"="); ok {
			return value
		}
	}
	return other
}

// pause waits.
func pause(ctx context.Context, _ []string, _ io.Writer) error {
	<-ctx.Done()
	return nil
}
