package injector

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// A pod may have resources of its own (spec.resources). Its containers may then
// not request more together, nor be limited higher each, than the pod is; the API
// server refuses such a pod. Colocated containers count. Where none is added,
// what others have made of the pod is the API server's business.
func ruleBudget(t *situation) verdict {
	if len(t.pod.resources) == 0 || !slices.Contains(t.found, nil) {
		return pass
	}
	var budget corev1.ResourceRequirements
	if json.Unmarshal(t.pod.resources, &budget) != nil {
		return pass // the API server says it better
	}
	if v := t.limitsFit(budget.Limits); v.decided {
		return v
	}
	requests := t.together()
	for _, name := range sortedNames(requests) {
		have, ok := budget.Requests[name]
		if !ok { // the sum of the containers' becomes the pod's, and may not exceed its limit
			have, ok = budget.Limits[name]
		}
		if all := requests[name]; ok && all.Cmp(have) > 0 {
			return t.noRoom(name, all, have)
		}
	}
	return pass
}

func (t *situation) noRoom(name corev1.ResourceName, all, have resource.Quantity) verdict {
	return refuse(ReasonNoRoom, fmt.Sprintf("role %q: with its colocated containers this pod's containers request %s %s together, but the pod's own resources have %s. Raise spec.resources, or leave it out.", t.role.name, all.String(), name, have.String()))
}

// limitsFit compares each container that would be added to the ordinary ones.
func (t *situation) limitsFit(budget corev1.ResourceList) verdict {
	for i, k := range t.role.colocated {
		if where, _ := k.where(t.native); t.found[i] != nil || where != inContainers {
			continue
		}
		limits := resourcesOf(k.raw).Limits
		for _, name := range sortedNames(limits) {
			mine := limits[name]
			if have, ok := budget[name]; ok && mine.Cmp(have) > 0 {
				return refuse(ReasonNoRoom, fmt.Sprintf("role %q: colocated container %q has a limit of %s %s, but this pod as a whole has %s. Raise spec.resources, or leave it out.", t.role.name, k.name, mine.String(), name, have.String()))
			}
		}
	}
	return pass
}

// together adds up what the pod's containers will request, as the API server does:
// ordinary containers and native sidecars run side by side, a plain init
// container runs beside the sidecars that were started before it.
func (t *situation) together() corev1.ResourceList {
	sum, sidecars, peak := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for _, c := range t.after() {
		mine := resourcesOf(c.raw).Requests
		switch {
		case c.sidecar:
			addTo(sidecars, mine)
			addTo(sum, mine)
		case c.where == inContainers:
			addTo(sum, mine)
		default:
			for name, q := range mine {
				q.Add(sidecars[name])
				if have := peak[name]; q.Cmp(have) > 0 {
					peak[name] = q
				}
			}
		}
	}
	for name, q := range peak {
		if have := sum[name]; q.Cmp(have) > 0 {
			sum[name] = q
		}
	}
	return sum
}

// standing is one container of the pod as it will be.
type standing struct {
	where   place
	sidecar bool
	raw     []byte
}

// after lists the containers of the pod as it will be, init containers in order.
func (t *situation) after() []standing {
	var front, back []standing
	for i, k := range t.role.colocated {
		where, sidecar := k.where(t.native)
		switch {
		case t.found[i] != nil:
		case sidecar && k.first():
			front = append(front, standing{where, sidecar, k.raw})
		default:
			back = append(back, standing{where, sidecar, k.raw})
		}
	}
	for i := range t.pod.containers {
		if c := &t.pod.containers[i]; c.place != inEphemeral {
			front = append(front, standing{c.place, c.place == inInits && string(c.restart) == "Always", c.raw})
		}
	}
	return append(front, back...)
}

// resourcesOf reads a container's resources; requests that are absent are the
// limits, as the API server's defaults have it.
func resourcesOf(container []byte) corev1.ResourceRequirements {
	var c struct {
		Resources corev1.ResourceRequirements `json:"resources"`
	}
	if json.Unmarshal(container, &c) != nil {
		return corev1.ResourceRequirements{}
	}
	for name, q := range c.Resources.Limits {
		if _, ok := c.Resources.Requests[name]; !ok {
			if c.Resources.Requests == nil {
				c.Resources.Requests = corev1.ResourceList{}
			}
			c.Resources.Requests[name] = q
		}
	}
	return c.Resources
}

func addTo(sum, list corev1.ResourceList) {
	for name, q := range list {
		have := sum[name]
		have.Add(q)
		sum[name] = have
	}
}

func sortedNames(list corev1.ResourceList) []corev1.ResourceName {
	names := make([]corev1.ResourceName, 0, len(list))
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
