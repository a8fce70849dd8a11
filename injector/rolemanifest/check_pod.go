package rolemanifest

import (
	"fmt"
	"path"
	"slices"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/internal/yamldoc"
)

// checkMain looks at a main role by itself: of its volumes only the emptyDirs
// are ours.
func (r *reader) checkMain(ro *role) {
	r.ownTags(ro)
	first := map[string]volume{}
	for _, v := range ro.run.volumes {
		if v.path == "" {
			continue
		}
		place := path.Clean(v.path)
		w, twice := first[place]
		if !twice {
			first[place] = v
		} else if v.kind == emptyDir || w.kind == emptyDir {
			r.add(v.at, Error, CodeMountClash, fmt.Sprintf("role %q mounts tag %q at %q, where it mounts %q too, see %s", ro.name, v.tag, v.path, w.tag, w.at.position()), "change one of the paths")
		}
	}
}

// members are the colocated containers of a main role that could be built.
func (r *reader) members(ro *role) (members []*role) {
	for _, ref := range ro.lists {
		if other := r.byName[ref.name]; other != nil && other != ro && other.spec != nil {
			members = append(members, other)
		}
	}
	return members
}

// checkPod looks at what a main role and its colocated containers come to
// together.
func (r *reader) checkPod(main *role) {
	members := r.members(main)
	if len(members) == 0 {
		return
	}
	declared := r.podUnion(main, members)
	for _, m := range members {
		r.checkMounts(main, m, declared)
	}
	r.checkShares(main, members)
	r.checkPorts(main, members)
}

// declaredVolume is a volume of the pod, and the first who brings it.
type declaredVolume struct {
	owner *role
	node  *yaml.Node
}

// podUnion collects the volumes by name; one name must mean one volume.
func (r *reader) podUnion(main *role, members []*role) map[string]declaredVolume {
	all := map[string]declaredVolume{}
	for _, ro := range append([]*role{main}, members...) {
		for _, v := range ro.volumeNodes() {
			name := yamldoc.Lookup(v, "name").Value
			first, known := all[name]
			switch {
			case !known:
				all[name] = declaredVolume{ro, v}
			case first.owner != ro && !sameJSON(first.node, v):
				r.add(placeOf(v, ro.path), Error, CodeVolumeClash,
					fmt.Sprintf("volume %q of %q differs from that of %q at %d:%d, and both are in one pod", name, ro.name, first.owner.name, first.node.Line, first.node.Column),
					"make medium and size limit equal, or rename one of the two")
			}
		}
	}
	return all
}

func (ro *role) volumeNodes() []*yaml.Node {
	if !ro.colocated {
		return ro.run.emptyDirs()
	}
	if list := yamldoc.Lookup(ro.spec.root, "volumes"); list != nil {
		return list.Content
	}
	return nil
}

// mountNodes are the mounts of a colocated container.
func (ro *role) mountNodes() []*yaml.Node {
	if list := yamldoc.Lookup(ro.spec.root, "container", "volumeMounts"); list != nil {
		return list.Content
	}
	return nil
}

// checkMounts finds mounts of what the main role keeps, and of what nobody has.
func (r *reader) checkMounts(main, m *role, declared map[string]declaredVolume) {
	for _, mount := range m.mountNodes() {
		name := yamldoc.Lookup(mount, "name")
		if name == nil {
			continue
		}
		at := placeOf(name, m.path)
		kept := slices.IndexFunc(main.run.volumes, func(v volume) bool { return v.tag == name.Value && v.kind != emptyDir })
		if kept >= 0 {
			v := main.run.volumes[kept]
			r.add(at, Error, CodePersistentState, fmt.Sprintf("role %q mounts %q, which the main role %q declares as %s at %s; %s", m.name, name.Value, main.name, v.kind, v.at.position(), noState), noStateHelp)
			continue
		}
		if _, known := declared[name.Value]; !known {
			r.add(at, Error, CodeUndeclaredVolume, fmt.Sprintf("role %q mounts %q, which neither it nor the main role %q defines", m.name, name.Value, main.name), "add it under volumes, or correct the name")
		}
	}
}

// checkShares compares the paths at which a tag is mounted, and finds tags of the
// main role that nobody shares.
func (r *reader) checkShares(main *role, members []*role) {
	first := map[string]volume{}
	shared := map[string]bool{}
	for _, v := range main.run.volumes {
		if _, known := first[v.tag]; v.kind == emptyDir && !known {
			first[v.tag] = v
		}
	}
	for _, m := range members {
		for _, mount := range m.mountNodes() {
			shared[textOf(yamldoc.Lookup(mount, "name"))] = true
		}
		for _, v := range m.run.volumes {
			if w, known := first[v.tag]; v.kind != emptyDir {
				continue
			} else if !known {
				first[v.tag] = v
			} else if v.path != w.path {
				r.add(v.at, Warning, CodeTwoPaths, fmt.Sprintf("tag %q is mounted at %q here and at %q at %s", v.tag, v.path, w.path, w.at.position()), "use one path, if the containers expect the same")
			}
		}
	}
	for _, v := range main.run.volumes {
		if v.kind == emptyDir && v.tag != "" && !shared[v.tag] {
			r.add(v.at, Warning, CodeUnshared, fmt.Sprintf("no colocated container of role %q mounts its emptyDir %q", main.name, v.tag), "mount it in a colocated container, or remove it")
		}
	}
}

// usedPort is one port, or a range of a main role, and who has it.
type usedPort struct {
	owner    *role
	ports    span
	protocol string
	at       place
}

// checkPorts finds ports that two containers of the pod would listen on: the
// internal ones, for a pod has one address. External ports only meet where
// someone makes one Service of them.
func (r *reader) checkPorts(main *role, members []*role) {
	var used []usedPort
	names := map[string]usedPort{}
	for _, p := range main.run.ports {
		used = append(used, usedPort{main, p.internal, p.protocol, p.at})
		if p.name != "" && !p.numbered {
			names[p.name] = usedPort{owner: main, at: p.nameAt}
		}
	}
	taken := map[string]usedPort{}
	for _, m := range members {
		if m.spec.typed.Placement == injector.PlacementInit {
			continue
		}
		for i, p := range m.spec.typed.Container.Ports {
			_, node, _ := yamldoc.Find(m.spec.root, fmt.Sprintf("container.ports[%d]", i))
			number := int(p.ContainerPort)
			u := usedPort{m, span{number, number}, string(p.Protocol), placeOf(node, m.path)}
			if u.protocol == "" {
				u.protocol = "TCP"
			}
			r.portClash(u, used, taken)
			if other, known := names[p.Name]; known && p.Name != "" && other.owner != m {
				r.add(u.at, Warning, CodePortName, fmt.Sprintf("port name %q of %q is also that of %q at %s: a Service that names it finds the first", p.Name, m.name, other.owner.name, other.at.position()), "rename one of the two")
			} else if p.Name != "" {
				names[p.Name] = u
			}
		}
	}
	r.externalPorts(append([]*role{main}, members...))
}

func (r *reader) portClash(u usedPort, used []usedPort, taken map[string]usedPort) {
	key := u.protocol + " " + u.ports.String()
	other, clash := taken[key]
	taken[key] = u
	if clash = clash && other.owner != u.owner; !clash {
		i := slices.IndexFunc(used, func(m usedPort) bool {
			_, overlap := m.ports.overlap(u.ports)
			return overlap && m.protocol == u.protocol
		})
		if i < 0 {
			return
		}
		other = used[i]
	}
	r.add(u.at, Error, CodePortClash, fmt.Sprintf("port %s/%s of %q is also that of %q at %s, and containers of one pod share their ports", u.ports, u.protocol, u.owner.name, other.owner.name, other.at.position()), "change one of the ports")
}

func (r *reader) externalPorts(roles []*role) {
	var seen []usedPort
	for _, ro := range roles {
		for _, p := range ro.run.ports {
			u := usedPort{ro, p.external, p.protocol, p.at}
			for _, s := range seen {
				if both, overlap := s.ports.overlap(u.ports); overlap && s.protocol == u.protocol {
					r.add(u.at, Warning, CodeExternalPort, fmt.Sprintf("external port %s/%s of %q is also that of %q at %s", both, u.protocol, ro.name, s.owner.name, s.at.position()), "change one of the external ports")
					break
				}
			}
			seen = append(seen, u)
		}
	}
}
