package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"colocate.dev/colocate/injector"
)

// pods answers admission requests for pods. It is a handler of its own rather
// than an admission.Webhook, which decodes each review several times.
type pods struct {
	store     *Store
	metrics   *Metrics
	log       *slog.Logger
	lines     io.Writer // takes JSON lines instead, where it is not nil
	exchanges sync.Pool // of *exchange
	// jsonType is the header's value, made once for all answers.
	jsonType []string
}

func newPods(store *Store, metrics *Metrics, log *slog.Logger, lines io.Writer) *pods {
	return &pods{
		store: store, metrics: metrics, log: log, lines: lines,
		exchanges: sync.Pool{New: func() any { return new(exchange) }},
		jsonType:  []string{"application/json"},
	}
}

// exchange is the memory of one request and its answer.
type exchange struct {
	body, answer, patch, line []byte
	request                   injector.Request
}

// maxKept is the size in bytes of buffers that are kept for the next request;
// what a rare huge one needed is given back.
const maxKept = 512 << 10

func (p *pods) release(x *exchange) {
	if cap(x.body) <= maxKept && cap(x.answer) <= maxKept && cap(x.patch) <= maxKept {
		p.exchanges.Put(x)
	}
}

// ServeHTTP is [http.Handler]. It does not obey the request's context: that of
// controller-runtime's server is cancelled at shutdown, when what was taken must
// still be answered.
func (p *pods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x, _ := p.exchanges.Get().(*exchange)
	p.serve(w, r, x)
	// Not deferred: what a panic leaves behind is not used again.
	p.release(x)
}

func (p *pods) serve(w http.ResponseWriter, r *http.Request, x *exchange) {
	start := time.Now()
	if code, text := x.read(r); code != 0 {
		turnAway(w, p.metrics, code, text)
		return
	}
	d, code, text := p.decide(x)
	if code != 0 {
		turnAway(w, p.metrics, code, text)
		return
	}
	end := time.Now()
	took := end.Sub(start)
	p.metrics.decided(&d, took)
	p.say(x, &line{&x.request, &d, end, took})
	if d.Outcome == injector.Unavailable {
		w.Header().Set("Retry-After", retryAfter)
		x.answer = appendUnavailable(x.answer[:0], d.Message)
		p.write(w, http.StatusServiceUnavailable, x.answer)
		return
	}
	x.answer, x.patch = appendAnswer(x.answer[:0], x.patch, x.request.UID, &d)
	p.write(w, http.StatusOK, x.answer)
}

// read fills the body; it returns a code and a text where that fails.
func (x *exchange) read(r *http.Request) (code int, text string) {
	x.body = x.body[:0]
	if size := r.ContentLength; size > 0 && size >= int64(cap(x.body)) {
		x.body = make([]byte, 0, size+1) // one more, to see the end without growing
	}
	for {
		if len(x.body) == cap(x.body) {
			x.body = append(x.body, 0)[:len(x.body)]
		}
		n, err := r.Body.Read(x.body[len(x.body):cap(x.body)])
		x.body = x.body[:len(x.body)+n]
		switch {
		case len(x.body) > maxBody:
			return http.StatusRequestEntityTooLarge, tooLarge
		case errors.Is(err, io.EOF) && len(x.body) == 0:
			return http.StatusBadRequest, "the request has no body"
		case errors.Is(err, io.EOF):
			return 0, ""
		case errors.Is(err, os.ErrDeadlineExceeded):
			return http.StatusRequestTimeout, "the body did not arrive in time"
		case err != nil:
			return http.StatusBadRequest, "the body could not be read to its end"
		}
	}
}

// decide plans for the pod of the request that was read. A code and a text are
// for what is not an admission request.
func (p *pods) decide(x *exchange) (d injector.Decision, code int, text string) {
	err := injector.ReadReview(x.body, &x.request)
	switch {
	case err == nil:
		return p.store.Snapshot().Plan(&x.request.Pod, x.request.Attributes()), 0, ""
	case errors.Is(err, injector.ErrNotAReview) || errors.Is(err, injector.ErrNoRequest):
		return d, http.StatusBadRequest, err.Error()
	case len(x.request.UID) == 0 || !json.Valid(x.body):
		return d, http.StatusBadRequest, err.Error()
	}
	// A review in order with an object in which a field is not what it must be. No
	// API server sends one; but whoever does shall know that the pod is meant.
	return injector.Decision{
		Outcome: injector.Refused,
		Reason:  injector.ReasonUnreadablePod,
		Message: err.Error(),
	}, 0, ""
}

// say logs one line.
func (p *pods) say(x *exchange, l *line) {
	ctx := context.Background() // nothing of the request's context belongs into the log
	h := p.log.Handler()
	switch {
	case !h.Enabled(ctx, l.level()):
	case p.lines != nil:
		x.line = l.appendJSON(x.line[:0])
		_, _ = p.lines.Write(x.line)
	default:
		// A log that cannot be written is no reason to refuse a pod.
		_ = h.Handle(ctx, l.record())
	}
}

// write sends a JSON document.
func (p *pods) write(w http.ResponseWriter, code int, body []byte) {
	h := w.Header()
	h["Content-Type"] = p.jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(code)
	// Where the client is gone there is nobody to tell.
	_, _ = w.Write(body)
}
