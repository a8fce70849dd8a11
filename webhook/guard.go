package webhook

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits of one request, and of all together. Those of the connection are
// controller-runtime's: 32 seconds for the handshake and for the header, 1 MiB of
// header, 90 seconds idle.
const (
	// maxBody is the most that a review can have: the old and the new object, at
	// most 3 MB each, and the rest of the review. It is controller-runtime's limit.
	maxBody = 7 << 20
	// readTimeout is for the whole body, writeTimeout for the whole answer. The API
	// server waits 5 seconds in all.
	readTimeout  = 3 * time.Second
	writeTimeout = 5 * time.Second
	// maxBodies bounds the bytes of all bodies in memory, once for those of at most
	// smallBody bytes and once for the others, so that whoever sends large ones
	// keeps nobody else waiting. A request that finds no room waits for
	// roomTimeout, and is then told to come again.
	maxBodies   = 32 << 20
	smallBody   = 256 << 10
	roomTimeout = time.Second
	retryAfter  = "1" // seconds
)

// guard stands before every handler: it turns away what is no admission request
// and keeps what slow, broken and greedy clients can use up within bounds.
type guard struct {
	next     http.Handler
	room     *room
	draining *atomic.Bool
	metrics  *Metrics
	log      *slog.Logger
}

// ServeHTTP is [http.Handler].
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer g.recover(w, r)
	control := http.NewResponseController(w)
	now := time.Now()
	// A writer without deadlines is one of a test.
	_ = control.SetReadDeadline(now.Add(readTimeout))
	_ = control.SetWriteDeadline(now.Add(writeTimeout))
	if g.draining.Load() {
		// Whoever keeps the connection would go on using a server that is about to end.
		w.Header().Set("Connection", "close")
	}
	if code, text := unfit(r); code != 0 {
		g.turnAway(w, code, text)
		return
	}
	size := r.ContentLength
	if size < 0 {
		size = maxBody
	}
	lane := g.room.lane(size)
	if !reserve(lane, size) {
		w.Header().Set("Retry-After", retryAfter)
		g.turnAway(w, http.StatusServiceUnavailable, tooMany)
		return
	}
	defer lane.Release(size)
	g.next.ServeHTTP(w, r)
}

// unfit says with which code and text a request is turned away; 0 where it is not.
func unfit(r *http.Request) (code int, text string) {
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, "only POST is answered here"
	}
	if !isJSON(r.Header["Content-Type"]) {
		return http.StatusUnsupportedMediaType, "the Content-Type must be application/json"
	}
	if e := r.Header["Content-Encoding"]; len(e) > 1 || len(e) == 1 && !strings.EqualFold(e[0], "identity") {
		return http.StatusUnsupportedMediaType, "a body with a Content-Encoding is not read"
	}
	if r.ContentLength > maxBody {
		return http.StatusRequestEntityTooLarge, tooLarge
	}
	if r.ContentLength == 0 {
		return http.StatusBadRequest, "the request has no body"
	}
	return 0, ""
}

const tooMany = "too many large requests at once; try again"

var tooLarge = "the body has more than " + strconv.Itoa(maxBody) + " bytes"

func isJSON(header []string) bool {
	if len(header) != 1 {
		return false
	}
	kind, _, _ := strings.Cut(header[0], ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/json")
}

// room is the memory for bodies.
type room struct{ small, large *semaphore.Weighted }

func newRoom() *room {
	return &room{small: semaphore.NewWeighted(maxBodies), large: semaphore.NewWeighted(maxBodies)}
}

func (r *room) lane(size int64) *semaphore.Weighted {
	if size <= smallBody {
		return r.small
	}
	return r.large
}

// reserve makes room for a body, and reports whether there was any.
func reserve(lane *semaphore.Weighted, size int64) bool {
	if lane.TryAcquire(size) {
		return true
	}
	// Not the request's context: a server that ends still answers what it has taken.
	ctx, cancel := context.WithTimeout(context.Background(), roomTimeout)
	defer cancel()
	return lane.Acquire(ctx, size) == nil
}

// turnAway answers a request that is not one of admission.
func (g *guard) turnAway(w http.ResponseWriter, code int, text string) {
	turnAway(w, g.metrics, code, text)
}

func turnAway(w http.ResponseWriter, m *Metrics, code int, text string) {
	m.turnedAway.WithLabelValues(strconv.Itoa(code)).Inc()
	h := w.Header()
	if code == http.StatusMethodNotAllowed {
		h.Set("Allow", http.MethodPost)
	}
	http.Error(w, text, code)
}

// recover ends one request, and not the program, where a handler panics. The
// value of the panic may be something of the object, so it is not logged unless
// the runtime made it.
func (g *guard) recover(w http.ResponseWriter, r *http.Request) {
	value := recover()
	if value == nil {
		return
	}
	g.metrics.panics.Inc()
	what := "a panic"
	if err, ok := value.(runtime.Error); ok {
		what = err.Error()
	}
	g.log.LogAttrs(context.Background(), slog.LevelError, "request given up",
		slog.String("path", r.URL.Path), slog.String("fault", what), slog.String("stack", string(debug.Stack())))
	http.Error(w, "internal error", http.StatusInternalServerError)
}
