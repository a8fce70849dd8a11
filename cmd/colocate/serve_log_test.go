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
		if want := fmt.Sprintf("level=WARN msg=\"log lines left out, since the log was not read in time\" lines=%d\n", lines-kept); rest != want || kept < logRoom/len(line) {
			t.Errorf("%d lines kept; beside them %q, want %q", kept, rest, want)
		}
	})
}

// slow takes its time for a write.
type slow struct{ paper }

func (s *slow) Write(text []byte) (int, error) {
	time.Sleep(logEnd / 5)
	return s.paper.Write(text)
}

// What is logged while the last lines are being written is written too, whoever
// had begun with them.
func TestTheEndWaitsForAllLines(t *testing.T) {
	for _, begun := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var out slow
			l := newLogLines(&out, plainLogger(&out))
			write(t, l, "one\n")
			if begun {
				l.hurry()
				time.Sleep(time.Millisecond)
				write(t, l, "two\n")
			}
			go func() {
				for range 100 {
					time.Sleep(time.Millisecond)
					l.hurry()
				}
				write(t, l, "last\n")
			}()
			l.end()
			want := "one\nlast\n"
			if begun {
				want = "one\ntwo\nlast\n"
			}
			if text, _ := out.read(); text != want {
				t.Errorf("%q, want %q", text, want)
			}
			synctest.Wait()
		})
	}
}

// full takes a number of bytes, and then fails once.
type full struct {
	paper
	room int
}

func (f *full) Write(text []byte) (int, error) {
	if f.room < 0 || len(text) <= f.room {
		return f.paper.Write(text)
	}
	n, _ := f.paper.Write(text[:f.room])
	f.room = -1
	return n, io.ErrShortWrite
}

// A line that was written in part does not spoil the next one, and is counted.
func TestLinesWrittenInPartAreCounted(t *testing.T) {
	for room, want := range map[int]string{0: "", 3: "aaa\n", 4: "aaa\n", 6: "aaa\nbb\n"} {
		synctest.Test(t, func(t *testing.T) {
			out := full{room: room}
			l := newLogLines(&out, plainLogger(&out))
			write(t, l, "aaa\n")
			write(t, l, "bbb\n")
			time.Sleep(logDelay)
			synctest.Wait()
			write(t, l, "ccc\n")
			l.end()
			lost := 2
			if room >= 4 {
				lost = 1
			}
			want += fmt.Sprintf("ccc\nlevel=WARN msg=\"log lines left out, since the log was not read in time\" lines=%d\n", lost)
			if text, _ := out.read(); text != want {
				t.Errorf("room for %d: %q, want %q", room, text, want)
			}
		})
	}
}

// A line longer than all the room is written where nothing else waits.
func TestALongLineIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out paper
		l := newLogLines(&out, plainLogger(&out))
		line := strings.Repeat("x", 2*logRoom) + "\n"
		write(t, l, line)
		l.end()
		if text, _ := out.read(); text != line {
			t.Errorf("%d bytes written of %d", len(text), len(line))
		}
	})
}
