package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the processor time of all threads of a process, also of ended ones,
// in nanoseconds: the process's own CPU clock (clock_getcpuclockid(3)).
func cpuTime(pid int) (time.Duration, error) {
	const scheduler = 2 // CPUCLOCK_SCHED
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduler), &t); err != nil {
		return 0, fmt.Errorf("cpu clock of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// memory and peakMemory are the resident memory of a process in MB, now and at
// most since resetPeak.
func memory(pid int) (float64, error)     { return statusMiB(pid, "VmRSS:") }
func peakMemory(pid int) (float64, error) { return statusMiB(pid, "VmHWM:") }

func resetPeak(pid int) {
	// Where the kernel does not allow it, the peak is that of the whole life.
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}

func statusMiB(pid int, key string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(key)); ok {
			kib, err := strconv.ParseFloat(string(bytes.Fields(rest)[0]), 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("process %d has no %s", pid, key)
}
