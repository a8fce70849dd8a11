package injector

import "fmt"

// The containers of a pod share one network name space, so a port and protocol
// can be used by one of them. Plain init containers have ended by then and do
// not count. Two ports of one name are allowed by Kubernetes, but a Service that
// targets the name gets the first, so that is a warning.
func rulePorts(t *situation) verdict {
	for i, k := range t.role.colocated {
		if !k.runsBeside() {
			continue
		}
		for j := range k.ports {
			if v := t.portClash(k, t.found[i], &k.ports[j]); v.decided {
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
		for _, p := range t.pod.portsOf(c) {
			protocol := protocolOf(string(p.protocol))
			switch {
			case collide(p.number, ours.number, protocol, ours.protocol):
				return refuse(ReasonPortClash, fmt.Sprintf("role %q: container %q of this pod uses port %d/%s, which colocated container %q needs. Change one of the two; containers of one pod share their ports.", t.role.name, clip(c.name), p.number, protocol, k.name))
			case p.host != 0 && collideHost(port{protocol: protocol, hostIP: string(p.hostIP), host: p.host}, *ours):
				return refuse(ReasonPortClash, fmt.Sprintf("role %q: container %q of this pod uses host port %d/%s, which colocated container %q needs. Change one of the two.", t.role.name, clip(c.name), p.host, protocol, k.name))
			case ours.name != "" && string(p.name) == ours.name:
				t.warn(fmt.Sprintf("colocate: role %q: port name %q is used by container %q and by colocated container %q; a Service that targets the name gets the first", t.role.name, ours.name, clip(c.name), k.name))
			}
		}
	}
	return pass
}
