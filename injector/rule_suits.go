package injector

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// The API server validates some fields of a container against the pod around it.
// A colocated container that does not suit this pod would make the API server
// refuse it, naming a container that the pod's owner has never written; so it is
// refused here, with both sides. Containers that are in the pod already are the
// API server's business.
func ruleSuits(t *situation) verdict {
	if v := t.roomForStatus(); v.decided {
		return v
	}
	for i, k := range t.role.colocated {
		if t.found[i] != nil || k.needs == nil {
			continue
		}
		if what := t.unsuitable(k); what != "" {
			return refuse(ReasonUnsuitablePod, fmt.Sprintf("role %q: colocated container %q %s", t.role.name, k.name, what))
		}
	}
	return pass
}

// needs is what a colocated container demands of the pod around it; most demand
// nothing.
type needs struct {
	// sleep is the longest sleep of a lifecycle handler, in seconds.
	sleep int64
	// stopSignal, unmasked (a procMount) and resizeRestart (a resizePolicy of
	// RestartContainer) are set where the container has these.
	stopSignal, unmasked, resizeRestart bool
	// hostPort is a port whose hostPort is another than its containerPort; nil without one.
	hostPort *port
}

func needsOf(c *corev1.Container) *needs {
	var n needs
	if l := c.Lifecycle; l != nil {
		for _, h := range []*corev1.LifecycleHandler{l.PostStart, l.PreStop} {
			if h != nil && h.Sleep != nil {
				n.sleep = max(n.sleep, h.Sleep.Seconds)
			}
		}
		n.stopSignal = l.StopSignal != nil
	}
	if s := c.SecurityContext; s != nil && s.ProcMount != nil {
		n.unmasked = *s.ProcMount == corev1.UnmaskedProcMount
	}
	for _, r := range c.ResizePolicy {
		n.resizeRestart = n.resizeRestart || r.RestartPolicy != corev1.NotRequired
	}
	for _, p := range c.Ports {
		if p.HostPort != 0 && p.HostPort != p.ContainerPort {
			n.hostPort = &port{number: p.ContainerPort, host: p.HostPort}
		}
	}
	if n == (needs{}) {
		return nil
	}
	return &n
}

// defaultGrace is Kubernetes' terminationGracePeriodSeconds where a pod has none.
const defaultGrace = 30

func (t *situation) unsuitable(k *colocated) string {
	p, n := t.pod, k.needs
	grace := int64(defaultGrace)
	if p.grace.set {
		grace = p.grace.value
	}
	switch {
	case n.hostPort != nil && p.hostNetwork:
		return fmt.Sprintf("publishes port %d as host port %d, but this pod uses the host's network, where both must be the same. Make them the same, or leave hostNetwork out.", n.hostPort.number, n.hostPort.host)
	case n.sleep > grace:
		return fmt.Sprintf("sleeps for %d seconds in a lifecycle handler, but this pod's terminationGracePeriodSeconds is %d. Raise that, or shorten the sleep.", n.sleep, grace)
	case n.stopSignal && len(p.os) == 0:
		return "sets a stop signal, but this pod does not set spec.os.name, without which Kubernetes allows none. Set it to \"linux\", or take the signal out of the definition."
	case n.unmasked && !p.ownUsers:
		return "has procMount \"Unmasked\", but this pod does not set hostUsers to false, without which Kubernetes does not allow it. Set it, or take procMount out of the definition."
	case n.resizeRestart && string(p.restart) == "Never":
		return "has a resizePolicy that restarts it, but this pod's restartPolicy is \"Never\". Change one of the two."
	}
	return ""
}

// maxAnnotations is the size, in bytes, that Kubernetes allows all keys and
// values of an object's annotations together.
const maxAnnotations = 256 << 10

// roomForStatus refuses the rare pod whose annotations are so large that ours
// would make them too large. Annotations are counted only where they come near.
func (t *situation) roomForStatus() verdict {
	status := len(t.role.status[0].head) + len(t.role.status[0].tail) + len(t.role.status[1].head) + len(t.main.name)
	if len(t.pod.annotated)+status < maxAnnotations-1024 {
		return pass
	}
	var all map[string]string
	if json.Unmarshal(t.pod.annotated, &all) != nil {
		return pass
	}
	before := sizeOf(all)
	all[StatusAnnotation] = string(t.role.statusOf(t.native, string(t.main.name)).text())
	if _, ok := all[DefaultContainerAnnotation]; !ok {
		all[DefaultContainerAnnotation] = string(t.main.name)
	}
	if after := sizeOf(all); before <= maxAnnotations && after > maxAnnotations {
		return refuse(ReasonUnsuitablePod, fmt.Sprintf("role %q: this pod's annotations have %d bytes, and with those of colocate %d, but Kubernetes allows %d. Make them smaller.", t.role.name, before, after, maxAnnotations))
	}
	return pass
}

func sizeOf(annotations map[string]string) (n int) {
	for key, value := range annotations {
		n += len(key) + len(value)
	}
	return n
}
