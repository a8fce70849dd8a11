package rolemanifest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// manifestOf writes n main roles, a tenth as many colocated containers, and what
// usually stands around them.
func manifestOf(n int) []byte {
	var b strings.Builder
	b.WriteString("instance_groups:\n")
	for i := range max(n/10, 1) {
		fmt.Fprintf(&b, `- name: agent-%d
  type: colocated-container
  jobs:
  - name: agent
    release: shop
    properties:
      bosh_containerization:
        run:
          memory: 64
          virtual-cpus: 0.1
          volumes:
          - {path: /mnt/share, type: emptyDir, tag: share}
  container:
    image: example.org/agent:%d
    env:
    - {name: LEVEL, value: info}
`, i, i)
	}
	for i := range n {
		fmt.Fprintf(&b, `- name: main-%d
  scripts: [scripts/a.sh, scripts/b.sh]
  jobs:
  - name: main
    release: shop
    properties:
      bosh_containerization:
        colocated_containers: [agent-%d]
        ports:
        - {name: http, protocol: TCP, internal: 8080}
        run:
          scaling: {min: 1, max: 3, ha: 2}
          memory: 128
          volumes:
          - {path: /mnt/share, type: emptyDir, tag: share}
          - {path: /var/store, type: persistent, tag: store, size: 5}
  configuration:
    templates:
      properties.name: ((NAME))
`, i, i%max(n/10, 1))
	}
	return []byte(b.String())
}

func BenchmarkRead(b *testing.B) {
	for _, n := range []int{40, 1000, 10000} {
		data := manifestOf(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if r := Read("bench.yml", data, Options{}); r.Definitions == nil {
					b.Fatal(r.Diagnostics)
				}
			}
		})
	}
}

// TestLargeManifest keeps the time for many roles in proportion: no rule compares
// every role with every other. BenchmarkRead has ten thousand.
func TestLargeManifest(t *testing.T) {
	start := time.Now()
	r := Read("large.yml", manifestOf(2_000), Options{})
	if len(r.Definitions) != 2_200 {
		t.Fatalf("%d definitions, want 2200; %v", len(r.Definitions), r.Diagnostics[:min(3, len(r.Diagnostics))])
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("2000 roles took %v", took)
	}
}
