package injector

import "fmt"

// A colocated container keeps no persistent state. Its definition was checked
// when it was loaded; here the pod's own volumes decide, for one of them may have
// the name that the definition means for an emptyDir. A container that is in the
// pod already is judged as it stands there: no status and no hash lets it pass.
func ruleState(t *situation) verdict {
	t.find()
	for i, k := range t.role.colocated {
		if c := t.found[i]; c != nil {
			if v := t.judgeFound(k, c); v.decided {
				return v
			}
			continue
		}
		for _, m := range k.mounts {
			if v := t.pod.persistent(m.volume); v != nil {
				return t.stateful(k.name, m.volume, v)
			}
		}
	}
	return pass
}

func (t *situation) judgeFound(k *colocated, c *podContainer) verdict {
	for _, d := range t.pod.devicesOf(c) {
		return refuse(ReasonPersistentState, fmt.Sprintf("role %q: colocated container %q uses block device %q of this pod; colocated containers cannot keep persistent state. Take the device off the container, or give the container a pod of its own.", t.role.name, k.name, clip(d.name)))
	}
	for _, m := range t.pod.mountsOf(c) {
		if v := t.pod.persistent(string(m.name)); v != nil {
			return t.stateful(k.name, clip(m.name), v)
		}
	}
	return pass
}

func (t *situation) stateful(container, volume string, v *podVolume) verdict {
	what := sourceKind(v.source) + " of this pod"
	if v.template {
		what = "a volumeClaimTemplate of this StatefulSet"
	}
	return refuse(ReasonPersistentState, fmt.Sprintf("role %q: colocated container %q mounts %q, which is %s; colocated containers cannot keep persistent state. Use an emptyDir tag, or give the container a pod of its own.", t.role.name, container, volume, what))
}

// persistent returns the pod's volume of that name where it keeps state.
func (p *Pod) persistent(name string) *podVolume {
	for i := range p.volumes {
		if v := &p.volumes[i]; !v.allowed && string(v.name) == name {
			return v
		}
	}
	return nil
}
