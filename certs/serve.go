package certs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// renew signs another serving certificate where there is a reason to, and says
// when to look again.
func (a *Authority) renew() time.Duration {
	if a.held == nil {
		return stepMost
	}
	now := a.options.Time()
	serving := a.serving.Load()
	bundle := a.held.bundle()
	if reason := a.mustSign(now); reason != "" {
		certificate, err := a.held.current.sign(a.options.DNSNames, a.options.IPs, now, a.options.LeafValidity)
		if err != nil {
			a.report.warn("sign", "certificates: cannot sign", "error", err)
			return time.Second
		}
		a.signedBy, a.signedAt = a.held.current, now
		serving = &served{certificate: certificate, bundle: bundle}
		a.serving.Store(serving)
		a.options.Logger.Info("certificates: signed a serving certificate", "reason", reason, "expiry", serving.expiry())
		if a.options.Hooks.Loaded != nil {
			a.options.Hooks.Loaded(serving.expiry())
		}
	} else if string(serving.bundle) != string(bundle) {
		a.serving.Store(&served{certificate: serving.certificate, bundle: bundle})
	}
	return min(stepMost, max(time.Second/10, a.renewAt().Sub(now)))
}

// renewAt is when two thirds of the life of what is served have passed.
func (a *Authority) renewAt() time.Time {
	expiry := a.serving.Load().expiry()
	return expiry.Add(-expiry.Sub(a.signedAt) / 3)
}

// mustSign says why another serving certificate is needed; "" where none is.
func (a *Authority) mustSign(now time.Time) string {
	switch {
	case a.serving.Load() == nil:
		return "there is none"
	case !a.signedBy.same(a.held.current):
		return "another authority signs now"
	case a.held.current.unusable(now) != "":
		return "" // nothing better can be had
	case !now.Before(a.renewAt()):
		return "two thirds of its life have passed"
	case now.Before(a.signedAt.Add(-time.Minute)):
		return "the time was put back"
	}
	return ""
}

// verdict is what was last reported about the caBundles.
type verdict int

const (
	unjudged verdict = iota
	trusted
	distrusted
)

// judge reports whether the caBundles trust what is served, when that changes.
func (a *Authority) judge() {
	if a.serving.Load() == nil {
		return
	}
	if _, known := a.view.configurations(); !known {
		return
	}
	err := a.Trusted()
	was, is := a.verdict, trusted
	if err != nil {
		is = distrusted
	}
	if was == is {
		return
	}
	a.verdict = is
	switch {
	case err != nil:
		a.report.warn("trust", "certificates: not trusted", "error", err)
	case was == distrusted:
		a.options.Logger.Info("certificates: trusted by every caBundle")
	}
	if a.options.Hooks.Trust != nil {
		a.options.Hooks.Trust(err)
	}
}

// keeper keeps the caBundle of one webhook configuration.
type keeper struct {
	index int // in Options.Webhooks
	of    Webhooks
	pace  pace
	retry retry
}

// publish writes the bundle into the caBundles that have another one, and says
// when to look again.
func (a *Authority) publish(ctx context.Context) time.Duration {
	next := stepMost
	if a.held == nil {
		return next
	}
	configurations, _ := a.view.configurations()
	fresh := false
	for i, k := range a.keepers {
		c := configurations[i]
		if c == nil || !c.differs(a.held.bundle()) {
			k.pace.right()
			continue
		}
		now := a.options.Clock.Now()
		if wait := max(k.pace.wait(now), k.retry.wait(now)); wait > 0 {
			next = min(next, wait)
			continue
		}
		if !fresh {
			// After the configurations were looked at, and before one is written: so no
			// bundle older than the Secret can be written.
			again, err := a.confirm(ctx)
			if err != nil {
				k.retry.failed(now, rand.Float64())
				a.failed(a.secretName(), "cannot read", err)
				next = min(next, k.retry.wait(now))
				continue
			}
			if again {
				return 0
			}
			fresh = true
		}
		if err := a.patch(ctx, k, c); err != nil {
			k.retry.failed(now, rand.Float64())
			next = min(next, k.retry.wait(now))
			continue
		}
		k.retry.succeeded()
	}
	return next
}

// confirm reads the Secret again, and reports whether it says something else
// than what was last taken over.
func (a *Authority) confirm(ctx context.Context) (again bool, err error) {
	before, _ := a.view.readSecret()
	after, err := a.freshSecret(ctx)
	if err != nil {
		return false, err
	}
	if before == nil || after == nil {
		return before != after, nil
	}
	return before.UID != after.UID || before.ResourceVersion != after.ResourceVersion, nil
}

// patch writes the caBundle of one webhook configuration.
func (a *Authority) patch(ctx context.Context, k *keeper, c *configuration) error {
	body, err := c.patch(a.held.bundle())
	if err != nil {
		return fmt.Errorf("%s: %w", k.of, err)
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	object := k.of.object()
	err = a.options.Client.Patch(ctx, object, client.RawPatch(types.JSONPatchType, body), client.FieldOwner(a.options.FieldManager))
	switch {
	case err == nil:
		a.view.seeConfiguration(k.index, k.of.read(object), a.options.Clock.Now(), written)
		k.pace.wrote(a.options.Clock.Now())
		a.wrote(k.of.String(), "caBundle", "it was not the one that trusts the serving certificates")
		return nil
	case apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsConflict(err):
		// It changed under our hands, which the watch tells too. Where that goes on,
		// something else is wrong.
		if k.retry.failures > 5 {
			a.failed(k.of.String(), "cannot write", err)
		}
		return err
	}
	a.failed(k.of.String(), "cannot write", err)
	return err
}
