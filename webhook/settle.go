package webhook

import (
	"fmt"
	"maps"
	"slices"

	"colocate.dev/colocate/injector"
)

// problem is a fault of a document, and what follows from it.
type problem struct {
	injector.Fault
	// Consequence is a clause for people; "" for a warning.
	Consequence string
}

// String is the fault with its position, and the consequence.
func (p problem) String() string {
	if p.Consequence == "" {
		return p.Error()
	}
	return p.Error() + " (" + p.Consequence + ")"
}

// settled is which form of each definition is to be in force.
type settled struct {
	// defs is in the order of names.
	defs []injector.Definition
	// forms are the last readable form of each name that is still there.
	forms    map[string]injector.Definition
	problems []problem
}

// settle chooses the form of each definition:
//
//   - a document that can be read is taken, also where it breaks a rule: what its
//     author asked for is then refused when it is compiled;
//   - one that cannot be read leaves the name at the form that was read before;
//     where there is none, it is a definition that refuses;
//   - a name that stands in several documents is treated the same way, for
//     nobody can say which one is meant;
//   - a name that is not there any more is gone.
//
// It is pure: before is not changed.
func settle(before map[string]injector.Definition, docs []document) settled {
	s := settled{forms: map[string]injector.Definition{}}
	byName := map[string][]*injector.Definition{}
	for i := range docs {
		for j := range docs[i].defs {
			d := &docs[i].defs[j]
			byName[d.Name] = append(byName[d.Name], d)
		}
	}
	keeps := func(name string) bool { _, ok := before[name]; return ok }
	for i := range docs {
		for _, f := range docs[i].faults {
			s.problems = append(s.problems, problem{f, consequence(&f, keeps(f.Name))})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		same := byName[name]
		d := *same[0]
		if len(same) > 1 {
			f := duplicate(same)
			s.problems = append(s.problems, problem{f, consequence(&f, keeps(name))})
			d = injector.Definition{Name: name, Origin: f.Origin, Unreadable: f.Message}
		}
		if d.Unreadable != "" {
			if form, ok := before[name]; ok {
				d = form
			}
		}
		if d.Unreadable == "" {
			s.forms[name] = d
		}
		s.defs = append(s.defs, d)
	}
	return s
}

// duplicate is the fault of a name that stands in several documents. It is
// reported where the second one stands, and names all.
func duplicate(same []*injector.Definition) injector.Fault {
	places := ""
	for i, d := range same {
		if i > 0 {
			places += " and in "
		}
		places += d.Origin.String()
	}
	return injector.Fault{
		Origin: same[1].Origin, Name: same[0].Name, Reason: injector.ReasonDuplicateDefinition,
		Message: fmt.Sprintf("definition %q stands in %s: remove all but one", same[0].Name, places),
	}
}

// consequence says what follows from a fault for which nothing is compiled.
func consequence(f *injector.Fault, kept bool) string {
	switch {
	case f.Warning:
		return ""
	case f.Name == "":
		return "the key is passed over"
	case kept:
		return fmt.Sprintf("%q stays as it was read before", f.Name)
	}
	return refused(f.Name)
}

func refused(name string) string { return fmt.Sprintf("pods that need %q are refused", name) }
