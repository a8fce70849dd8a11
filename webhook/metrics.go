package webhook

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"colocate.dev/colocate/injector"
)

// Metrics are the numbers for operators. Labels are bounded: results and reasons
// are closed lists, and a role is a label only while it is loaded.
type Metrics struct {
	registry *prometheus.Registry

	admissions *prometheus.CounterVec
	duration   prometheus.Histogram
	turnedAway *prometheus.CounterVec
	panics     prometheus.Counter

	valid       prometheus.Gauge
	roles       *prometheus.GaugeVec
	lastSuccess prometheus.Gauge
	reloads     prometheus.Counter

	trusted prometheus.Gauge
	writes  *prometheus.CounterVec
	fails   *prometheus.CounterVec
}

// Values of the label "state" of colocate_definitions_roles.
const (
	stateUsable   = "usable"
	stateRejected = "rejected"
)

// NewMetrics makes the metrics, all at their first values, in a registry of
// their own.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		admissions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "colocate_admissions_total",
			Help: "Pods that were decided on, by result, reason and, where it is loaded, role.",
		}, []string{"result", "reason", "role"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "colocate_admission_duration_seconds",
			Help:    "Time from the start of a request for a pod until its answer is ready, reading included.",
			Buckets: []float64{.00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
		}),
		turnedAway: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "colocate_requests_turned_away_total",
			Help: "Requests that got no admission answer, by HTTP status code.",
		}, []string{"code"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "colocate_panics_total",
			Help: "Requests that were given up because of a fault in colocate.",
		}),
		valid: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "colocate_definitions_valid",
			Help: "1 where every document of every definitions ConfigMap is in force as it is written, else 0.",
		}),
		roles: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "colocate_definitions_roles",
			Help: "Main roles that are loaded, by whether their pods can be injected.",
		}, []string{"state"}),
		lastSuccess: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "colocate_definitions_last_success_timestamp_seconds",
			Help: "Unix time at which definitions were last loaded without a fault; 0 before the first time.",
		}),
		reloads: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "colocate_definitions_reloads_total",
			Help: "Times that definitions were loaded.",
		}),
		trusted: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "colocate_certificate_trusted",
			Help: "1 where every managed caBundle trusts the serving certificate, 0 where one does not.",
		}),
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "colocate_certificate_writes_total",
			Help: "Objects that were written for the sake of certificates, by object and what was done.",
		}, []string{"object", "what"}),
		fails: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "colocate_certificate_failures_total",
			Help: "Calls to the API server for the sake of certificates that were not accepted, by object.",
		}, []string{"object"}),
	}
	m.registry.MustRegister(m.admissions, m.duration, m.turnedAway, m.panics,
		m.valid, m.roles, m.lastSuccess, m.reloads, m.trusted, m.writes, m.fails)
	m.roles.WithLabelValues(stateUsable)
	m.roles.WithLabelValues(stateRejected)
	return m
}

// CertificateWritten counts a write of an object ("kind/name") and what was done.
func (m *Metrics) CertificateWritten(object, what string) {
	m.writes.WithLabelValues(object, what).Inc()
}

// CertificateFailed counts a call about an object ("kind/name") that was not accepted.
func (m *Metrics) CertificateFailed(object string) { m.fails.WithLabelValues(object).Inc() }

// CertificateTrust notes whether every managed caBundle trusts the certificate: nil is yes.
func (m *Metrics) CertificateTrust(err error) {
	if err == nil {
		m.trusted.Set(1)
	} else {
		m.trusted.Set(0)
	}
}

// watchExpiry adds the end of the certificate's life.
func (m *Metrics) watchExpiry(expiry func() time.Time) error {
	return m.registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "colocate_certificate_expiry_timestamp_seconds",
		Help: "Unix time at which the serving certificate expires; 0 while there is none.",
	}, func() float64 {
		if at := expiry(); !at.IsZero() {
			return float64(at.Unix())
		}
		return 0
	}))
}

// decided counts one admission.
func (m *Metrics) decided(d *injector.Decision, took time.Duration) {
	role := ""
	if d.Known {
		role = d.Role
	}
	m.admissions.WithLabelValues(d.Outcome.String(), string(d.Reason), role).Inc()
	m.duration.Observe(took.Seconds())
}

// loaded notes the state of the definitions, and forgets roles that are gone.
func (m *Metrics) loaded(before, after *injector.Snapshot, valid bool, at time.Time) {
	m.reloads.Inc()
	roles, usable := after.Size()
	m.roles.WithLabelValues(stateUsable).Set(float64(usable))
	m.roles.WithLabelValues(stateRejected).Set(float64(roles - usable))
	m.valid.Set(0)
	if valid {
		m.valid.Set(1)
		m.lastSuccess.Set(float64(at.UnixMilli()) / 1000)
	}
	if before == after {
		return
	}
	for _, r := range before.Roles() {
		if _, still := after.Role(r.Name); !still {
			m.admissions.DeletePartialMatch(prometheus.Labels{"role": r.Name})
		}
	}
}

// handler serves these metrics, and those of controller-runtime and the process.
func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(prometheus.Gatherers{m.registry, ctrlmetrics.Registry}, promhttp.HandlerOpts{
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: 4,
		Timeout:             10 * time.Second,
	})
}
