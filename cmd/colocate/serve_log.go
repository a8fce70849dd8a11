package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"colocate.dev/colocate/webhook"
)

const (
	// logDelay is how long a line may wait for others to be written with it: a
	// write for each line costs a tenth of an admission.
	logDelay = 50 * time.Millisecond
	// logBatch is the number of bytes that wait no longer.
	logBatch = 64 << 10
	// logRoom bounds in bytes what waits while nobody reads the log, or reads it more
	// slowly than it grows; a line that is longer still waits alone. Further lines
	// are left out and counted, for a log that is stuck is no reason to let pods wait.
	logRoom = 1 << 20
	// logEnd is how long the last lines are waited for.
	logEnd = time.Second
)

// serveLog is where everything is logged that happens while serving.
type serveLog struct {
	*slog.Logger
	// lines takes lines that are JSON already; nil where the format is another one.
	lines io.Writer
	// end writes what still waits.
	end func()
}

// logger writes to stderr; the libraries' messages go the same way.
func (s *serveCommand) logger() (*serveLog, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.logLevel)); err != nil {
		return nil, usagef(`--log-level is %q; it can be "debug", "info", "warn" or "error"`, s.logLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	var handler func(io.Writer) slog.Handler
	format := strings.ToLower(s.logFormat)
	switch format {
	case "json":
		handler = func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, options) }
	case "text":
		handler = func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, options) }
	default:
		return nil, usagef(`--log-format is %q; it can be "json" or "text"`, s.logFormat)
	}
	// Go ends a program that writes to a standard error which nobody reads any more.
	// This one has to go on answering.
	signal.Ignore(syscall.SIGPIPE)
	l := newLogLines(s.err, slog.New(handler(s.err)))
	log := &serveLog{Logger: slog.New(prompt{handler(l), l}), end: l.end}
	if format == "json" {
		log.lines = l
	}
	webhook.RouteLogs(log.Logger)
	return log, nil
}

// logLines collects log lines and writes them in their order, some at a time.
type logLines struct {
	out   io.Writer
	about *slog.Logger // writes to out, when what waited has been written
	timer *time.Timer

	mu      sync.Mutex
	waiting []byte
	spare   []byte        // memory for waiting
	leftOut int           // lines since the last write
	torn    bool          // whether the last write ended within a line
	writing chan struct{} // closed when the write that is under way has ended; nil where none is
}

func newLogLines(out io.Writer, about *slog.Logger) *logLines {
	l := &logLines{out: out, about: about}
	l.timer = time.AfterFunc(logDelay, func() { l.flush() })
	return l
}

// Write takes one line. It never fails: who logs could do nothing about it.
func (l *logLines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := len(l.waiting)
	if before > 0 && before+len(line) > logRoom {
		l.leftOut++
		return len(line), nil
	}
	l.waiting = append(l.waiting, line...)
	switch {
	case before == 0:
		l.timer.Reset(logDelay)
	case before < logBatch && len(l.waiting) >= logBatch:
		l.hurry()
	}
	return len(line), nil
}

// hurry has written what waits, without waiting for that.
func (l *logLines) hurry() { l.timer.Reset(0) }

// flush writes what waits, unless another write is under way: then it returns what
// tells the end of that.
func (l *logLines) flush() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writing != nil {
		return l.writing
	}
	text, leftOut := l.waiting, l.leftOut
	if len(text) == 0 && leftOut == 0 {
		return nil
	}
	l.waiting, l.spare, l.leftOut = l.spare[:0], nil, 0
	l.writing = make(chan struct{})
	l.mu.Unlock()
	lost := l.put(text)
	if lost == 0 && leftOut > 0 {
		l.about.Warn("log lines left out, since the log was not read in time", "lines", leftOut)
		leftOut = 0
	}
	l.mu.Lock()
	l.leftOut += leftOut + lost
	if cap(text) <= 2*logBatch {
		l.spare = text
	}
	if len(l.waiting) > 0 || l.leftOut > 0 {
		l.timer.Reset(logDelay)
	}
	close(l.writing)
	l.writing = nil
	return nil
}

// put writes lines and returns how many of them were not, or only in part. That is
// no reason to stop: the next write tells of it, if it can. Only flush calls it.
func (l *logLines) put(text []byte) (lost int) {
	if l.torn {
		if _, err := l.out.Write([]byte("\n")); err != nil {
			return bytes.Count(text, []byte("\n"))
		}
		l.torn = false
	}
	n, err := l.out.Write(text)
	if err == nil {
		return 0
	}
	l.torn = n > 0 && text[n-1] != '\n'
	return bytes.Count(text[n:], []byte("\n"))
}

// end writes what waits, also what comes meanwhile, unless nobody reads the log.
func (l *logLines) end() {
	written := make(chan struct{})
	go func() {
		defer close(written)
		for !l.empty() {
			if another := l.flush(); another != nil {
				<-another
			}
		}
	}()
	select {
	case <-written:
	case <-time.After(logEnd):
	}
}

// empty is true where nothing waits and nothing is being written.
func (l *logLines) empty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting) == 0 && l.leftOut == 0 && l.writing == nil
}

// prompt does not let warnings and errors wait.
type prompt struct {
	slog.Handler
	lines *logLines
}

// Handle is [slog.Handler].
func (p prompt) Handle(ctx context.Context, r slog.Record) error {
	err := p.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		p.lines.hurry()
	}
	return err
}

// WithAttrs is [slog.Handler].
func (p prompt) WithAttrs(attrs []slog.Attr) slog.Handler {
	return prompt{p.Handler.WithAttrs(attrs), p.lines}
}

// WithGroup is [slog.Handler].
func (p prompt) WithGroup(name string) slog.Handler {
	return prompt{p.Handler.WithGroup(name), p.lines}
}
