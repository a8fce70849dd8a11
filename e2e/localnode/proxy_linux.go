package localnode

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// forward listens on a free loopback port of the machine and carries connections
// to an address inside a network namespace, until ctx ends. So the machine needs
// no device and no route to the node. The namespace is open until then.
func forward(ctx context.Context, namespace *os.File, target string) (address string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { _ = listener.Close() })
	go func() {
		for {
			outer, err := listener.Accept()
			if err != nil {
				return
			}
			go carry(outer, namespace, target)
		}
	}()
	return listener.Addr().String(), nil
}

// carry connects the two ends and copies until both have ended.
func carry(outer net.Conn, namespace *os.File, target string) {
	defer outer.Close() //nolint:errcheck // the connection has ended already
	inner, err := dialIn(namespace, target)
	if err != nil {
		return // the caller sees a closed connection, as from a dead server
	}
	defer inner.Close() //nolint:errcheck // the connection has ended already
	done := make(chan struct{})
	go func() {
		copyHalf(inner, outer)
		close(done)
	}()
	copyHalf(outer, inner)
	<-done
}

// copyHalf copies one direction and passes its end on.
func copyHalf(to, from net.Conn) {
	_, _ = io.Copy(to, from) // an end is an end, however it came
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
}

// dialIn opens a connection from inside the namespace. A socket stays in the
// namespace of the thread that made it; that thread is thrown away.
func dialIn(namespace *os.File, target string) (net.Conn, error) {
	type result struct {
		connection net.Conn
		err        error
	}
	results := make(chan result, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the runtime then ends the thread
		if err := unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET); err != nil {
			results <- result{err: fmt.Errorf("enter the node's network: %w", err)}
			return
		}
		// A numeric address without a fallback is dialled by this goroutine itself.
		connection, err := (&net.Dialer{Timeout: 10 * time.Second, FallbackDelay: -1}).Dial("tcp4", target)
		results <- result{connection: connection, err: err}
	}()
	got := <-results
	return got.connection, got.err
}
