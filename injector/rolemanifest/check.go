package rolemanifest

import (
	"fmt"
	"maps"
	"slices"
)

// check applies the rules to the roles that were read.
func (r *reader) check() {
	r.checkNames()
	r.checkReferences()
	for _, ro := range r.roles {
		if ro.colocated {
			r.checkColocated(ro)
		} else {
			r.checkMain(ro)
		}
	}
	for _, ro := range r.roles {
		if !ro.colocated {
			r.checkPod(ro)
		}
	}
	r.checkImageFlags()
}

// checkNames holds names against Kubernetes' rules and finds those that are there
// twice; the first of two is the one that references mean.
func (r *reader) checkNames() {
	r.byName = make(map[string]*role, len(r.roles))
	for _, ro := range r.roles {
		r.checkLabel(ro.name, "role", ro.at)
		if first, twice := r.byName[ro.name]; twice {
			if samePlace(first.at, ro.at) {
				r.add(ro.at, Error, CodeDuplicateRole, fmt.Sprintf("role %q is there again, through an alias or a merge key", ro.name), "give each its own name beside the merge key, or use the alias once")
				continue
			}
			r.add(ro.at, Error, CodeDuplicateRole, fmt.Sprintf("role %q is there again, first at %s", ro.name, first.at.position()), "rename one of the two")
			continue
		}
		r.byName[ro.name] = ro
	}
}

func samePlace(a, b place) bool { return a.line == b.line && a.column == b.column }

// checkImageFlags finds images that were given by hand for nobody.
func (r *reader) checkImageFlags() {
	var names []string
	for _, ro := range r.roles {
		if ro.colocated {
			names = append(names, ro.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.images.Explicit)) {
		ro := r.byName[name]
		if ro != nil && ro.colocated {
			continue
		}
		at, message := r.listAt, fmt.Sprintf("an image is given for role %q, which is not in the file", name)
		if ro != nil {
			at, message = ro.at, fmt.Sprintf("an image is given for role %q, which is a main role", name)
		}
		if at.line == 0 {
			at = place{line: 1, column: 1}
		}
		remedy := "name a colocated container"
		if n := near(name, names); n != "" {
			remedy = fmt.Sprintf("did you mean %q?", n)
		}
		r.add(at, Warning, CodeUnknownImageRole, message, remedy)
	}
}
