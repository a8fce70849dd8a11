package injector

import "fmt"

// The containers of a pod share one network name space, so a port and protocol
// can be used by one of them. Plain init containers have ended by then and do
// not count. Two ports of one name are allowed by Kubernetes, but a Service that
// targets the name gets the first, so that is a warning. A container of ours that
// is in the pod already is judged by the ports that it has there.
func rulePorts(t *situation) verdict {
	for i, k := range t.role.colocated {
		if !k.runsBeside() {
			continue
		}
		if c := t.found[i]; c != nil {
			for _, p := range t.pod.portsOf(c) {
				ours := port{string(p.name), protocolOf(string(p.protocol)), string(p.hostIP), p.number, p.host}
				if v := t.portClash(k, c, &ours); v.decided {
					return v
				}
			}
			continue
		}
		for j := range k.ports {
			if v := t.portClash(k, nil, &k.ports[j]); v.decided {
				return v
			}
		}
	}
	return pass
}

func (t *situation) portClash(k *colocated, self *podContainer, ours *port) verdict {
	for i := range t.pod.containers {
		c := &t.pod.containers[i]
		if c == self || c.place == inEphemeral || c.place == inInits && string(c.restart) != "Always" {
			continue
		}
		for j := range t.pod.portsOf(c) {
			p := &t.pod.portsOf(c)[j]
			switch {
			case p.number == ours.number && p.number != 0 && sameProtocol(p, ours):
				return refuse(ReasonPortClash, fmt.Sprintf("role %q: container %q of this pod uses port %d/%s, which colocated container %q needs. Change one of the two; containers of one pod share their ports.", t.role.name, clip(c.name), p.number, ours.protocol, k.name))
			case p.host != 0 && p.host == ours.host && sameProtocol(p, ours) && collideAddress(string(p.hostIP), ours.hostIP):
				return refuse(ReasonPortClash, fmt.Sprintf("role %q: container %q of this pod uses host port %d/%s, which colocated container %q needs. Change one of the two.", t.role.name, clip(c.name), p.host, ours.protocol, k.name))
			case self == nil && ours.name != "" && string(p.name) == ours.name:
				t.warn(fmt.Sprintf("colocate: role %q: port name %q is used by container %q and by colocated container %q; a Service that targets the name gets the first", t.role.name, ours.name, clip(c.name), k.name))
			}
		}
	}
	return pass
}

func sameProtocol(p *podPort, ours *port) bool {
	return string(p.protocol) == ours.protocol || len(p.protocol) == 0 && ours.protocol == protocolOf("")
}
