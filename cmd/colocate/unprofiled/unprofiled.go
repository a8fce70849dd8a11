// Package unprofiled turns the memory profile off before most of the program is
// initialized. Whoever imports it does nothing else. The runtime would take the
// profile from the first allocation on, whether anybody wants it or not, and walk
// through tables of the binary for it that nothing else touches: half a megabyte
// of resident memory.
//
// It depends on nothing and has a name that sorts early, so Go initializes it
// before the libraries.
package unprofiled

import "runtime"

// Rate is what [runtime.MemProfileRate] was, for who wants profiles later.
var Rate = turnOff()

func turnOff() int {
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 0
	return rate
}
