package main

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// TestStacksStartLarger has a hundred goroutines that use hardly any stack.
func TestStacksStartLarger(t *testing.T) {
	done := make(chan struct{})
	defer close(done)
	for range 100 {
		go func() { <-done }()
	}
	if got := startingStack(); got != 2048 {
		t.Fatalf("stacks of %d bytes without our help: has Go changed?", got)
	}
	startStacksLarger(done)
	if got := startingStack(); got != 4096 {
		t.Errorf("stacks start with %d bytes, want 4096", got)
	}
}

func startingStack() uint64 {
	for range 2 { // a goroutine may not have come to where it waits
		runtime.Gosched()
		runtime.GC()
	}
	sample := []metrics.Sample{{Name: "/gc/stack/starting-size:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
