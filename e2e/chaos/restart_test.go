package chaos

import (
	"testing"
	"time"

	"colocate.dev/colocate/e2e/apiserver"
)

// TestRollingRestart replaces three replicas one after the other while pods are
// created, as a Deployment with maxUnavailable 0 does: the new one is ready before
// the old one is asked to end.
func TestRollingRestart(t *testing.T) {
	for _, gate := range []bool{false, true} {
		name := "connections"
		if gate {
			name = "WebhookRoundTripLoadBalancing"
		}
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, apiserver.Options{FeatureGates: map[string]bool{"WebhookRoundTripLoadBalancing": gate}})
			l := c.load(t)
			for l.asking.total() < *pods {
				for n := range replicas {
					c.replace(t, n)
				}
			}
			l.finish(t, "rolling restart")
			l.wantNone(t, "rolling restart", unreached, refused, noServer, bare)
		})
	}
}

// replace starts a successor of replica n, lets it become known, and ends the old.
func (c *cluster) replace(t *testing.T, n int) {
	t.Helper()
	old := c.replica(n)
	c.forget(n)
	c.start(t, n)
	time.Sleep(2 * pollEvery)
	if err := old.Stop(); err != nil {
		t.Errorf("replica %d ended with: %v\n%s", n, err, old.Tail())
	}
}
