//go:build !linux

package main

import (
	"errors"
	"time"
)

var errLinux = errors.New("the processor time of other processes is read on Linux only")

func cpuTime(int) (time.Duration, error) { return 0, errLinux }
func memory(int) (float64, error)        { return 0, errLinux }
func peakMemory(int) (float64, error)    { return 0, errLinux }
func resetPeak(int)                      {}
