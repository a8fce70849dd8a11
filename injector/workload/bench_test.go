package workload_test

import (
	"context"
	"io"
	"runtime"
	"strings"
	"testing"

	"colocate.dev/colocate/injector/workload"
)

// repeated gives the same text n times without holding it.
type repeated struct {
	text string
	n    int
	rest string
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.n--
		r.rest = r.text
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// BenchmarkStream injects into 9,999 documents, a third of which ask. The metric
// heap-MB is the largest live heap that was seen, which must not grow with the
// number of documents.
func BenchmarkStream(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(map[int]string{1: "workers=1", 2: "workers=2"}[workers], func(b *testing.B) {
			plan := planner(b)
			text := stream(3)
			b.SetBytes(int64(len(text)) * 3333)
			b.ReportAllocs()
			var peak uint64
			for b.Loop() {
				seen := 0
				err := workload.Inject(context.Background(), &repeated{text: text, n: 3333}, "in", workload.NewOutput(io.Discard, workload.YAML, false),
					workload.Options{Plan: plan, Workers: workers, Report: func(workload.Result) {
						if seen++; seen%2000 == 0 {
							var m runtime.MemStats
							runtime.GC()
							runtime.ReadMemStats(&m)
							peak = max(peak, m.HeapAlloc)
						}
					}})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(peak)/(1<<20), "heap-MB")
		})
	}
}

// BenchmarkDocument is one Deployment, read, edited, checked and written.
func BenchmarkDocument(b *testing.B) {
	plan := planner(b)
	text := stream(1)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		err := workload.Inject(context.Background(), strings.NewReader(text), "in", workload.NewOutput(io.Discard, workload.YAML, false),
			workload.Options{Plan: plan, Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
	}
}
