//go:build race

package webhook

// maxAllocations is larger under the race detector, where a sync.Pool forgets a
// part of what it is given, on purpose.
const maxAllocations = 16
