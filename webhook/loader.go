package webhook

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"colocate.dev/colocate/injector"
)

// loader turns ConfigMaps into the snapshot in force. It calls nobody.
type loader struct {
	store   *Store
	metrics *Metrics
	log     *slog.Logger
	now     func() time.Time

	mu       sync.Mutex // guards what follows
	decoder  decoder
	forms    map[string]injector.Definition
	problems []problem
	// hindrance is why nothing can be served; nil once definitions were loaded.
	hindrance error
}

var errNotRead = errors.New("the definitions ConfigMaps have not been read yet")

func newLoader(store *Store, metrics *Metrics, log *slog.Logger) *loader {
	return &loader{store: store, metrics: metrics, log: log, now: time.Now, hindrance: errNotRead}
}

// ready is nil once definitions were loaded, or it is known that there are none.
// It stays nil: what becomes unusable later is refused with its reason, which
// says more than a server that nobody can reach.
func (l *loader) ready() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hindrance
}

// serve puts a fixed snapshot in force.
func (l *loader) serve(snapshot *injector.Snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hindrance = nil
	l.metrics.loaded(nil, snapshot, true, l.now())
	l.store.Swap(snapshot)
}

// loading is what a load came to.
type loading struct {
	documents, roles, usable int
	problems                 []problem
	// kept is true where nothing was there and the snapshot stayed as it was.
	kept bool
}

// load puts in force what the ConfigMaps say, as a whole.
func (l *loader) load(configMaps []*corev1.ConfigMap) loading {
	l.mu.Lock()
	defer l.mu.Unlock()
	configMaps = slices.Clone(configMaps)
	slices.SortFunc(configMaps, func(a, b *corev1.ConfigMap) int { return cmp.Compare(a.Name, b.Name) })

	before := l.store.Snapshot()
	s := settle(l.forms, l.decoder.decode(configMaps))
	out := loading{documents: len(s.defs), problems: s.problems}
	if len(s.defs) == 0 && len(l.forms) > 0 {
		// Somebody removed the last definition: by mistake, more often than not.
		out.kept = true
		out.roles, out.usable = before.Size()
		l.problems = out.problems
		l.metrics.loaded(before, before, false, l.now())
		return out
	}
	snapshot, faults := before.Recompile(s.defs)
	out.problems = append(out.problems, compiled(s.defs, faults)...)
	out.roles, out.usable = snapshot.Size()
	l.forms, l.problems = s.forms, out.problems
	if l.hindrance != nil {
		l.hindrance = hindrance(s.defs, out)
	}
	l.metrics.loaded(before, snapshot, !broken(out.problems), l.now())
	l.store.Swap(snapshot)
	return out
}

// compiled are the problems that Compile found. What could not be read has been
// reported by the decoder.
func compiled(defs []injector.Definition, faults []injector.Fault) (out []problem) {
	unreadable := map[string]bool{}
	for i := range defs {
		unreadable[defs[i].Name] = defs[i].Unreadable != ""
	}
	for _, f := range faults {
		if unreadable[f.Name] {
			continue
		}
		p := problem{Fault: f}
		if !f.Warning {
			p.Consequence = refused(f.Name)
		}
		out = append(out, p)
	}
	return out
}

func broken(problems []problem) bool {
	return slices.ContainsFunc(problems, func(p problem) bool { return !p.Warning })
}

// hindrance is nil where at least one definition can be used, or none is there.
func hindrance(defs []injector.Definition, l loading) error {
	faulty := map[string]bool{}
	first := ""
	for _, p := range l.problems {
		if !p.Warning {
			faulty[p.Name] = true
			first = cmp.Or(first, p.Error())
		}
	}
	if first == "" || l.usable > 0 {
		return nil
	}
	if slices.ContainsFunc(defs, func(d injector.Definition) bool { return d.Colocated != nil && !faulty[d.Name] }) {
		return nil
	}
	return fmt.Errorf("none of %d documents can be used: %s", max(l.documents, 1), first)
}

// others are the forms in force that do not come from that source, and the
// problems that are known.
func (l *loader) others(source string) (defs []injector.Definition, known []problem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.forms {
		if d.Origin.Source != source {
			defs = append(defs, d)
		}
	}
	slices.SortFunc(defs, func(a, b injector.Definition) int { return cmp.Compare(a.Name, b.Name) })
	return defs, slices.Clone(l.problems)
}

// preview reads a version of a ConfigMap that is not in force; what it has in
// common with the one that was loaded is not decoded again.
func (l *loader) preview(cm *corev1.ConfigMap) (defs []injector.Definition, faults []injector.Fault) {
	l.mu.Lock()
	loaded := l.decoder.known[cm.Name]
	l.mu.Unlock()
	for _, doc := range loaded.next(cm).documents {
		defs = append(defs, doc.defs...)
		faults = append(faults, doc.faults...)
	}
	return defs, faults
}
