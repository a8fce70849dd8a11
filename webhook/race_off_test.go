//go:build !race

package webhook

// maxAllocations is the most that one admission may cost besides net/http.
const maxAllocations = 10
