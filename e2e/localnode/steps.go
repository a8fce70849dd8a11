package localnode

import (
	"fmt"
	"io"
	"time"
)

// steps prints what is done and how long each step took.
type steps struct {
	log  io.Writer
	last time.Time
}

func newSteps(log io.Writer) *steps { return &steps{log: log, last: time.Now()} }

// done says that a step has ended; its time is that since the step before.
func (s *steps) done(format string, args ...any) {
	now := time.Now()
	fmt.Fprintf(s.log, "localnode: %5.1f s  %s\n", now.Sub(s.last).Seconds(), fmt.Sprintf(format, args...))
	s.last = now
}
