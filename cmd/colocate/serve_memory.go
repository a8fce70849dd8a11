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

// profileMemory lets profiles of memory be asked for, from here on.
func profileMemory() { runtime.MemProfileRate = unprofiled.Rate }
