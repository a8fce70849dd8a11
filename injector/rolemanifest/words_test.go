package rolemanifest

import (
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	words := []string{"volumes", "shared-volumes", "memory", "mem", "colocated_containers"}
	for word, want := range map[string]string{
		"volums": "volumes", "Volumes": "volumes", "voluems": "volumes", "shared_volumes": "shared-volumes",
		"memroy": "memory", "colocated-containers": "colocated_containers", "collocated_containers": "colocated_containers",
		"networking": "", "x": "", "volumes": "",
	} {
		if got := near(word, words); got != want {
			t.Errorf("near(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestSuggestLabel(t *testing.T) {
	for name, want := range map[string]string{
		"Web_Server": "web-server", "--a--b--": "a-b", "ünï": "n", "": "", "___": "",
		strings.Repeat("a", 70): strings.Repeat("a", 63),
	} {
		if got := suggestLabel(name, maxLabel); got != want {
			t.Errorf("suggestLabel(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestRoundMilli(t *testing.T) {
	for cores, want := range map[float64]int64{
		0: 0, 0.25: 250, 4: 4000, 0.0005: 1, 0.0004: 0, 1.0005: 1001, 0.1: 100, 2.9995: 3000, 1e5: 100_000_000, 1e-9: 0,
	} {
		if got := roundMilli(cores); got != want {
			t.Errorf("roundMilli(%v) = %d, want %d", cores, got, want)
		}
	}
	for milli, want := range map[int64]string{250: "250m", 4000: "4", 1001: "1001m"} {
		if got := cpuText(milli); got != want {
			t.Errorf("cpuText(%d) = %q, want %q", milli, got, want)
		}
	}
}
