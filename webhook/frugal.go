package webhook

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"golang.org/x/sync/semaphore"
)

// frugal stands before admission.Webhook, which takes YAML for a review too and
// builds every value that it finds: a body of a few megabytes would become some
// hundred megabytes of memory, more than the program may have.
type frugal struct {
	next    http.Handler
	metrics *Metrics
	// large lets one large review through at a time: admission.Webhook decodes
	// each several times. All hooks share it.
	large *semaphore.Weighted
}

// maxValues is the most values, one after a comma or an opening bracket each, of
// a review. An object of etcd's 1.5 MB has fewer than 150,000, and a review holds
// it twice, old and new.
const maxValues = 500_000

// ServeHTTP is [http.Handler].
func (f *frugal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var x exchange
	if code, text := x.read(r); code != 0 {
		turnAway(w, f.metrics, code, text)
		return
	}
	if code, text := unreadable(x.body); code != 0 {
		turnAway(w, f.metrics, code, text)
		return
	}
	if len(x.body) > smallBody {
		if !reserve(f.large, 1) {
			w.Header().Set("Retry-After", retryAfter)
			turnAway(w, f.metrics, http.StatusServiceUnavailable, tooMany)
			return
		}
		defer f.large.Release(1)
	}
	// The guard knows more spellings of the type than admission.Webhook does.
	r.Header.Set("Content-Type", "application/json")
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(x.body)), int64(len(x.body))
	f.next.ServeHTTP(w, r)
}

// unreadable says with which code and text a body is turned away; 0 where it is
// not.
func unreadable(body []byte) (code int, text string) {
	if first := bytes.TrimLeft(body, " \t\r\n"); len(first) == 0 || first[0] != '{' || !json.Valid(body) {
		return http.StatusBadRequest, "the body is not one JSON object"
	}
	if values(body) > maxValues {
		return http.StatusRequestEntityTooLarge, "the body has more than " + strconv.Itoa(maxValues) + " values"
	}
	return 0, ""
}

// values counts what stands after commas and opening brackets of valid JSON.
func values(body []byte) (n int) {
	quoted := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++ // what is escaped ends no string
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}
