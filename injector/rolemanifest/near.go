package rolemanifest

import (
	"strings"

	"colocate.dev/colocate/injector"
)

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
		if d := injector.Distance(folded, fold(c), distance-1); d < distance {
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
