package yamldoc_test

import (
	"fmt"
	"testing"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

const pathDocument = `spec:
  container:
    ports:
    - name: a
    - name: b
  labels: {a.b/c: x, a: {b: y}, "k[0]": z}
`

func TestFind(t *testing.T) {
	root, errs := yamldoc.Parse([]byte(pathDocument), yamldoc.Options{})
	if errs != nil {
		t.Fatal(errs)
	}
	tests := []struct{ path, want string }{
		{"", "no key, 1:1, true"},
		{"spec", "1:1, 2:3, true"},
		{"spec.container.ports[1].name", "5:7, 5:13, true"},
		{"spec.container.ports[1]", "no key, 5:7, true"},
		{"spec.container.ports[7].name", "3:5, 4:5, false"},
		{"spec.container.ports.name", "3:5, 4:5, false"},
		{"spec.container.image", "2:3, 3:5, false"},
		{"spec.labels.a.b/c", "6:12, 6:19, true"},
		{"spec.labels.a.b", "6:26, 6:29, true"},
		{"spec.labels.k[0]", "6:33, 6:41, true"},
		{"spec.labels.k[x", "6:3, 6:11, false"},
		{".spec.container", "2:3, 3:5, true"},
		{"nothing", "no key, 1:1, false"},
	}
	for _, tt := range tests {
		key, value, exact := yamldoc.Find(root, tt.path)
		at := "no key"
		if key != nil {
			at = fmt.Sprintf("%d:%d", key.Line, key.Column)
		}
		if got := fmt.Sprintf("%s, %d:%d, %v", at, value.Line, value.Column, exact); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.path, got, tt.want)
		}
	}
}

func TestLookup(t *testing.T) {
	root, errs := yamldoc.Parse([]byte(pathDocument), yamldoc.Options{})
	if errs != nil {
		t.Fatal(errs)
	}
	if n := yamldoc.Lookup(root, "spec", "labels", "a.b/c"); n == nil || n.Value != "x" {
		t.Errorf("got %v", n)
	}
	if n := yamldoc.Lookup(root, "spec", "container", "ports", "name"); n != nil {
		t.Errorf("a list has no keys, got %v", n)
	}
	if n := yamldoc.Lookup(nil, "spec"); n != nil {
		t.Errorf("got %v", n)
	}
}
