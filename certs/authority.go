package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Authority is the [Source] that signs its certificates itself, with a
// certificate authority that all replicas share in a Secret, and that keeps the
// caBundle of webhook configurations. See the package comment.
type Authority struct {
	options Options
	view    *view
	report  *reporter
	serving atomic.Pointer[served]

	// What follows belongs to the goroutine of Start.

	// held is what the Secret last said in good order; nil before.
	held *authorities
	// signedBy is the authority that signed what is served, signedAt when.
	signedBy *pair
	signedAt time.Time
	// brokenSince is since when the Secret has had no usable authority; zero
	// while it has one. Of the monotonic clock.
	brokenSince time.Time
	secretRetry retry
	keepers     []*keeper // in the order of Options.Webhooks
	verdict     verdict
}

var _ Source = (*Authority)(nil)

// NewAuthority checks the options and makes a source that does nothing before
// Start. It errs on every option that is missing or contradicts another.
func NewAuthority(options Options) (*Authority, error) {
	if err := options.complete(); err != nil {
		return nil, err
	}
	a := &Authority{
		options: options,
		view:    newView(len(options.Webhooks)),
		report:  newReporter(options.Logger, options.Clock),
	}
	for i, w := range options.Webhooks {
		a.keepers = append(a.keepers, &keeper{index: i, of: w})
	}
	return a, nil
}

// GetCertificate is [Source.GetCertificate].
func (a *Authority) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return a.serving.Load().get()
}

// NeedLeaderElection is [Source.NeedLeaderElection].
func (a *Authority) NeedLeaderElection() bool { return false }

// Ready is [Source.Ready].
func (a *Authority) Ready() error { return a.serving.Load().ready() }

// Expiry is [Source.Expiry].
func (a *Authority) Expiry() time.Time { return a.serving.Load().expiry() }

// Bundle is [Source.Bundle]: what every managed caBundle carries.
func (a *Authority) Bundle() []byte { return a.serving.Load().pem() }

// Trusted is nil where the caBundle of every managed webhook, as last seen,
// trusts the certificate being served, and the certificate is for the name that
// the webhook is called by. Webhook configurations that do not exist do not
// matter. It costs no call to the API server.
func (a *Authority) Trusted() error {
	now := a.serving.Load()
	if now == nil {
		return ErrNotLoaded
	}
	configurations, known := a.view.configurations()
	if !known {
		return errors.New("the webhook configurations have not been read yet")
	}
	var faults []error
	for i, c := range configurations {
		if c == nil {
			continue
		}
		for _, e := range c.entries {
			if err := verify(e.caBundle, now.certificate.Leaf, e.host, a.options.Time()); err != nil {
				faults = append(faults, fmt.Errorf("%s: webhook %q: caBundle does not trust the served certificate: %w", a.options.Webhooks[i], e.name, err))
			}
		}
	}
	return errors.Join(faults...)
}

// stepMost is the longest time between two steps. Timers stand still while a
// machine sleeps, so dates are looked at again and again.
const stepMost = 30 * time.Second

// Start is [Source.Start].
func (a *Authority) Start(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, f := range a.feeds() {
		wg.Go(func() { f.run(ctx) })
	}
	for {
		timer := a.options.Clock.NewTimer(a.step(ctx))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C():
		case <-a.view.changed:
			timer.Stop()
		}
	}
}

// feeds follow the Secret and each webhook configuration.
func (a *Authority) feeds() []*feed {
	o := &a.options
	fault := func(object string) func(error) {
		return func(err error) { a.failed(object, "cannot follow", err) }
	}
	secret := a.secretName()
	feeds := []*feed{{
		client: o.Client, clock: o.Clock,
		list:      func() client.ObjectList { return &corev1.SecretList{} },
		namespace: o.Namespace, name: o.SecretName,
		see: func(object client.Object, by how) {
			s, _ := object.(*corev1.Secret)
			a.view.seeSecret(s, by)
		},
		fault: fault(secret),
	}}
	for i, w := range o.Webhooks {
		feeds = append(feeds, &feed{
			client: o.Client, clock: o.Clock,
			list: w.list, name: w.Name,
			see: func(object client.Object, by how) {
				a.view.seeConfiguration(i, w.read(object), o.Clock.Now(), by)
			},
			lost:  func() { a.view.lose(i) },
			fault: fault(w.String()),
		})
	}
	return feeds
}

func (a *Authority) secretName() string { return "secret/" + a.options.SecretName }

// failed reports a call that was not accepted. At the end of Start calls are
// broken off, which is no failure.
func (a *Authority) failed(object, what string, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	a.report.warn(object+what, "certificates: "+what, "object", object, "error", err)
	if a.options.Hooks.Failed != nil {
		a.options.Hooks.Failed(object)
	}
}

// wrote reports a write that was accepted.
func (a *Authority) wrote(object, what, reason string) {
	a.options.Logger.Info("certificates: written", "object", object, "what", what, "reason", reason)
	if a.options.Hooks.Wrote != nil {
		a.options.Hooks.Wrote(object, what)
	}
}
