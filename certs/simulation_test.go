package certs

import (
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// simulation runs replicas step by step, in simulated time, each with a view
// that lags behind, and checks after every step that no API server, however late
// it learns of a caBundle (up to the rotation delay), would refuse a certificate
// that is being served.
type simulation struct {
	*cluster
	random   *rand.Rand
	clock    *clocktesting.FakeClock
	replicas []*simulated
	history  map[string][]publication // by entry
	change   func(*Options)
	lag      time.Duration // that a view may have
	checks   int
	log      []string // of writes
	verified map[string]error
}

type simulated struct {
	*Authority
	synced time.Time
	fresh  bool // has not read anything yet
	states int  // how many caBundles had been published by then
}

type publication struct {
	at       time.Time
	caBundle []byte
}

func newSimulation(t *testing.T, seed uint64, replicas int, change func(*Options)) *simulation {
	s := &simulation{
		cluster: newCluster(t, configurations(nil)...),
		random:  rand.New(rand.NewPCG(seed, 1)),
		clock:   clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
		history: make(map[string][]publication),
		change:  change,

		verified: make(map[string]error),
	}
	s.published = func(entry string, caBundle []byte) {
		s.history[entry] = append(s.history[entry], publication{s.clock.Now(), caBundle})
	}
	for range replicas {
		s.replicas = append(s.replicas, s.newReplica())
	}
	return s
}

func (s *simulation) newReplica() *simulated {
	a := s.authority(s.clock, func(o *Options) {
		o.Logger = slog.New(slog.DiscardHandler)
		o.Hooks.Wrote = func(object, what string) {
			s.log = append(s.log, fmt.Sprintf("%s: %s: %s", s.clock.Now().Format(time.DateTime), object, what))
		}
		o.SecretLabels = map[string]string{"app": "hooks"}
		if s.change != nil {
			s.change(o)
		}
	})
	return &simulated{Authority: a, fresh: true}
}

// sync brings the replica's view up to date, as its watches do.
func (s *simulation) sync(r *simulated) {
	// A watch announces every state. Where several have been missed, it had ended,
	// and the state is read.
	by := announced
	states := 0
	for _, all := range s.history {
		states += len(all)
	}
	if r.fresh || states > r.states+len(s.history) {
		by = read
	}
	r.states = states
	r.view.seeSecret(s.secret(), by)
	for i, w := range r.options.Webhooks {
		o := w.object()
		err := s.client.Get(context.Background(), client.ObjectKeyFromObject(o), o)
		if apierrors.IsNotFound(err) {
			o, err = nil, nil
		}
		if err != nil {
			s.Fatal(err)
		}
		r.view.seeConfiguration(i, w.read(o), s.clock.Now(), by)
	}
	r.fresh, r.synced = false, s.clock.Now()
}

// tick passes time, and lets each replica make a step, in any order.
func (s *simulation) tick(d time.Duration) {
	s.Helper()
	s.clock.Step(d)
	for _, i := range s.random.Perm(len(s.replicas)) {
		r := s.replicas[i]
		if r.fresh || s.clock.Since(r.synced) >= s.lag || s.random.IntN(3) == 0 {
			s.sync(r)
		}
		r.step(context.Background())
		s.check()
	}
}

// check fails where an API server may refuse a certificate being served.
func (s *simulation) check() {
	s.Helper()
	now := s.clock.Now()
	horizon := now.Add(-DefaultRotationDelay)
	for entry, all := range s.history {
		for len(all) > 1 && !all[1].at.After(horizon) {
			all = all[1:] // every API server knows the next one
		}
		for _, p := range all {
			for n, r := range s.replicas {
				leaf, err := r.GetCertificate(nil)
				if err != nil {
					continue // not ready: nobody calls it
				}
				s.checks++
				if err := s.verify(p.caBundle, leaf.Leaf); err != nil {
					s.Fatalf("%s: replica %d is refused by an API server that knows the caBundle of %q of %s: %v\n%s",
						now, n, entry, p.at, err, s.describe())
				}
			}
		}
	}
}

// verify is the other verify, which does the arithmetic once for each bundle and
// certificate.
func (s *simulation) verify(caBundle []byte, leaf *x509.Certificate) error {
	now := s.clock.Now()
	key := string(caBundle) + string(leaf.Raw)
	err, ok := s.verified[key]
	if !ok {
		err = verify(caBundle, leaf, testHost, now)
		s.verified[key] = err
	}
	if err == nil && now.After(leaf.NotAfter) {
		return fmt.Errorf("expired at %s", leaf.NotAfter)
	}
	return err
}

func (s *simulation) describe() string {
	text := strings.Join(s.log[max(0, len(s.log)-12):], "\n") + "\n"
	for n, r := range s.replicas {
		if r.held != nil {
			text += fmt.Sprintf("replica %d: synced %s, %s\n", n, r.synced, describe(r.held))
		}
	}
	if secret := s.secret(); secret != nil {
		st := readSecret(secret)
		text += "Secret: " + st.broken + st.untidy + " " + describe(&st.authorities)
	}
	return text
}

func describe(a *authorities) string {
	name := func(p *pair) string {
		if p == nil {
			return "-"
		}
		return p.cert.Subject.CommonName
	}
	text := fmt.Sprintf("current %s, next %s, previous", name(a.current), name(a.next))
	for _, c := range a.previous {
		text += " " + c.Subject.CommonName
	}
	return text
}

// settle passes a minute in small steps with views that hardly lag.
func (s *simulation) settle() {
	s.Helper()
	lag := s.lag
	s.lag = 0
	for range 20 {
		s.tick(500 * time.Millisecond)
	}
	s.lag = lag
}

func TestRotationOverlaps(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newSimulation(t, seed, 4, func(o *Options) { o.CAValidity = 20 * 24 * time.Hour })
			s.settle()
			s.lag = 12 * time.Hour
			first := s.secret().Data[KeyCert]
			authorities := map[string]bool{string(first): true}
			stage, patches, updates := false, s.written("patch"), s.written("update secret")
			for end := s.clock.Now().Add(45 * 24 * time.Hour); s.clock.Now().Before(end); {
				d := 2 * time.Hour
				if stage {
					d = 7 * time.Second
				}
				s.tick(d)
				if s.random.IntN(300) == 0 {
					s.replicas[s.random.IntN(len(s.replicas))] = s.newReplica()
				}
				data := s.secret().Data
				stage = data[KeyNextCert] != nil
				authorities[string(data[KeyCert])] = true
			}
			rotations := len(authorities) - 1
			if rotations < 2 {
				t.Fatalf("%d rotations in 45 days", rotations)
			}
			// Two updates of each caBundle a rotation: one adds, one takes away. The last
			// rotation may be under way.
			if n := s.written("patch") - patches; n > 2*2*rotations {
				t.Errorf("%d patches for %d rotations of 2 configurations", n, rotations)
			}
			if n := s.written("update secret") - updates; n > 3*rotations {
				t.Errorf("%d updates of the Secret for %d rotations", n, rotations)
			}
			if s.written("create secret") != 1 {
				t.Error("the Secret was made anew")
			}
			t.Logf("%d rotations, %d certificates checked", rotations, s.checks)
		})
	}
}

func TestAccidentsDuringRotations(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newSimulation(t, seed, 4, func(o *Options) { o.CAValidity = 20 * 24 * time.Hour })
			s.settle()
			s.lag = 3 * time.Hour
			authorities := map[string]bool{}
			accidents := 0
			for range 350 {
				stage := false
				if secret := s.secret(); secret != nil {
					stage = secret.Data[KeyNextCert] != nil
					authorities[string(secret.Data[KeyCert])] = true
				}
				if stage {
					s.tick(11 * time.Second)
				} else {
					s.tick(3 * time.Hour)
				}
				if s.random.IntN(12) == 0 {
					accidents++
					s.accident()
					s.settle()
				}
			}
			if len(authorities) < 2 {
				t.Error("no rotation")
			}
			end := readSecret(s.secret())
			if fault := end.fault(s.clock.Now()); fault != "" {
				t.Errorf("no authority at the end: %s", fault)
			}
			t.Logf("%d accidents, %d authorities, %d certificates checked", accidents, len(authorities), s.checks)
		})
	}
}

// accident does something bad to the Secret, or restarts a replica.
func (s *simulation) accident() {
	s.Helper()
	secret := s.secret()
	kind := s.random.IntN(6)
	s.log = append(s.log, fmt.Sprintf("%s: accident %d", s.clock.Now().Format(time.DateTime), kind))
	switch kind {
	case 0:
		if err := s.client.Delete(context.Background(), secret); err != nil {
			s.Fatal(err)
		}
	case 1:
		s.changeSecret(func(d map[string][]byte) { clear(d) })
	case 2:
		s.changeSecret(func(d map[string][]byte) { d[KeyPrivateKey] = []byte("x") })
	case 3:
		s.changeSecret(func(d map[string][]byte) { d[KeyPrevious] = []byte("x") })
	case 4:
		s.changeSecret(func(d map[string][]byte) { d[KeyRotate] = []byte("now") })
	case 5:
		s.replicas[s.random.IntN(len(s.replicas))] = s.newReplica()
	}
}
