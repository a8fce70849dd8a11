package certs

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/clock"
)

// Defaults of [Options].
const (
	DefaultCAValidity    = 365 * 24 * time.Hour
	DefaultLeafValidity  = 24 * time.Hour
	DefaultRotationDelay = 2 * time.Minute
	DefaultFieldManager  = "webhook-certs"
	DefaultCommonName    = "webhook authority"
)

// Options say what an [Authority] works on. Fields without "optional" are
// required.
type Options struct {
	Connection

	// Namespace and SecretName of the Secret that the replicas share.
	Namespace, SecretName string
	// SecretLabels are set on the Secret when it is created (optional).
	SecretLabels map[string]string

	// DNSNames and IPs that the serving certificate is for; at least one.
	DNSNames []string
	IPs      []net.IP

	// Webhooks whose caBundle is kept (optional: without any, none is).
	Webhooks []Webhooks

	// CAValidity is the life of an authority; the rotation begins at two thirds
	// of it. Default 365 days.
	CAValidity time.Duration
	// LeafValidity is the life of a serving certificate, which is renewed at two
	// thirds of it. At most a tenth of CAValidity. Default 24 hours.
	LeafValidity time.Duration
	// RotationDelay is for how long every caBundle must have carried an authority
	// before it signs: the time in which each API server learns of a caBundle.
	// Default 2 minutes.
	RotationDelay time.Duration

	// CommonName begins the subject of new authorities. Optional.
	CommonName string
	// FieldManager is the name under which is written. Optional.
	FieldManager string
	// Logger takes what happens; never keys or certificates. Optional.
	Logger *slog.Logger
	// Clock is for waiting and for measuring how long something lasts; also for
	// dates where Connection.Time is nil. Optional.
	Clock clock.Clock
	// Hooks for metrics. Optional.
	Hooks Hooks
}

// Hooks are called from the goroutine of Start, and must not block.
type Hooks struct {
	// Wrote is called after each write to the API server that was accepted, with
	// the object as "kind/name" and what was done: an [Action], or "caBundle".
	Wrote func(object, what string)
	// Failed is called after each call to the API server that was not, with the object.
	Failed func(object string)
	// Loaded is called when another certificate is served, with its end.
	Loaded func(expiry time.Time)
	// Trust is called when the answer of [Authority.Trusted] changes, and once at
	// the beginning: nil means that every caBundle trusts what is served.
	Trust func(err error)
}

// complete fills in the defaults and checks all fields; all faults are reported
// at once.
func (o *Options) complete() error {
	setDefault(&o.CAValidity, DefaultCAValidity)
	setDefault(&o.LeafValidity, DefaultLeafValidity)
	setDefault(&o.RotationDelay, DefaultRotationDelay)
	setDefault(&o.CommonName, DefaultCommonName)
	setDefault(&o.FieldManager, DefaultFieldManager)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Time == nil {
		o.Time = o.Clock.Now
	}

	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if o.Client == nil {
		fault("certificates: no client: use Connect")
	}
	for _, why := range validation.IsDNS1123Label(o.Namespace) {
		fault("certificates: namespace %q: %s", o.Namespace, why)
	}
	for _, why := range validation.IsDNS1123Subdomain(o.SecretName) {
		fault("certificates: name of the Secret %q: %s", o.SecretName, why)
	}
	if len(o.DNSNames) == 0 && len(o.IPs) == 0 {
		fault("certificates: no name to serve under: give a DNS name or an IP address")
	}
	if o.LeafValidity < 0 || o.LeafValidity > o.CAValidity/10 {
		fault("certificates: life of a serving certificate %s: must be positive and at most a tenth of the authority's life %s", o.LeafValidity, o.CAValidity)
	}
	if o.RotationDelay < 0 || o.RotationDelay > o.CAValidity/10 {
		fault("certificates: rotation delay %s: must be positive and at most a tenth of the authority's life %s", o.RotationDelay, o.CAValidity)
	}
	for _, w := range o.Webhooks {
		if w.Kind != Mutating && w.Kind != Validating {
			fault("certificates: webhook configuration %q: kind %q: must be %s or %s", w.Name, w.Kind, Mutating, Validating)
		}
		if w.Name == "" || len(w.Entries) == 0 {
			fault("certificates: webhook configuration %q: name the configuration and its webhooks", w.Name)
		}
	}
	return errors.Join(faults...)
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// retention is for how long an authority that no longer signs stays trusted:
// twice the life of what it signed, so that a replica that learns late, or whose
// clock is wrong, is trusted all the same.
func (o *Options) retention() time.Duration { return 2*o.LeafValidity + o.RotationDelay }
