package rolemanifest

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
	"colocate.dev/colocate/injector/internal/yamldoc"
)

// definitions are the roles as they are stored. The core's own judgement comes
// last, so that what is returned always loads: should it find what the rules here
// have missed, that is an error like any other.
func (r *reader) definitions() []injector.Definition {
	defs := make([]injector.Definition, 0, len(r.roles))
	for _, ro := range r.roles {
		kind, root := injector.KindColocated, (*yaml.Node)(nil)
		if ro.colocated {
			root = ro.spec.root
		} else {
			kind, root = injector.KindRole, ro.mainSpec()
		}
		if d, ok := r.definition(ro, kind, root); ok {
			defs = append(defs, d)
		}
	}
	if r.failed {
		return nil
	}
	_, faults := injector.Compile(defs)
	for _, f := range faults {
		at := place{max(f.Origin.Line, 1), max(f.Origin.Column, 1), ""}
		if ro := r.byName[f.Name]; ro != nil {
			at = ro.at
		}
		s := Error
		if f.Warning {
			s = Warning
		}
		r.add(at, s, CodeInvalidContainer, f.Message, "")
	}
	return defs
}

func (r *reader) definition(ro *role, kind string, root *yaml.Node) (injector.Definition, bool) {
	raw, err := yamldoc.JSON(root)
	if err == nil {
		var d injector.Definition
		d, err = definition.FromJSON(ro.name, kind, raw, injector.Origin{Source: r.file, Line: ro.at.line, Column: ro.at.column})
		if err == nil {
			return d, true
		}
	}
	r.add(ro.at, Error, CodeInvalidContainer, fmt.Sprintf("role %q: %v", ro.name, err), "")
	return injector.Definition{}, false
}

// mainSpec is what the pods of a main role get besides containers: its emptyDirs
// and where it mounts them. Its other volumes are its own business.
func (ro *role) mainSpec() *yaml.Node {
	at := &yaml.Node{Line: ro.at.line, Column: ro.at.column}
	n := mapping(at)
	var names []*yaml.Node
	for _, ref := range ro.lists {
		names = append(names, text(ref.name, at))
	}
	set(n, "colocated", listOrNil(names))
	set(n, "volumeMounts", ro.run.mounts())
	set(n, "volumes", listOrNil(ro.run.emptyDirs()))
	return n
}
