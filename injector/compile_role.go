package injector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
)

// role checks and compiles one main role. With a fault the role is kept as a
// rejected one.
func (c *compiler) role(d *Definition) {
	if old := c.unchanged(d); old != nil {
		c.out.roles[d.Name] = old
		return
	}
	r := &role{name: d.Name}
	c.out.roles[d.Name] = r
	reported := len(c.faults)
	if d.Unreadable != "" {
		r.rejected = c.fault(d, ReasonUnreadableDefinition, "definition %q cannot be read: %s", d.Name, d.Unreadable)
		return
	}
	if d.Role == nil {
		r.rejected = c.fault(d, ReasonInvalidDefinition, "definition %q is neither a role nor a colocated container.", d.Name)
		return
	}
	parts := c.members(d, r)
	own, err := ownOf(d)
	if err == nil && r.rejected == nil {
		r.rejected = c.checkRole(d, own, parts)
	}
	if err == nil && r.rejected == nil {
		compileRole(d, r, own, parts)
	}
	if err != nil && r.rejected == nil {
		r.rejected = c.fault(d, ReasonInvalidDefinition, "role %q: %v", d.Name, err)
	}
	switch {
	case r.rejected != nil:
		*r = role{name: d.Name, rejected: r.rejected}
	case len(c.faults) == reported:
		r.from = d.Role
	}
}

// unchanged is the role of that very definition and of the same colocated
// containers, nil where anything is different or was not as it should be.
func (c *compiler) unchanged(d *Definition) *role {
	if c.before == nil || d.Role == nil {
		return nil
	}
	r := c.before.roles[d.Name]
	if r == nil || r.from != d.Role {
		return nil
	}
	for _, k := range r.colocated {
		if p := c.parts[k.name]; p == nil || p.fault != nil || p.ready != k {
			return nil
		}
	}
	return r
}

// members looks the role's colocated containers up; it rejects r where one
// cannot be used.
func (c *compiler) members(d *Definition, r *role) (parts []*part) {
	seen := map[string]bool{}
	reject := func(f *Fault) {
		if r.rejected == nil {
			r.rejected = f
		}
	}
	for _, name := range d.Role.Colocated {
		if seen[name] {
			reject(c.fault(d, ReasonInvalidDefinition, "role %q lists colocated container %q twice. List it once.", d.Name, name))
			continue
		}
		seen[name] = true
		if p := c.parts[name]; p != nil {
			if p.fault != nil {
				reject(&Fault{Origin: p.fault.Origin, Name: d.Name, Reason: p.fault.Reason, Message: fmt.Sprintf("role %q: %s", d.Name, p.fault.Message)})
				continue
			}
			parts = append(parts, p)
			r.colocated = append(r.colocated, p.ready)
			continue
		}
		reject(c.notColocated(d, name))
	}
	return parts
}

func (c *compiler) notColocated(d *Definition, name string) *Fault {
	switch other := c.roles[name]; {
	case other == nil:
		var names []string
		for n := range c.parts {
			names = append(names, n)
		}
		return c.fault(d, ReasonUnknownColocated, "role %q lists colocated container %q, which no definition describes%s Apply its definition, or take the name off the list.", d.Name, name, orStop(didYouMean(name, names)))
	case other.Unreadable != "":
		return &Fault{Origin: other.Origin, Name: d.Name, Reason: ReasonUnreadableDefinition, Message: fmt.Sprintf("role %q: the definition of colocated container %q cannot be read: %s", d.Name, name, other.Unreadable)}
	case other == d:
		return c.fault(d, ReasonInvalidDefinition, "role %q lists itself as a colocated container. Take it off the list.", d.Name)
	}
	return c.fault(d, ReasonInvalidDefinition, "role %q lists %q as a colocated container, but that is a main role. Make it a colocated container, or take it off the list.", d.Name, name)
}

func orStop(s string) string {
	if s == "" {
		return "."
	}
	return s
}

// checkRole looks at what the role and its colocated containers have together.
func (c *compiler) checkRole(d *Definition, own *ownParts, parts []*part) *Fault {
	var first *Fault
	for _, f := range checkOwn(d) {
		c.report(d, f)
		if first == nil && !f.Warning {
			first = &f
		}
	}
	if first != nil {
		return first
	}
	volumes, f := c.unite(d, own, parts)
	if f != nil {
		return f
	}
	for _, m := range d.Role.VolumeMounts {
		if volumes[m.Name] == nil {
			return c.fault(d, ReasonUndeclaredVolume, "role %q mounts %q at %q, but neither the role nor its colocated containers define that volume. Add the volume to the definition.", d.Name, m.Name, m.MountPath)
		}
	}
	for _, p := range parts {
		for _, m := range p.ready.mounts {
			if volumes[m.volume] == nil {
				return c.fault(d, ReasonUndeclaredVolume, "role %q: colocated container %q mounts %q at %q, but neither the role nor its colocated containers define that volume. Add the volume to the definition.", d.Name, p.def.Name, m.volume, m.path)
			}
		}
	}
	return c.checkPorts(d, parts)
}

// unite collects the volumes of the role and its colocated containers by name;
// one name must mean one volume.
func (c *compiler) unite(d *Definition, own *ownParts, parts []*part) (map[string]*volume, *Fault) {
	all := map[string]*volume{}
	owners := map[string]string{}
	add := func(owner string, list []volume) *Fault {
		for i := range list {
			v := &list[i]
			first := all[v.name]
			if first == nil {
				all[v.name], owners[v.name] = v, owner
				continue
			}
			if !bytes.Equal(first.raw, v.raw) && !(sameVolume(first.raw, v.raw) && sameVolume(v.raw, first.raw)) {
				return c.fault(d, ReasonVolumeClash, "role %q: volume %q of %s is %s, but that of %s is %s. Make both the same, or rename one of the two.", d.Name, v.name, owners[v.name], first.raw, owner, v.raw)
			}
		}
		return nil
	}
	if f := add("the role itself", own.volumes); f != nil {
		return nil, f
	}
	for _, p := range parts {
		if f := add(fmt.Sprintf("colocated container %q", p.def.Name), p.volumes); f != nil {
			return nil, f
		}
	}
	return all, nil
}

// ownParts are a role's own volumes and mounts, ready for pods.
type ownParts struct {
	volumes []volume
	mounts  []mount
}

func ownOf(d *Definition) (*ownParts, error) {
	var raw stored
	if err := json.Unmarshal(d.JSON, &raw); err != nil {
		return nil, err
	}
	if len(raw.Spec.Volumes) != len(d.Role.Volumes) || len(raw.Spec.VolumeMounts) != len(d.Role.VolumeMounts) {
		return nil, fmt.Errorf("stored JSON and decoded form differ")
	}
	volumes, err := compileVolumes(d.Role.Volumes, raw.Spec.Volumes)
	if err != nil {
		return nil, err
	}
	own := &ownParts{volumes: volumes}
	for i, m := range d.Role.VolumeMounts {
		op, err := indexedOp(containersPath, mountsPath, raw.Spec.VolumeMounts[i])
		if err != nil {
			return nil, err
		}
		own.mounts = append(own.mounts, mount{mountRef{m.Name, m.MountPath}, path.Clean(m.MountPath), valueOf(op), op})
	}
	return own, nil
}

// checkPorts finds one port that two colocated containers use at a time. What is
// used is looked up by number and protocol, for a port range may be long.
func (c *compiler) checkPorts(d *Definition, parts []*part) *Fault {
	type number struct {
		port     int32
		protocol string
	}
	type user struct {
		name string
		port port
	}
	used, usedHost := map[number]string{}, map[number][]user{}
	for _, p := range parts {
		if p.ready.placement == PlacementInit {
			continue
		}
		for _, x := range p.ready.ports {
			at := number{x.number, x.protocol}
			if other, taken := used[at]; taken && other != p.def.Name && x.number != 0 {
				return c.fault(d, ReasonPortClash, "role %q: colocated containers %q and %q both use port %d/%s. Change the port of one of the two.", d.Name, other, p.def.Name, x.number, x.protocol)
			}
			used[at] = p.def.Name
			host := number{x.host, x.protocol}
			for _, u := range usedHost[host] {
				if u.name != p.def.Name && collideHost(u.port, x) {
					return c.fault(d, ReasonPortClash, "role %q: colocated containers %q and %q both use host port %d/%s. Change the host port of one of the two.", d.Name, u.name, p.def.Name, x.host, x.protocol)
				}
			}
			if x.host != 0 {
				usedHost[host] = append(usedHost[host], user{p.def.Name, x})
			}
		}
	}
	return nil
}

func collideHost(a, b port) bool {
	return a.host != 0 && a.host == b.host && a.protocol == b.protocol &&
		collideAddress(a.hostIP, b.hostIP)
}

func collideAddress(a, b string) bool { return anyAddress(a) || anyAddress(b) || a == b }

func anyAddress(ip string) bool { return ip == "" || ip == "0.0.0.0" || ip == "::" }

// compileRole makes a checked role ready for pods.
func compileRole(d *Definition, r *role, own *ownParts, parts []*part) {
	r.hash = hash(d, parts)
	r.addVolumes(own.volumes)
	for _, p := range parts {
		r.addVolumes(p.volumes)
		for _, s := range p.secrets {
			r.addSecret(s)
		}
	}
	r.mounts = own.mounts
	r.status[0] = compileStatus(r, false)
	r.status[1] = r.status[0]
	if slices.ContainsFunc(r.colocated, func(k *colocated) bool { return k.placement == PlacementAuto }) {
		r.status[1] = compileStatus(r, true)
	}
}

func (r *role) addVolumes(list []volume) {
	for _, v := range list {
		known := false
		for _, have := range r.volumes {
			known = known || have.name == v.name
		}
		if !known {
			r.volumes = append(r.volumes, v)
		}
	}
}

func (r *role) addSecret(s secret) {
	for _, have := range r.secrets {
		if have.name == s.name {
			return
		}
	}
	r.secrets = append(r.secrets, s)
}
