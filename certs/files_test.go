package certs

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// mounted is a folder as the kubelet mounts a Secret: files are links through
// ..data, which is swapped as a whole.
type mounted struct {
	testing.TB
	dir        string
	generation int
}

func (m *mounted) write(cert, key []byte) {
	m.Helper()
	m.generation++
	version := "..v" + string(rune('0'+m.generation))
	must := func(err error) {
		if err != nil {
			m.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(m.dir, version), 0o755))
	must(os.WriteFile(filepath.Join(m.dir, version, "tls.crt"), cert, 0o600))
	must(os.WriteFile(filepath.Join(m.dir, version, "tls.key"), key, 0o600))
	must(os.Symlink(version, filepath.Join(m.dir, "..new")))
	must(os.Rename(filepath.Join(m.dir, "..new"), filepath.Join(m.dir, "..data")))
	if m.generation == 1 {
		must(os.Symlink("..data/tls.crt", filepath.Join(m.dir, "tls.crt")))
		must(os.Symlink("..data/tls.key", filepath.Join(m.dir, "tls.key")))
		return
	}
	must(os.RemoveAll(filepath.Join(m.dir, "..v"+string(rune('0'+m.generation-1)))))
}

func TestFilesComeLateAndChange(t *testing.T) {
	m := &mounted{TB: t, dir: t.TempDir()}
	var loaded atomic.Int64
	f, err := NewFiles(filepath.Join(m.dir, "tls.crt"), filepath.Join(m.dir, "tls.key"), nil,
		func(time.Time) { loaded.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	start(t, f)
	eventually(t, 2*time.Second, func() error {
		if err := f.Ready(); !errors.Is(err, ErrNotLoaded) || !errors.Is(err, os.ErrNotExist) {
			return errors.New("does not say what is missing")
		}
		return nil
	})
	if _, err := f.GetCertificate(nil); !errors.Is(err, ErrNotLoaded) || !f.Expiry().IsZero() || f.Bundle() != nil {
		t.Errorf("something is served: %v", err)
	}

	authority := mustPair(t, "a", time.Now())
	for round := range 2 {
		leaf, err := authority.sign([]string{testHost}, nil, time.Now(), time.Duration(round+1)*time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		key, err := x509.MarshalPKCS8PrivateKey(leaf.PrivateKey)
		if err != nil {
			t.Fatal(err)
		}
		m.write(pemOf("CERTIFICATE", leaf.Certificate[0]), pemOf("PRIVATE KEY", key))
		took := eventually(t, 12*time.Second, func() error {
			if err := f.Ready(); err != nil {
				return err
			}
			if !f.Expiry().Equal(leaf.Leaf.NotAfter) {
				return errors.New("the old one is served")
			}
			return nil
		})
		t.Logf("loaded after %s", took)
		if err := verify(f.Bundle(), leaf.Leaf, testHost, time.Now()); err != nil {
			t.Errorf("the bundle does not verify what is served: %v", err)
		}
	}
	// A broken file does not take the certificate away.
	m.write([]byte("x"), []byte("x"))
	time.Sleep(100 * time.Millisecond)
	if err := f.Ready(); err != nil {
		t.Error(err)
	}
	if n := loaded.Load(); n != 2 {
		t.Errorf("loaded %d times", n)
	}
}

func TestNewFilesNeedsBoth(t *testing.T) {
	_, err := NewFiles("tls.crt", "", nil, nil)
	want := `certificates: files "tls.crt" and "": name both the certificate and the key`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
