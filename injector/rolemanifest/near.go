package rolemanifest

import "strings"

// near returns the candidate that word was probably meant to be, "" where none
// is close. Case, hyphens and underscores count for nothing; otherwise one edit
// in four characters is let pass. The first of equally close candidates wins.
func near(word string, candidates []string) string {
	folded := fold(word)
	best, distance := "", 1+(len(folded)+1)/4
	for _, c := range candidates {
		if c == word {
			continue
		}
		if d := edits(folded, fold(c), distance); d < distance {
			best, distance = c, d
		}
	}
	return best
}

func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// edits is the number of insertions, deletions, replacements and swaps of
// neighbours that make b of a; limit or more where it is at least limit.
func edits(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
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
		if least >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
