package rolemanifest

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// generate builds the container that run describes, without what nobody asked
// for. Its image comes later.
func (ro *role) generate(at *yaml.Node) *yaml.Node {
	u := &ro.run
	c := mapping(at, pair{"name", text(ro.name, at)})
	set(c, "ports", u.containerPorts())
	set(c, "env", u.containerEnv())
	set(c, "resources", u.resources(at))
	set(c, "volumeMounts", u.mounts())
	set(c, "readinessProbe", u.readiness.node())
	set(c, "livenessProbe", u.liveness.node())
	set(c, "securityContext", u.securityContext())
	return c
}

func (u *run) containerPorts() *yaml.Node {
	var items []*yaml.Node
	for _, p := range u.ports {
		for n := p.internal.first; n <= p.internal.last; n++ {
			var name *yaml.Node
			switch {
			case p.name != "" && p.numbered:
				name = text(fmt.Sprintf("%s-%d", p.name, n), p.nameNode)
			case p.name != "":
				name = text(p.name, p.nameNode)
			}
			items = append(items, mapping(p.node, pair{"name", name}, pair{"containerPort", integerNode(int64(n), p.node)}, pair{"protocol", text(p.protocol, p.node)}))
		}
	}
	return listOrNil(items)
}

func (u *run) containerEnv() *yaml.Node {
	var items []*yaml.Node
	for _, v := range u.env {
		items = append(items, mapping(v.name, pair{"name", v.name}, pair{"value", v.value}))
	}
	return listOrNil(items)
}

func (u *run) mounts() *yaml.Node {
	var items []*yaml.Node
	for _, v := range u.volumes {
		if v.kind != emptyDir {
			continue
		}
		m := mapping(v.node, pair{"name", text(v.tag, v.node)}, pair{"mountPath", text(v.path, v.node)})
		if v.readOnly {
			set(m, "readOnly", truth(v.node))
		}
		items = append(items, m)
	}
	return listOrNil(items)
}

// emptyDirs are the pod volumes of the tags, each once.
func (u *run) emptyDirs() []*yaml.Node {
	var items []*yaml.Node
	seen := map[string]bool{}
	for _, v := range u.volumes {
		if v.kind != emptyDir || seen[v.tag] {
			continue
		}
		seen[v.tag] = true
		source := mapping(v.node)
		if v.medium != "" {
			set(source, "medium", text(v.medium, v.node))
		}
		if v.sizeLimit != "" {
			set(source, "sizeLimit", text(v.sizeLimit, v.node))
		}
		items = append(items, mapping(v.node, pair{"name", text(v.tag, v.node)}, pair{"emptyDir", source}))
	}
	return items
}

func (u *run) resources(at *yaml.Node) *yaml.Node {
	amountNode := func(a *amount, format func(int64) string) *yaml.Node {
		if a == nil {
			return nil
		}
		return text(format(a.value), &yaml.Node{Line: a.at.line, Column: a.at.column})
	}
	n := mapping(at)
	for _, side := range []struct {
		name        string
		memory, cpu *amount
	}{{"limits", u.memory.limit, u.cpu.limit}, {"requests", u.memory.request, u.cpu.request}} {
		values := mapping(at, pair{"cpu", amountNode(side.cpu, cpuText)}, pair{"memory", amountNode(side.memory, memoryText)})
		if len(values.Content) > 0 {
			set(n, side.name, values)
		}
	}
	if len(n.Content) == 0 {
		return nil
	}
	return n
}

func (u *run) securityContext() *yaml.Node {
	var at *yaml.Node
	var pairs []pair
	if len(u.capabilities) > 0 {
		at = u.capabilities[0]
		pairs = append(pairs, pair{"capabilities", mapping(at, pair{"add", list(at, u.capabilities...)})})
	}
	if u.privileged != nil {
		at = u.privileged
		pairs = append(pairs, pair{"privileged", truth(at)})
	}
	if at == nil {
		return nil
	}
	return mapping(at, pairs...)
}

// node is the probe in Kubernetes' words, nil where there is none.
func (p *probe) node() *yaml.Node {
	if p == nil {
		return nil
	}
	return mapping(p.at, append([]pair{{p.handler, p.action}}, p.times...)...)
}

func listOrNil(items []*yaml.Node) *yaml.Node {
	if len(items) == 0 {
		return nil
	}
	return list(items[0], items...)
}
