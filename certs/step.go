package certs

import (
	"context"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// step looks at everything once, does what there is to do, and says how long to
// wait before the next step if nothing changes.
func (a *Authority) step(ctx context.Context) time.Duration {
	if _, known := a.view.readSecret(); !known {
		return stepMost
	}
	next := a.settle(ctx)
	next = min(next, a.renew())
	next = min(next, a.publish(ctx))
	a.judge()
	return max(next, time.Millisecond)
}

// settle brings the Secret into order, and takes over what it says.
func (a *Authority) settle(ctx context.Context) time.Duration {
	s := a.situation()
	d := decide(s)
	if d.writes() && a.secretRetry.wait(a.options.Clock.Now()) == 0 {
		s, d = a.write(ctx)
	}
	a.takeOver(s)
	if d.writes() {
		// Not written, or another replica was first.
		return min(a.secretRetry.wait(a.options.Clock.Now()), stepMost)
	}
	return a.untilDecision(s, d)
}

// takeOver makes what the Secret says what this replica goes by, unless the
// Secret is the one that is wrong. Whether it could be written does not matter.
func (a *Authority) takeOver(s situation) {
	if s.stored.fault(s.now) != "" || s.foreign() {
		return
	}
	if s.stored.untidy != "" && a.held != nil && a.held.current.same(s.stored.current) {
		return // what is held has the damaged parts, too
	}
	if a.held != nil && a.held.equal(&s.stored.authorities) {
		return
	}
	held := s.stored.authorities
	a.held = &held
}

// situation is what this replica knows now.
func (a *Authority) situation() situation {
	secret, _ := a.view.readSecret()
	s := situation{
		now:            a.options.Time(),
		stored:         readSecret(secret),
		held:           a.held,
		nextCarriedFor: -1,
		delay:          a.options.RotationDelay,
	}
	clock := a.options.Clock
	if s.stored.fault(s.now) == "" {
		a.brokenSince = time.Time{}
	} else if a.brokenSince.IsZero() {
		a.brokenSince = clock.Now()
	}
	if !a.brokenSince.IsZero() {
		s.brokenFor = clock.Since(a.brokenSince)
	}
	if a.held != nil {
		_, s.heldCarried = a.view.carriedSince(fingerprintOf(a.held.current.cert))
	}
	if s.stored.current != nil {
		since, ok := a.view.carriedSince(fingerprintOf(s.stored.current.cert))
		s.storedCarried = ok && clock.Since(since) >= s.delay
	}
	if s.stored.next != nil {
		if since, ok := a.view.carriedSince(fingerprintOf(s.stored.next.cert)); ok {
			s.nextCarriedFor = clock.Since(since)
		}
	}
	s.elsewhere = a.elsewhere(s.now)
	return s
}

// elsewhere reports whether a caBundle carries an authority that has not
// expired. It says yes also while the caBundles have not been read.
func (a *Authority) elsewhere(now time.Time) bool {
	configurations, known := a.view.configurations()
	for _, c := range configurations {
		if c == nil {
			continue
		}
		for _, e := range c.entries {
			certs, _ := readBundle(e.caBundle)
			if len(living(certs, now)) > 0 {
				return true
			}
		}
	}
	return !known
}

// write reads the Secret again, decides again, and writes what was decided. The
// situation that it returns is the one after the write; the decision is one
// that writes only where that failed.
func (a *Authority) write(ctx context.Context) (situation, decision) {
	secret, err := a.freshSecret(ctx)
	s := a.situation()
	d := decide(s)
	if err != nil {
		a.secretRetry.failed(a.options.Clock.Now(), rand.Float64())
		a.failed(a.secretName(), "cannot read", err)
		return s, d
	}
	if !d.writes() {
		return s, d
	}
	if err := a.update(ctx, secret, s, d); err != nil {
		a.secretRetry.failed(a.options.Clock.Now(), rand.Float64())
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			a.failed(a.secretName(), "cannot write", err)
		}
		return s, d
	}
	a.secretRetry.succeeded()
	a.wrote(a.secretName(), string(d.Action), d.Reason)
	return a.situation(), decision{Keep, d.Reason}
}

// freshSecret reads the Secret without a cache, nil where it does not exist, and
// notes it as seen.
func (a *Authority) freshSecret(ctx context.Context) (*corev1.Secret, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	secret := &corev1.Secret{}
	err := a.options.Client.Get(ctx, client.ObjectKey{Namespace: a.options.Namespace, Name: a.options.SecretName}, secret)
	if apierrors.IsNotFound(err) {
		secret, err = nil, nil
	}
	if err == nil {
		a.view.seeSecret(secret, read)
	}
	return secret, err
}

// update writes the Secret on condition that nobody else has since it was read.
func (a *Authority) update(ctx context.Context, secret *corev1.Secret, s situation, d decision) error {
	o := &a.options
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	var fresh *pair
	if d.Action == Create || d.Action == Stage {
		var err error
		if fresh, err = newPair(o.CommonName, s.now, o.CAValidity); err != nil {
			return err
		}
	}
	wanted := apply(d.Action, s, fresh, o.retention())
	owner := client.FieldOwner(o.FieldManager)
	if secret == nil {
		secret = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: o.SecretName, Labels: o.SecretLabels},
			// Not of type kubernetes.io/tls: a Secret made by hand could not become
			// one, and both have to be alike.
			Type: corev1.SecretTypeOpaque,
		}
		wanted.write(secret)
		if err := o.Client.Create(ctx, secret, owner); err != nil {
			return err
		}
	} else {
		secret = secret.DeepCopy()
		wanted.write(secret)
		if d.Action == Stage {
			delete(secret.Data, KeyRotate)
		}
		if err := o.Client.Update(ctx, secret, owner); err != nil {
			return err
		}
	}
	a.view.seeSecret(secret, written)
	return nil
}

// untilDecision is when the decision may change by the passing of time alone.
func (a *Authority) untilDecision(s situation, d decision) time.Duration {
	next := stepMost
	soon := func(d time.Duration) {
		if d > 0 {
			next = min(next, d)
		}
	}
	if d.Action == Wait {
		soon(restoreGrace - s.brokenFor)
	}
	if s.nextCarriedFor >= 0 {
		soon(s.delay - s.nextCarriedFor)
	}
	if s.stored.current != nil {
		soon(s.stored.current.due().Sub(s.now))
		soon(s.stored.current.cert.NotAfter.Sub(s.now))
	}
	if len(s.stored.previous) > 0 {
		soon(s.stored.until.Sub(s.now))
	}
	return next
}
