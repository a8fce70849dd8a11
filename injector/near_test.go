package injector

import (
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	names := []string{"nginx", "log-forwarder", "log-forwarder-2", "api", "apis", "app", "diego-cell", "web", "a"}
	for _, c := range []struct{ name, want string }{
		{"nginx", "nginx"},
		{"ngnix", "nginx"},
		{"Nginx", "nginx"},
		{"nginxx", "nginx"},
		{"log-forward", "log-forwarder"},
		{"log", "log-forwarder log-forwarder-2"},
		{"log-forwarder", "log-forwarder log-forwarder-2"},
		{"diego", "diego-cell"},
		{"ap", "a api app"},
		{"postgres", ""},
		{"", "a"},
		{strings.Repeat("x", 300), ""},
	} {
		if got := strings.Join(Near(c.name, names), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}

func BenchmarkNear(b *testing.B) {
	var names []string
	for _, d := range manyRoles(b, 10000) {
		names = append(names, d.Name)
	}
	b.ReportAllocs()
	for b.Loop() {
		Near("rolle-4711", names)
	}
}
