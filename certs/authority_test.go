package certs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// group makes n sources on the cluster with the real clock.
func (c *cluster) group(n int, change func(*Options)) []*Authority {
	var all []*Authority
	for range n {
		all = append(all, c.authority(nil, change))
	}
	return all
}

func asSources(all []*Authority) []Source {
	var sources []Source
	for _, a := range all {
		sources = append(sources, a)
	}
	return sources
}

// settled is nil when all sources serve, are trusted, and know it.
func (c *cluster) settled(all []*Authority) func() error {
	return func() error {
		for _, a := range all {
			if err := errors.Join(a.Ready(), a.Trusted()); err != nil {
				return err
			}
		}
		return c.trusted(all...)
	}
}

func TestReplicasAgreeFromNothing(t *testing.T) {
	c := newCluster(t, configurations(nil)...)
	all := c.group(8, nil)
	start(t, asSources(all)...)
	eventually(t, 5*time.Second, c.settled(all))

	if n := c.written("create secret"); n != 1 {
		t.Errorf("Secret created %d times", n)
	}
	if n := c.written("update secret"); n != 0 {
		t.Errorf("Secret updated %d times", n)
	}
	for _, what := range []string{"patch mutating", "patch validating"} {
		if n := c.written(what); n != 1 {
			t.Errorf("%s: %d times", what, n)
		}
	}
	want := c.secret().Data[KeyBundle]
	for i, a := range all {
		if !bytes.Equal(a.Bundle(), want) {
			t.Errorf("replica %d has another bundle", i)
		}
		if left := time.Until(a.Expiry()); left < 23*time.Hour || left > 24*time.Hour {
			t.Errorf("replica %d: certificate ends in %s", i, left)
		}
	}
	// The entry that is not ours is as it was.
	w := Webhooks{Kind: Mutating, Name: "hooks", Entries: []string{"foreign.example.org"}}
	o := w.object()
	if err := c.client.Get(context.Background(), client.ObjectKeyFromObject(o), o); err != nil {
		t.Fatal(err)
	}
	if got := w.read(o).entries[0].caBundle; string(got) != "theirs" {
		t.Errorf("foreign entry has the caBundle %q", got)
	}
}

func TestStartIsFastWhereTheAuthorityExists(t *testing.T) {
	c := newCluster(t, configurations(nil)...)
	first := c.authority(nil, nil)
	start(t, first)
	eventually(t, 5*time.Second, c.settled([]*Authority{first}))
	writes := c.written("")

	second := c.authority(nil, nil)
	start(t, second)
	took := eventually(t, 5*time.Second, second.Ready)
	t.Logf("first certificate after %s", took)
	if took > 500*time.Millisecond { // 50 ms on a quiet machine
		t.Errorf("first certificate after %s", took)
	}
	eventually(t, time.Second, second.Trusted)
	if n := c.written("") - writes; n != 0 {
		t.Errorf("the second replica wrote %d times", n)
	}
}

func TestResetIsHealed(t *testing.T) {
	c := newCluster(t, configurations(nil)...)
	all := c.group(3, nil)
	start(t, asSources(all)...)
	eventually(t, 5*time.Second, c.settled(all))

	for name, reset := range map[string]func(){
		"emptied":   func() { c.setBundles(nil) },
		"nonsense":  func() { c.setBundles([]byte("nonsense")) },
		"recreated": func() { c.recreate() },
	} {
		reset()
		took := eventually(t, 2*time.Second, c.settled(all))
		t.Logf("%s: healed in %s", name, took)
	}
	// Each replica may have written once to each of the 2 configurations, each time.
	if n := c.written("patch"); n > 2+3*3*2 {
		t.Errorf("%d patches for 3 resets", n)
	}
	if n := c.written("update secret"); n != 0 {
		t.Errorf("Secret updated %d times", n)
	}
}

// recreate deletes the webhook configurations and creates them again.
func (c *cluster) recreate() {
	c.Helper()
	for _, o := range configurations(nil) {
		if err := c.client.Delete(context.Background(), o); err != nil {
			c.Fatal(err)
		}
		o.SetResourceVersion("")
		if err := c.client.Create(context.Background(), o); err != nil {
			c.Fatal(err)
		}
	}
}

func TestConfigurationsThatComeLater(t *testing.T) {
	c := newCluster(t)
	all := c.group(2, nil)
	start(t, asSources(all)...)
	eventually(t, 2*time.Second, func() error {
		return errors.Join(all[0].Ready(), all[1].Ready(), all[0].Trusted(), all[1].Trusted())
	})
	for _, o := range configurations(nil) {
		if err := c.client.Create(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, 2*time.Second, c.settled(all))
}

// leaves are the certificates being served.
func leaves(t *testing.T, all []*Authority) [][]byte {
	t.Helper()
	var out [][]byte
	for _, a := range all {
		leaf, err := a.GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, leaf.Certificate[0])
	}
	return out
}

func TestLostSecretComesBackFromMemory(t *testing.T) {
	c := newCluster(t, configurations(nil)...)
	all := c.group(3, nil)
	start(t, asSources(all)...)
	eventually(t, 5*time.Second, c.settled(all))
	was, before, patches := c.secret().Data, leaves(t, all), c.written("patch")

	other, err := newPair("other", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		do   func()
	}{
		{"deleted", func() {
			if err := c.client.Delete(context.Background(), c.secret()); err != nil {
				t.Fatal(err)
			}
		}},
		{"emptied", func() { c.changeSecret(func(d map[string][]byte) { clear(d) }) }},
		{"nonsense", func() { c.changeSecret(func(d map[string][]byte) { d[KeyCert] = []byte("x") }) }},
		{"key of another", func() { c.changeSecret(func(d map[string][]byte) { d[KeyPrivateKey] = other.keyPEM }) }},
		{"bundle damaged", func() { c.changeSecret(func(d map[string][]byte) { d[KeyBundle] = []byte("x") }) }},
		{"key alone", func() { c.changeSecret(func(d map[string][]byte) { delete(d, KeyPrivateKey) }) }},
	} {
		test.do()
		eventually(t, 2*time.Second, func() error {
			s := c.secret()
			if s == nil {
				return errors.New("no Secret")
			}
			for _, key := range []string{KeyCert, KeyPrivateKey, KeyBundle} {
				if !bytes.Equal(s.Data[key], was[key]) {
					return fmt.Errorf("%s: %s is not as it was", test.name, key)
				}
			}
			return nil
		})
	}
	for i, leaf := range leaves(t, all) {
		if !bytes.Equal(leaf, before[i]) {
			t.Errorf("replica %d serves another certificate", i)
		}
	}
	if n := c.written("patch") - patches; n != 0 {
		t.Errorf("%d patches of caBundles that were right", n)
	}
}

func TestReplacedSecretIsMerged(t *testing.T) {
	c := newCluster(t, configurations(nil)...)
	all := c.group(3, func(o *Options) { o.RotationDelay = 500 * time.Millisecond })
	start(t, asSources(all)...)
	eventually(t, 5*time.Second, c.settled(all))
	old := c.secret().Data[KeyCert]

	other, err := newPair("other", time.Now(), 365*24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	replacement := &authorities{current: other}
	s := c.secret()
	replacement.write(s)
	if err := c.client.Update(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	done := time.Now().Add(10 * time.Second)
	for !bytes.Equal(c.secret().Data[KeyCert], other.certPEM) || !bytes.Equal(c.secret().Data[KeyPrevious], old) {
		// At no time is anything refused.
		if err := c.trusted(all...); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(done) {
			t.Fatalf("the replacement does not sign; keys %v", keys(c.secret().Data))
		}
		time.Sleep(5 * time.Millisecond)
	}
	eventually(t, 2*time.Second, c.settled(all))
}

func keys(data map[string][]byte) []string {
	var out []string
	for key := range data {
		out = append(out, key)
	}
	return out
}

func TestFightIsBounded(t *testing.T) {
	c := newCluster(t, configurations(nil)...)
	all := c.group(2, nil)
	start(t, asSources(all)...)
	eventually(t, 5*time.Second, c.settled(all))
	before := c.written("patch mutating")

	// Another controller undoes each write as soon as it sees it.
	end := time.Now().Add(3 * time.Second)
	undone := 0
	for time.Now().Before(end) {
		if c.trusted(all...) == nil {
			c.setBundles(nil)
			undone++
		}
		time.Sleep(time.Millisecond)
	}
	n := c.written("patch mutating") - before
	t.Logf("%d patches against %d resets in 3 s", n, undone)
	// Three at once and one after two seconds, in each replica.
	if n > 2*(paceFree+1) {
		t.Errorf("%d patches in 3 s", n)
	}
	if n < paceFree {
		t.Errorf("gave up after %d patches", n)
	}
}

func TestUnreachableAPIServer(t *testing.T) {
	c := newCluster(t, configurations(nil)...)
	c.down.Store(true)
	all := c.group(2, func(o *Options) {
		o.CAValidity, o.LeafValidity, o.RotationDelay = time.Hour, 2*time.Second, time.Second
	})
	start(t, asSources(all)...)
	time.Sleep(200 * time.Millisecond)
	if err := all[0].Ready(); !errors.Is(err, ErrNotLoaded) {
		t.Fatalf("ready without an API server: %v", err)
	}
	c.down.Store(false)
	eventually(t, retryMost+time.Second, c.settled(all))

	c.down.Store(true)
	before := leaves(t, all)
	time.Sleep(2500 * time.Millisecond) // more than the life of a certificate
	after := leaves(t, all)
	for i := range all {
		if bytes.Equal(before[i], after[i]) {
			t.Errorf("replica %d did not renew its certificate", i)
		}
		if left := time.Until(all[i].Expiry()); left <= 0 {
			t.Errorf("replica %d serves an expired certificate", i)
		}
	}
	c.down.Store(false)
	eventually(t, retryMost+time.Second, c.settled(all))
}

func TestHooks(t *testing.T) {
	c := newCluster(t, configurations(nil)...)
	var trust, loaded atomic.Int64
	verdicts := make(chan error, 16)
	a := c.authority(nil, func(o *Options) {
		o.Hooks = Hooks{
			Loaded: func(time.Time) { loaded.Add(1) },
			Trust: func(err error) {
				trust.Add(1)
				verdicts <- err
			},
		}
	})
	start(t, a)
	next := func() error {
		select {
		case err := <-verdicts:
			return err
		case <-time.After(2 * time.Second):
			t.Fatal("no verdict")
			return nil
		}
	}
	if err := next(); err != nil {
		t.Errorf("first verdict: %v", err)
	}
	a.options.Logger.Info("reset")
	// Healing is held back, so that the distrust lasts.
	for range 4 {
		c.setBundles(nil)
		time.Sleep(50 * time.Millisecond)
	}
	if err := next(); err == nil {
		t.Error("a caBundle was emptied, and all trust")
	}
	if err := a.Ready(); err != nil {
		t.Errorf("distrust made it unready: %v", err)
	}
	if n := loaded.Load(); n != 1 {
		t.Errorf("loaded %d times", n)
	}
}
