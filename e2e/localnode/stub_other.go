//go:build !linux

package localnode

import (
	"context"
	"errors"
	"io"
)

var errLinux = errors.New("a local node needs Linux: use kind")

// Outside fails: there are namespaces on Linux only.
func Outside(context.Context, string, io.Writer, io.Writer) error { return errLinux }

// Inside fails: there are namespaces on Linux only.
func Inside(context.Context, string, string, io.Writer, io.Writer) error { return errLinux }

func leftovers(string) ([]string, error) { return nil, errLinux }
