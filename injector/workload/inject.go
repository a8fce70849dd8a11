package workload

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector"
)

// Planner decides about one pod; usually it is a snapshot's Plan with
// [injector.Creation]. It is called from several goroutines at once.
type Planner func(pod *injector.Pod) injector.Decision

// Options are how a stream is injected into.
type Options struct {
	// Plan is required.
	Plan Planner
	// Report, where it is not nil, is called once for every object with a pod,
	// and once for every document that cannot be read, in their order, from the
	// goroutine that called Inject.
	Report func(Result)
	// Workers is how many documents are worked on at once; 0 means one a CPU.
	Workers int
}

// Result is what became of one object. Where a whole document could not be
// read, Err is set and Object has only Source, Document and Line.
type Result struct {
	Object
	// Decision is the plan's answer; its patch must not be used any more.
	Decision injector.Decision
	// Added are the paths of the additions, from the object's root.
	Added []string
	// Err is why the object, or its document, is left out although the plan did
	// not refuse it; it is of type *Error.
	Err error
}

// LeftOut says whether the object is missing from the output.
func (r *Result) LeftOut() bool { return r.Err != nil || !r.Decision.Allowed() }

// Inject reads a stream of YAML or JSON documents, named source in reports, and
// writes it to out with what the plan adds to its pods and pod templates. A
// refused object is left out, and so is a document that cannot be read; both
// are reported and are no error of Inject. Memory does not grow with the number
// of documents.
//
// It errs where reading, writing or ctx does. After ctx ends, a Read of in that
// blocks keeps one goroutine until it returns.
func Inject(ctx context.Context, in io.Reader, source string, out *Output, opts Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := opts.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := &pipeline{
		source: source, plan: opts.Plan, format: out.format,
		jobs: make(chan job, workers), order: make(chan chan outcome, 2*workers),
	}
	var running sync.WaitGroup
	for range workers {
		running.Go(func() { p.work(ctx) })
	}
	go p.read(ctx, newSplitter(in, MaxDocument))
	err := p.collect(ctx, out, opts.Report)
	cancel()
	running.Wait()
	return err
}

// pipeline connects one reader, several workers and the collector. order holds
// a slot for each document, in the order of the stream; its capacity bounds how
// many documents are in memory.
type pipeline struct {
	source string
	plan   Planner
	format Format
	jobs   chan job
	order  chan chan outcome
	// readErr is set before order is closed.
	readErr error
}

type job struct {
	chunk chunk
	done  chan outcome
}

func (p *pipeline) read(ctx context.Context, s *splitter) {
	defer close(p.order)
	defer close(p.jobs)
	for {
		c, err := s.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.readErr = err
			}
			return
		}
		j := job{c, make(chan outcome, 1)}
		select {
		case p.order <- j.done:
		case <-ctx.Done():
			return
		}
		select {
		case p.jobs <- j:
		case <-ctx.Done():
			return
		}
	}
}

func (p *pipeline) work(ctx context.Context) {
	for {
		select {
		case j, ok := <-p.jobs:
			if !ok {
				return
			}
			j.done <- p.document(j.chunk)
		case <-ctx.Done():
			return
		}
	}
}

func (p *pipeline) collect(ctx context.Context, out *Output, report func(Result)) error {
	out.begin(p.source)
	for {
		var o outcome
		select {
		case done, ok := <-p.order:
			if !ok {
				return errors.Join(p.readErr, ctx.Err())
			}
			select {
			case o = <-done:
			case <-ctx.Done():
				return ctx.Err()
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		if report != nil {
			for _, r := range o.results {
				report(r)
			}
		}
		if err := out.write(o); err != nil {
			return err
		}
	}
}

// outcome is what became of one chunk.
type outcome struct {
	chunk   chunk
	results []Result
	// text is the chunk afterwards; nil where the document is left out.
	text []byte
	// rendered is what is written in formats other than YAML.
	rendered []byte
}

// document works on one chunk.
func (p *pipeline) document(c chunk) outcome {
	o := outcome{chunk: c}
	if c.err != nil {
		o.fail(p.source, c, c.err)
		return o
	}
	if p.format != JSON && !mayHoldObjects(c.text) {
		o.text = c.text
		return o
	}
	text := bytes.TrimPrefix(c.text, utf8BOM)
	mark := c.text[:len(c.text)-len(text)]
	d, err := parse(text, c.line)
	if err != nil {
		o.fail(p.source, c, err)
		return o
	}
	objects, err := d.objects()
	if err != nil {
		o.fail(p.source, c, err)
		return o
	}
	changes := p.decide(&o, objects)
	if o.leftOut(d) {
		return o
	}
	if len(changes) > 0 {
		if text, err = d.edit(changes); err != nil {
			o.fail(p.source, c, err)
			return o
		}
	}
	o.text = c.text
	if len(changes) > 0 {
		o.text = append(bytes.Clone(mark), text...)
	}
	if err := o.render(p.format, text, changes); err != nil {
		o.fail(p.source, c, err)
	}
	return o
}

// decide plans for every object and says what has to change.
func (p *pipeline) decide(o *outcome, objects []*Object) []change {
	var changes []change
	for _, object := range objects {
		object.Source, object.Document = p.source, o.chunk.index
		r := Result{Object: *object}
		r.node = nil
		ch := change{path: object.path, pod: object.template}
		var pod injector.Pod
		if err := object.Pod(&pod); err != nil {
			r.Decision = injector.Decision{Outcome: injector.Refused, Reason: injector.ReasonUnreadablePod, Message: err.Error()}
		} else {
			r.Decision = p.plan(&pod)
		}
		switch {
		case !r.Decision.Allowed():
			ch.remove = true
			if len(ch.path) > 0 {
				changes = append(changes, ch)
			}
		case r.Decision.Patches():
			ops, err := readPatch(r.Decision.AppendPatch(nil))
			if err != nil {
				r.Err = &Error{Source: p.source, Line: object.Line, Column: 1, Message: err.Error()}
			}
			ch.ops = ops
			changes = append(changes, ch)
			r.note(ops)
		}
		o.results = append(o.results, r)
	}
	return changes
}

// note fills in what the operations of an injected object mean.
func (r *Result) note(ops []operation) {
	for _, op := range ops {
		r.Added = append(r.Added, pointer(r.template)+op.Path)
		if op.Path == "/spec/imagePullSecrets" {
			r.Warnings = append(r.Warnings, "the pod gets a list of imagePullSecrets; the API server adds those of the ServiceAccount "+
				"only to a pod without any: write them into the list too if the pod's own images need them")
		}
	}
}

// leftOut says whether nothing of the document is to be written.
func (o *outcome) leftOut(d *document) bool {
	refused, root := 0, false
	for _, r := range o.results {
		if r.Err != nil {
			return true
		}
		if !r.Decision.Allowed() {
			root = root || len(r.path) == 0
			if len(r.path) == 2 { // an item of the outermost List
				refused++
			}
		}
	}
	if root || refused == 0 {
		return root
	}
	items, err := d.at(d.root, "items")
	items = target(items)
	return err == nil && items != nil && items.Kind == yaml.SequenceNode && refused == len(items.Content)
}

// fail leaves the document out and says why: for every object that was to
// stay, or for the document where it has none.
func (o *outcome) fail(source string, c chunk, err error) {
	at := &Error{Line: c.line, Column: 1, Message: err.Error()}
	var placed *Error
	if errors.As(err, &placed) {
		*at = *placed
	}
	at.Source = source
	o.text, o.rendered = nil, nil
	said := false
	for i := range o.results {
		if r := &o.results[i]; r.Decision.Allowed() {
			r.Err, said = at, true
		}
	}
	if !said {
		o.results = append(o.results, Result{Object: Object{Source: source, Document: c.index, Line: at.Line}, Err: at})
	}
}
