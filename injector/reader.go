package injector

// A reader turns bytes into what a plan needs to know. [ReadPod] and
// [ReadReview] say what it must do; the tests hold scanner, the one in use,
// against another that leaves the work to encoding/json.
type reader interface {
	readPod(raw []byte, into *Pod) error
	readReview(body []byte, into *Request) error
}

// scanner reads with a cursor: once, from front to back, without copies.
type scanner struct{}

var _ reader = scanner{}

// ReadPod reads a pod, or any object with metadata and spec of a pod, from JSON.
// It errs where the JSON is malformed or a field that matters here has a wrong
// type, stands twice or is written in another case; into is then of no use.
func ReadPod(raw []byte, into *Pod) error { return scanner{}.readPod(raw, into) }

// ReadReview reads the JSON of an AdmissionReview. It errs where the JSON is
// malformed, where it is another document ([ErrNotAReview], [ErrNoRequest]), or
// where a field that matters cannot be read; into.UID is then set if the review
// got that far.
func ReadReview(body []byte, into *Request) error { return scanner{}.readReview(body, into) }
