package webhook

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"colocate.dev/colocate/injector"
)

// valueOf is the value of a counter or gauge.
func valueOf(t testing.TB, m prometheus.Metric) float64 {
	t.Helper()
	var out dto.Metric
	if err := m.Write(&out); err != nil {
		t.Fatal(err)
	}
	if out.Counter != nil {
		return out.Counter.GetValue()
	}
	return out.Gauge.GetValue()
}

// seriesOf is the number of series that a collector has.
func seriesOf(c prometheus.Collector) (n int) {
	found := make(chan prometheus.Metric)
	go func() { c.Collect(found); close(found) }()
	for range found {
		n++
	}
	return n
}

// text is what is scraped from our own registry.
func text(t testing.TB, m *Metrics) string {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func TestMetricsAreLintFree(t *testing.T) {
	m := NewMetrics()
	if err := m.watchExpiry(func() time.Time { return time.Unix(1700000000, 0) }); err != nil {
		t.Fatal(err)
	}
	m.decided(&injector.Decision{Outcome: injector.Injected, Reason: injector.ReasonInjected, Role: "nginx", Known: true}, time.Millisecond)
	m.CertificateWritten("secret/colocate-ca", "create")
	m.CertificateFailed("secret/colocate-ca")
	m.turnedAway.WithLabelValues("400").Inc()
	all := text(t, m)
	problems, err := promlint.New(strings.NewReader(all)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
	for _, want := range []string{
		`colocate_admissions_total{reason="Injected",result="injected",role="nginx"} 1`,
		"colocate_admission_duration_seconds_count 1",
		"colocate_definitions_valid 0",
		`colocate_definitions_roles{state="rejected"} 0`,
		"colocate_definitions_last_success_timestamp_seconds 0",
		"colocate_certificate_expiry_timestamp_seconds 1.7e+09",
	} {
		if !strings.Contains(all, want+"\n") {
			t.Errorf("no %s in\n%s", want, all)
		}
	}
}

func TestMetricsRoleIsALabelOnlyWhileLoaded(t *testing.T) {
	m := NewMetrics()
	m.decided(&injector.Decision{Outcome: injector.Refused, Reason: injector.ReasonUnknownRole, Role: "whatever"}, 0)
	both := snapshotOf(t, "a.yaml", role("a"), "b.yaml", role("b"))
	m.loaded(nil, both, true, time.Unix(5, 0))
	for _, name := range []string{"a", "b"} {
		m.decided(&injector.Decision{Outcome: injector.Injected, Reason: injector.ReasonInjected, Role: name, Known: true}, 0)
	}
	if n := seriesOf(m.admissions); n != 3 {
		t.Fatalf("%d series", n)
	}
	m.loaded(both, snapshotOf(t, "b.yaml", role("b")), false, time.Unix(9, 0))
	all := text(t, m)
	if strings.Contains(all, `role="a"`) || !strings.Contains(all, `role="b"`) || strings.Contains(all, "whatever") {
		t.Errorf("series\n%s", all)
	}
	if v := valueOf(t, m.lastSuccess); v != 5 {
		t.Errorf("last success at %v", v)
	}
	if v := valueOf(t, m.valid); v != 0 {
		t.Errorf("valid is %v", v)
	}
}

func TestMetricsTrust(t *testing.T) {
	m := NewMetrics()
	m.CertificateTrust(nil)
	if v := valueOf(t, m.trusted); v != 1 {
		t.Errorf("trusted is %v", v)
	}
	m.CertificateTrust(errors.New("no"))
	if v := valueOf(t, m.trusted); v != 0 {
		t.Errorf("trusted is %v", v)
	}
}
