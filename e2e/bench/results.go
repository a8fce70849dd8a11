package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// results are everything that was measured: medians over the rounds.
type results struct {
	Requests int       `json:"requests"`
	Rounds   int       `json:"rounds"`
	AtOnce   int       `json:"atOnce"`
	Webhook  []row     `json:"webhook"`
	Pods     []podsRow `json:"pods,omitempty"`
	Cluster  *inUse    `json:"cluster,omitempty"`

	Reloads     []reloadRow `json:"reloads,omitempty"`
	Soak        []soakRow   `json:"soak,omitempty"`
	SoakReviews int         `json:"soakReviews,omitempty"`
}

// row is one target with one review. Ratio and LatencyRatio are to the first
// target in the same round.
type row struct {
	Review    string  `json:"review"`
	Bytes     int     `json:"bytes"`
	Target    string  `json:"target"`
	CPU       float64 `json:"cpuMicroseconds"`
	Ratio     float64 `json:"ratio"`
	P50       float64 `json:"p50Microseconds"`
	P50Ratio  float64 `json:"p50Ratio"`
	P99       float64 `json:"p99Microseconds"`
	P99Ratio  float64 `json:"p99Ratio"`
	PeakMiB   float64 `json:"peakMiB"`
	LowRatio  float64 `json:"lowRatio"`
	HighRatio float64 `json:"highRatio"`
}

func rowOf(r review, t target, samples, base []sample) row {
	cpu := func(s sample) time.Duration { return s.cpu }
	p50 := func(s sample) time.Duration { return s.p50 }
	p99 := func(s sample) time.Duration { return s.p99 }
	all := ratios(samples, base, cpu)
	slices.Sort(all)
	peak := 0.0
	for _, s := range samples {
		peak = max(peak, s.peak)
	}
	return row{
		Review: r.name, Bytes: len(r.body), Target: t.name, PeakMiB: peak,
		CPU: middle(samples, cpu), Ratio: median(all), LowRatio: all[len(all)/4], HighRatio: all[len(all)*3/4],
		P50: middle(samples, p50), P50Ratio: median(ratios(samples, base, p50)),
		P99: middle(samples, p99), P99Ratio: median(ratios(samples, base, p99)),
	}
}

func ratios(samples, base []sample, of func(sample) time.Duration) []float64 {
	out := make([]float64, len(samples))
	for i := range samples {
		out[i] = float64(of(samples[i])) / float64(of(base[i]))
	}
	return out
}

// middle is the median in microseconds.
func middle(samples []sample, of func(sample) time.Duration) float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = float64(of(s)) / float64(time.Microsecond)
	}
	return median(out)
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// print writes the table.
func (r *results) print(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%d reviews a round, %d rounds, %d at once; medians; ratios to raw in the same round\n", r.Requests, r.Rounds, r.AtOnce)
	fmt.Fprintln(w, "review\tbytes\ttarget\tCPU µs\tratio\tquartiles\tp50 µs\tratio\tp99 µs\tratio\tpeak MiB\t")
	for _, x := range r.Webhook {
		fmt.Fprintf(w, "%s\t%d\t%s\t%.0f\t%.2f\t%.2f-%.2f\t%.0f\t%.2f\t%.0f\t%.2f\t%.0f\t\n",
			x.Review, x.Bytes, x.Target, x.CPU, x.Ratio, x.LowRatio, x.HighRatio, x.P50, x.P50Ratio, x.P99, x.P99Ratio, x.PeakMiB)
	}
	if len(r.Pods) > 0 {
		fmt.Fprintln(w, "\npods created through the API server (dry run)\tAPI server CPU µs\twebhook CPU µs\tp50 µs\tp99 µs\t")
		for _, x := range r.Pods {
			fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.0f\t%.0f\t\n", x.Pods, x.ServerCPU, x.WebhookCPU, x.P50, x.P99)
		}
	}
	if c := r.Cluster; c != nil {
		fmt.Fprintf(w, "\nin use: %.1f MiB idle, %.1f MiB after the pods above, %.0f ms from start to the first admission, binary %.1f MB stripped\n",
			c.IdleMiB, c.UsedMiB, c.StartMilliseconds, c.BinaryMB)
	}
	if len(r.Reloads) > 0 {
		fmt.Fprintln(w, "\np99 of small pods, a ConfigMap being written four times a second\tnot ours, µs\tdefinitions, µs\tratio\twrites\t")
		for _, x := range r.Reloads {
			fmt.Fprintf(w, "%d roles\t%.0f\t%.0f\t%.2f\t%d\t\n", x.Roles, x.Quiet, x.Reloading, x.Ratio, x.Writes)
		}
	}
	if n := len(r.Soak); n > 0 {
		fmt.Fprintf(w, "\n%d reviews in %.0f s: %.1f MiB after %.0f s, %.1f MiB at the end\n", r.SoakReviews, r.Soak[n-1].Seconds, r.Soak[0].MiB, r.Soak[0].Seconds, r.Soak[n-1].MiB)
	}
	return w.Flush()
}
