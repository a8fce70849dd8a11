package rolemanifest

import (
	"fmt"
	"strings"
)

// checkReferences looks at who lists whom: every entry must be another role, of
// type colocated-container, listed once, and lists nothing itself.
func (r *reader) checkReferences() {
	used := map[string]bool{}
	var names []string
	for _, ro := range r.roles {
		if ro.colocated {
			names = append(names, ro.name)
		}
	}
	for _, ro := range r.roles {
		r.checkList(ro, names, used)
	}
	for _, ro := range r.roles {
		if ro.colocated && !used[ro.name] && !r.listsFaulty {
			r.add(ro.at, Warning, CodeUnusedColocated, fmt.Sprintf("no role lists the colocated container %q", ro.name), "list it under colocated_containers of the roles that need it, or remove it")
		}
	}
}

func (r *reader) checkList(ro *role, names []string, used map[string]bool) {
	var kept []reference
	first := make(map[string]place, len(ro.lists))
	for _, ref := range ro.lists {
		if at, twice := first[ref.name]; twice {
			r.add(ref.at, Error, CodeDuplicateReference, fmt.Sprintf("role %q lists %q again, first at %s", ro.name, ref.name, at.position()), "keep one of the two")
			continue
		}
		first[ref.name] = ref.at
		kept = append(kept, ref)
		other := r.byName[ref.name]
		switch {
		case ref.name == ro.name:
			r.add(ref.at, Error, CodeSelfReference, fmt.Sprintf("role %q lists itself", ro.name), "take it off its own list")
		case other == nil:
			remedy := "add the role, or take the name off the list"
			if n := r.nearRole(ref.name, names); n != "" {
				remedy = fmt.Sprintf("did you mean %q?", n)
				used[n] = true // one fault, told once
			}
			r.add(ref.at, Error, CodeUnknownColocated, fmt.Sprintf("role %q lists %q, and there is no such role", ro.name, ref.name), remedy)
		case ro.colocated:
			used[ref.name] = true
			r.nested(ro, ref)
		case !other.colocated:
			r.add(ref.at, Error, CodeNotColocated, fmt.Sprintf("role %q lists %q, which at %s is a main role", ro.name, ref.name, other.at.position()), fmt.Sprintf(`give %q the type "colocated-container", or take it off the list`, ref.name))
		default:
			used[ref.name] = true
			if ro.task {
				r.taskSidecar(ro, ref, other)
			}
		}
	}
	ro.lists = kept
}

// nested reports a colocated container that lists others, as a circle where they
// lead back to it.
func (r *reader) nested(ro *role, ref reference) {
	if r.circles++; r.circles > maxCircles {
		// Reported as nested: looking for every circle would take minutes.
	} else if way := r.wayBack(ro, ref.name); way != nil {
		r.add(ref.at, Error, CodeColocationCycle, fmt.Sprintf("colocated containers list each other in a circle: %s", strings.Join(way, " → ")), "list them on the main role")
		return
	}
	r.add(ref.at, Error, CodeNestedColocation, fmt.Sprintf("role %q is a colocated container and lists %q: there is one level only", ro.name, ref.name), fmt.Sprintf("list %q on the main role", ref.name))
}

// longestCircle bounds the circles that are written out; longer ones are reported
// as nested.
const longestCircle = 50

// maxCircles bounds how often circles are looked for, so that a large file in
// which colocated containers list each other is still read in seconds.
const maxCircles = 100

// wayBack is the way from ro over the named role back to ro, nil where there is none.
func (r *reader) wayBack(ro *role, name string) []string {
	visited := map[string]bool{}
	var walk func(name string, way []string) []string
	walk = func(name string, way []string) []string {
		way = append(way, name)
		if name == ro.name {
			return way
		}
		next := r.byName[name]
		if next == nil || visited[name] || len(way) > longestCircle {
			return nil
		}
		visited[name] = true
		for _, ref := range next.lists {
			if found := walk(ref.name, way); found != nil {
				return found
			}
		}
		return nil
	}
	return walk(name, []string{ro.name})
}

// taskSidecar says what happens to a colocated container of a task.
func (r *reader) taskSidecar(ro *role, ref reference, other *role) {
	if other.placement.text() == "container" {
		r.add(ref.at, Warning, CodeTaskSidecar,
			fmt.Sprintf("role %q is a task, and %q is placed as an ordinary container at %s: the task's pod would not end before it does", ro.name, ref.name, other.placement.at().position()),
			"use placement auto, native-first or native-last")
		return
	}
	if p := other.placement.text(); p == "" || p == "auto" {
		r.add(ref.at, Note, CodeTaskSidecar, fmt.Sprintf("role %q is a task: %q becomes a native sidecar, so that the task can end", ro.name, ref.name), "")
	}
}

// maxNear bounds how many unknown names are compared with all roles, so that a
// large file that is wrong throughout is still read in seconds.
const maxNear = 100

func (r *reader) nearRole(name string, names []string) string {
	if r.compared++; r.compared > maxNear {
		return ""
	}
	return near(name, names)
}
