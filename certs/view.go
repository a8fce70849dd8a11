package certs

import (
	"sync"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// configuration is what matters of a webhook configuration: its managed entries.
type configuration struct {
	version string // resourceVersion
	entries []entry
}

// entry is one webhook of a configuration.
type entry struct {
	index    int
	name     string
	host     string // that the API server verifies the certificate for; "" if unknown
	caBundle []byte
}

// sighting is the last that was seen of one webhook configuration.
type sighting struct {
	known  bool           // false until it was read for the first time
	live   bool           // false while it is not being watched
	config *configuration // nil: does not exist, or has none of the entries
	// since holds, for each certificate that all entries carry, since when they
	// have done so without interruption. Times are of the monotonic clock.
	since map[fingerprint]time.Time
	// vacant is since when there have been no entries; zero where there are some.
	vacant time.Time
}

// see notes the present state. gap is true where states between the last one
// and this one may have been missed: what is counted starts afresh then, unless
// the object is unchanged.
func (s *sighting) see(config *configuration, now time.Time, gap bool) {
	s.live = true
	if s.known && s.config != nil && config != nil && s.config.version == config.version {
		return
	}
	before := s.since
	if gap {
		before = nil
	}
	s.known, s.config = true, config
	s.since = nil
	if config == nil {
		if s.vacant.IsZero() {
			s.vacant = now
		}
		return
	}
	s.vacant = time.Time{}
	s.since = make(map[fingerprint]time.Time)
	for i, e := range config.entries {
		// What cannot be read is passed over, as an API server does.
		certs, _ := readBundle(e.caBundle)
		carried := make(map[fingerprint]time.Time, len(certs))
		for _, cert := range certs {
			fp := fingerprintOf(cert)
			start, ok := before[fp]
			if !ok {
				start = now
			}
			if _, ok := s.since[fp]; ok || i == 0 {
				carried[fp] = start
			}
		}
		s.since = carried
	}
}

// carriedSince is since when the certificate has been carried, and whether it is.
// What is not being watched is not known to carry anything.
func (s *sighting) carriedSince(fp fingerprint) (time.Time, bool) {
	if !s.known || !s.live {
		return time.Time{}, false
	}
	if s.config == nil {
		// Nobody calls us through it. The API servers learn that in their own time.
		return s.vacant, true
	}
	start, ok := s.since[fp]
	return start, ok
}

// view is what a replica has seen of the cluster. It is written by the watches
// and by the steps, and read by the steps.
type view struct {
	mu          sync.Mutex
	secretKnown bool
	secret      *corev1.Secret // nil: does not exist
	sightings   []*sighting    // in the order of Options.Webhooks
	changed     chan struct{}  // holds one token when something has changed
}

func newView(configurations int) *view {
	v := &view{changed: make(chan struct{}, 1)}
	for range configurations {
		v.sightings = append(v.sightings, &sighting{})
	}
	return v
}

// wake makes the next step happen now.
func (v *view) wake() {
	select {
	case v.changed <- struct{}{}:
	default: // a token is there already
	}
}

// how a state came to be known.
type how int

const (
	read      how = iota // read without a cache: it is so, and states before it may have been missed
	announced            // by a watch: it follows on the state before, but may be late
	written              // by ourselves: it follows on the state before
)

// older reports whether a state is from before another one: it was on its way
// while the other one was written.
func older(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order < 0
}

// seeSecret notes the Secret, nil for one that does not exist.
func (v *view) seeSecret(secret *corev1.Secret, by how) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if secret != nil && v.secret != nil {
		if by == announced && older(secret.ResourceVersion, v.secret.ResourceVersion) ||
			secret.ResourceVersion == v.secret.ResourceVersion {
			return
		}
	}
	v.secret, v.secretKnown = secret, true
	v.wake()
}

// seeConfiguration notes the i-th webhook configuration, nil for one that does
// not exist.
func (v *view) seeConfiguration(i int, config *configuration, now time.Time, by how) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.sightings[i]
	if by == announced && config != nil && s.config != nil && older(config.version, s.config.version) {
		return
	}
	s.see(config, now, by == read)
	v.wake()
}

// lose notes that the i-th webhook configuration is not being watched now.
func (v *view) lose(i int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sightings[i].live = false
}

// readSecret is the Secret as last seen, and whether it has been read at all.
func (v *view) readSecret() (*corev1.Secret, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.secret, v.secretKnown
}

// configurations is what is known of the webhook configurations: nil for one
// that does not exist. known is false while one has not been read yet.
func (v *view) configurations() (list []*configuration, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known = true
	for _, s := range v.sightings {
		known = known && s.known
		list = append(list, s.config)
	}
	return list, known
}

// carriedSince is since when all webhook configurations have carried the
// certificate, and whether they do.
func (v *view) carriedSince(fp fingerprint) (since time.Time, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.sightings {
		start, ok := s.carriedSince(fp)
		if !ok {
			return time.Time{}, false
		}
		if start.After(since) {
			since = start
		}
	}
	return since, true
}

// readMutating takes the named entries out of a webhook configuration; nil where
// it has none of them.
func readMutating(object *admissionv1.MutatingWebhookConfiguration, names []string) *configuration {
	config := &configuration{version: object.ResourceVersion}
	for i := range object.Webhooks {
		w := &object.Webhooks[i]
		config.add(i, w.Name, &w.ClientConfig, names)
	}
	return config.orNil()
}

// readValidating is readMutating for the other kind.
func readValidating(object *admissionv1.ValidatingWebhookConfiguration, names []string) *configuration {
	config := &configuration{version: object.ResourceVersion}
	for i := range object.Webhooks {
		w := &object.Webhooks[i]
		config.add(i, w.Name, &w.ClientConfig, names)
	}
	return config.orNil()
}
