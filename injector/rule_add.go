package injector

import (
	"bytes"
	"fmt"
)

// What is missing is added, in this order: volumes, mounts of the main
// container, containers, pull secrets, our label and annotations. Each operation
// is valid against the document as the ones before it left it.
func ruleAdd(t *situation) verdict {
	w := writer{fixed: &t.snapshot.fixed, out: t.pod.work.out}
	t.addVolumes(&w)
	t.addMounts(&w)
	t.addContainers(&w)
	t.addSecrets(&w)
	added := len(w.out) > 0
	t.addLabel(&w)
	t.addStatus(&w, added)
	t.warnEndless()
	t.pod.work.out = w.close()
	switch {
	case t.outdated:
		t.warn(fmt.Sprintf("colocate: %s: role %q: this pod carries containers of an earlier definition, which stay as they are; run colocate inject again over the file that it comes from", ReasonOutdated, t.role.name))
		return verdict{true, Injected, ReasonOutdated, ""}
	case len(t.pod.work.out) == 0:
		return verdict{true, Injected, ReasonAlreadyInjected, ""}
	}
	return verdict{true, Injected, ReasonInjected, ""}
}

// warnEndless says where a definition's placement keeps a pod that is meant to
// end from ending.
func (t *situation) warnEndless() {
	if !t.native {
		return
	}
	for i, k := range t.role.colocated {
		if t.found[i] == nil && k.placement == PlacementContainer {
			t.warn(fmt.Sprintf("colocate: role %q: container %q is placed as an ordinary container, so this pod (restartPolicy %q) ends only when that container does; placement auto or native-first would let it end", t.role.name, k.name, clip(t.pod.restart)))
		}
	}
}

func (t *situation) addVolumes(w *writer) {
	create := !t.pod.hasVolumes
	for i := range t.role.volumes {
		v := &t.role.volumes[i]
		if t.pod.hasVolume(v.name) {
			continue
		}
		if create {
			w.op(w.fixed.newVolumes)
			create = false
		}
		w.op(v.op)
	}
}

func (p *Pod) hasVolume(name string) bool {
	for i := range p.volumes {
		if string(p.volumes[i].name) == name {
			return true
		}
	}
	return false
}

func (t *situation) addMounts(w *writer) {
	create := !t.main.hasMounts
	for i := range t.role.mounts {
		m := &t.role.mounts[i]
		if t.mounted(m) {
			continue
		}
		if create {
			w.at(w.fixed.containers, t.main.index, w.fixed.newMounts)
			create = false
		}
		w.at(w.fixed.containers, t.main.index, m.op)
	}
}

// addContainers keeps native-first sidecars in the role's order in front: each
// goes behind the one before it, wherever that stands.
func (t *situation) addContainers(w *writer) {
	create := !t.pod.hasInits
	front, inserted := 0, 0
	for i, k := range t.role.colocated {
		where, sidecar := k.where(t.native)
		inFront := where == inInits && sidecar && k.first()
		if c := t.found[i]; c != nil {
			if inFront && c.place == inInits {
				front = max(front, c.index+inserted+1)
			}
			continue
		}
		if where == inContainers {
			w.at(w.fixed.containers, -1, k.ordinaryOp)
			continue
		}
		if create {
			w.op(w.fixed.newInits)
			create = false
		}
		op := k.ordinaryOp
		if sidecar {
			op = k.nativeOp
		}
		if !inFront {
			w.at(w.fixed.inits, -1, op)
			continue
		}
		w.at(w.fixed.inits, front, op)
		front++
		inserted++
	}
}

func (t *situation) addSecrets(w *writer) {
	create := !t.pod.hasSecrets
	for i := range t.role.secrets {
		s := &t.role.secrets[i]
		if t.pod.hasSecret(s.name) {
			continue
		}
		if create {
			w.op(w.fixed.newSecrets)
			create = false
		}
		w.op(s.op)
	}
}

func (p *Pod) hasSecret(name string) bool {
	for _, s := range p.secrets {
		if string(s) == name {
			return true
		}
	}
	return false
}

func (t *situation) addLabel(w *writer) {
	if string(t.pod.labels.injected.value) == InjectedValue {
		return
	}
	if !t.pod.hasLabels {
		w.op(w.fixed.newLabel)
	}
	w.op(w.fixed.label)
}

// addStatus writes what the pod has of us. What was kept from an earlier
// definition keeps its hash, so that it stays recognisable.
func (t *situation) addStatus(w *writer, added bool) {
	if !t.pod.annotations.defaultContainer.set && t.role.touchesMain() {
		w.text(w.fixed.defaultContainer, t.main.name)
	}
	if t.outdated {
		if added {
			full := t.role.statusOf(t.native, string(t.main.name))
			w.text(w.fixed.status, t.status.with(full).text())
		}
		return
	}
	text := &t.role.status[0]
	if t.native {
		text = &t.role.status[1]
	}
	at := len(w.out)
	w.next()
	w.out = append(w.out, w.fixed.status...)
	value := len(w.out)
	w.out = text.append(w.out, t.main.name, &t.pod.work.text)
	if a := t.pod.annotations.status; a.set {
		t.pod.work.text = AppendString(t.pod.work.text[:0], a.value)
		if bytes.Equal(t.pod.work.text, w.out[value:]) {
			w.out = w.out[:at]
			return
		}
	}
	w.out = append(w.out, '}')
}
