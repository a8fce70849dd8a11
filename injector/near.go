package injector

import (
	"slices"
	"strconv"
	"strings"
)

// Near returns the names that a person may have meant by name, nearest first
// and at most three. Names are near where few letters differ or one is a part
// of the other.
func Near(name string, names []string) []string {
	type candidate struct {
		name string
		far  int
	}
	limit := max(1, min(3, len(name)/3))
	var found []candidate
	var m measure
	lower := strings.ToLower(name)
	for _, n := range names {
		d := m.distance(lower, strings.ToLower(n), limit)
		if d > limit && len(name) > 2 && (strings.HasPrefix(n, name+"-") || strings.HasPrefix(name, n+"-")) {
			d = limit
		}
		if d <= limit {
			found = append(found, candidate{n, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		if a.far != b.far {
			return a.far - b.far
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, c := range found[:min(3, len(found))] {
		out = append(out, c.name)
	}
	return out
}

// Distance counts the changes of single bytes, two swapped neighbours counting as
// one, that make b of a; it is limit+1 where there are more than limit, or where one
// of the two is longer than any name of Kubernetes (253 bytes).
func Distance(a, b string, limit int) int {
	var m measure
	return m.distance(a, b, limit)
}

// measure is memory for distance: three rows of its table.
type measure struct{ before, last, row []int }

// distance is [Distance].
func (m *measure) distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(a) > 253 || len(b) > 253 {
		return limit + 1
	}
	if cap(m.row) < len(b)+1 {
		m.before, m.last, m.row = make([]int, 255), make([]int, 255), make([]int, 255)
	}
	before, last, row := m.before[:len(b)+1], m.last[:len(b)+1], m.row[:len(b)+1]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit+1 { // a swap may still gain one
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// didYouMean is the part of a message that offers near names, "" without any.
func didYouMean(name string, names []string) string {
	near := Near(name, names)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + QuoteList(near, "or") + "?"
}

// QuoteList writes names in quotes, separated by commas and the last by word.
func QuoteList(names []string, word string) string {
	var b strings.Builder
	for i, n := range names {
		switch {
		case i > 0 && i == len(names)-1:
			b.WriteString(" " + word + " ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(n))
	}
	return b.String()
}
