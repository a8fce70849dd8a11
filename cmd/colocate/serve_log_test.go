package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// paper is what is written, and how many times.
type paper struct {
	mu     sync.Mutex
	text   bytes.Buffer
	writes int
}

func (p *paper) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writes++
	return p.text.Write(text)
}

func (p *paper) read() (text string, writes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String(), p.writes
}

func plainLogger(out io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func write(t *testing.T, l *logLines, line string) {
	t.Helper()
	if n, err := l.Write([]byte(line)); n != len(line) || err != nil {
		t.Fatal(n, err)
	}
}

func TestLogLinesAreWrittenTogetherAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out paper
		l := newLogLines(&out, plainLogger(&out))
		for batch := range 3 {
			for n := range 10 {
				write(t, l, fmt.Sprintf("%d\n", 10*batch+n))
			}
			time.Sleep(logDelay)
			synctest.Wait()
		}
		write(t, l, "30\n")
		l.end()
		var want strings.Builder
		for n := range 31 {
			fmt.Fprintf(&want, "%d\n", n)
		}
		if text, writes := out.read(); text != want.String() || writes != 4 {
			t.Errorf("%d writes:\n%s", writes, text)
		}
	})
}

func TestLogLinesOfManyWaitNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out paper
		l := newLogLines(&out, plainLogger(&out))
		for range 2 {
			write(t, l, strings.Repeat("x", logBatch/2)+"\n")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if text, _ := out.read(); len(text) == 0 {
			t.Error("they still wait")
		}
	})
}

func TestWarningsDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out paper
		l := newLogLines(&out, plainLogger(&out))
		log := slog.New(prompt{plainLogger(l).Handler(), l}).With("a", 1).WithGroup("g")
		log.Info("slow", "b", 2)
		synctest.Wait()
		if text, _ := out.read(); text != "" {
			t.Errorf("at once: %s", text)
		}
		log.Warn("fast")
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if text, _ := out.read(); text != "level=INFO msg=slow a=1 g.b=2\nlevel=WARN msg=fast a=1\n" {
			t.Errorf("%s", text)
		}
	})
}

// stuck is a reader of the log that takes nothing until it is let go.
type stuck struct {
	paper
	gate chan struct{}
}

func (s *stuck) Write(text []byte) (int, error) {
	<-s.gate
	return s.paper.Write(text)
}

// Nobody who logs waits for a log that is stuck; what is left out is counted.
func TestStuckLogKeepsNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &stuck{gate: make(chan struct{})}
		l := newLogLines(out, plainLogger(out))
		line := strings.Repeat("x", 1023) + "\n"
		const lines = 5000
		for range lines {
			write(t, l, line)
		}
		began := time.Now()
		l.end()
		if took := time.Since(began); took != logEnd {
			t.Errorf("the end took %s", took)
		}
		close(out.gate)
		synctest.Wait()
		time.Sleep(logDelay)
		synctest.Wait()
		text, _ := out.read()
		kept, rest := strings.Count(text, line), strings.ReplaceAll(text, line, "")
		if want := fmt.Sprintf("level=WARN msg=\"log lines left out, since nobody read the log in time\" lines=%d\n", lines-kept); rest != want || kept < logRoom/len(line) {
			t.Errorf("%d lines kept; beside them %q, want %q", kept, rest, want)
		}
	})
}
