package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"colocate.dev/colocate/cmd/colocate/unprofiled"
)

// garbagePercent is how much the heap may grow over what is in use before it is
// swept. What is in use is small, and each admission leaves a few kilobytes of
// net/http behind; sweeping half as often saves a few hundredths of an admission
// and costs about 4 MB (docs/performance.md).
const garbagePercent = 200

// sweepLess sets garbagePercent, unless the environment says otherwise.
func sweepLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
}

// deepFrame is the size in bytes of a stack frame that raises the average of a
// hundred goroutines by more than a kilobyte.
const deepFrame = 128 << 10

// startStacksLarger makes Go start goroutines with 4 KB of stack instead of 2, until
// done is closed. net/http starts one for each request that needs more than 2, and
// to move it to a larger stack each time took a tenth of a small admission. Go
// starts them with what goroutines use on average when garbage is collected
// (runtime/metrics has it as /gc/stack/starting-size:bytes), and most of ours wait
// at the bottom of some library. So one waits in a frame that is deep.
func startStacksLarger(done <-chan struct{}) { go waitDeep(done, false) }

// waitDeep never writes to its frame, so that no memory stands behind it.
//
//go:noinline
func waitDeep(done <-chan struct{}, fill bool) {
	if fill {
		var frame [deepFrame]byte
		fillFrame(&frame)
	}
	<-done
}

//go:noinline
func fillFrame(frame *[deepFrame]byte) {
	for i := range frame {
		frame[i] = byte(i)
	}
}

// profileMemory lets profiles of memory be asked for, from here on.
func profileMemory() { runtime.MemProfileRate = unprofiled.Rate }
