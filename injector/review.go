package injector

import (
	"errors"
	"fmt"
)

// Request is what matters of an admission.k8s.io/v1 AdmissionReview. Its byte
// slices are views into the body that ReadReview was given.
type Request struct {
	// UID identifies the request; the answer must repeat it.
	UID []byte
	// Namespace is the request's; the pod's own may be empty.
	Namespace []byte
	// Name is "" for a pod whose name the API server is going to generate.
	Name []byte
	// Operation is CREATE, UPDATE, DELETE or CONNECT.
	Operation []byte
	// Group, Resource and SubResource are those that the webhook is asked about.
	Group, Resource, SubResource []byte
	// DryRun is true where nothing will be stored.
	DryRun bool
	// Pod is the request's object. It is empty where there is none.
	Pod Pod

	hasRequest bool
}

// Errors for documents that are not a review of ours; the API server sends
// neither.
var (
	ErrNotAReview = errors.New(`the body is not an AdmissionReview of apiVersion "admission.k8s.io/v1"`)
	ErrNoRequest  = errors.New("the AdmissionReview has no request with a uid")
)

const (
	reviewVersion = "admission.k8s.io/v1"
	reviewKind    = "AdmissionReview"
)

var (
	reviewFields   = keysOf("apiVersion", "kind", "request")
	requestFields  = keysOf("uid", "namespace", "name", "operation", "subResource", "dryRun", "resource", "object")
	resourceFields = keysOf("group", "resource")
)

func (scanner) readReview(body []byte, into *Request) error {
	pod := into.Pod
	pod.reset()
	*into = Request{Pod: pod}
	c := cursor{b: body}
	version, kind := into.readEnvelope(&c)
	c.end()
	switch {
	case c.err != nil:
		return fmt.Errorf("admission review: %w", c.err)
	case string(version) != reviewVersion || string(kind) != reviewKind:
		return ErrNotAReview
	case !into.hasRequest || len(into.UID) == 0:
		return ErrNoRequest
	}
	return nil
}

func (r *Request) readEnvelope(c *cursor) (version, kind []byte) {
	f := fields{keys: reviewFields}
	if !c.enter('{', "the review") {
		return nil, nil
	}
	for n := 0; c.more('}', n); n++ {
		switch f.index(c, c.key()) {
		case 0:
			version = c.str("apiVersion")
		case 1:
			kind = c.str("kind")
		case 2:
			r.readRequest(c)
		default:
			c.skip()
		}
	}
	return version, kind
}

func (r *Request) readRequest(c *cursor) {
	f := fields{keys: requestFields}
	if !c.enter('{', "request") {
		return
	}
	r.hasRequest = true
	for n := 0; c.more('}', n); n++ {
		switch f.index(c, c.key()) {
		case 0:
			r.UID = c.str("request.uid")
		case 1:
			r.Namespace = c.str("request.namespace")
		case 2:
			r.Name = c.str("request.name")
		case 3:
			r.Operation = c.str("request.operation")
		case 4:
			r.SubResource = c.str("request.subResource")
		case 5:
			r.DryRun = c.bool("request.dryRun")
		case 6:
			r.Group, r.Resource = readPair(c, resourceFields, "request.resource")
		case 7:
			r.Pod.read(c)
		default:
			c.skip()
		}
	}
}

// Attributes are the request's, for [Snapshot.Plan].
func (r *Request) Attributes() Attributes {
	a := Attributes{Operation: known(r.Operation, "CREATE", "UPDATE", "DELETE", "CONNECT"), SubResource: string(r.SubResource)}
	if len(r.Group) == 0 {
		a.Resource = known(r.Resource, "pods")
	} else {
		a.Resource = string(r.Resource) + "." + string(r.Group)
	}
	return a
}

// known returns the word that b is without copying, or a copy of b.
func known(b []byte, words ...string) string {
	for _, w := range words {
		if string(b) == w {
			return w
		}
	}
	return string(b)
}
