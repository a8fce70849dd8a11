package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
)

// Files is the [Source] that reads a certificate and its key from files, and
// reads them again when they change. Nothing is written, no caBundle either:
// whoever writes the files (cert-manager) sees to that (its cainjector).
type Files struct {
	certFile, keyFile string
	report            *reporter
	log               *slog.Logger
	loaded            func(expiry time.Time)
	serving           atomic.Pointer[served]

	mu   sync.Mutex
	last error // why nothing is loaded
}

var _ Source = (*Files)(nil)

// filesInterval is how often files that are missing or unreadable at the start
// are tried. Later changes are noticed at once, and looked for every 10 s.
const filesInterval = time.Second

// NewFiles makes a source of two PEM files, which need not exist yet: until they
// can be read, Ready says why not. loaded, which may be nil, is called with the
// end of each certificate that is loaded; log may be nil.
func NewFiles(certFile, keyFile string, log *slog.Logger, loaded func(expiry time.Time)) (*Files, error) {
	if certFile == "" || keyFile == "" {
		return nil, fmt.Errorf("certificates: files %q and %q: name both the certificate and the key", certFile, keyFile)
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if loaded == nil {
		loaded = func(time.Time) {}
	}
	return &Files{
		certFile: certFile, keyFile: keyFile,
		report: newReporter(log, clock.RealClock{}),
		log:    log, loaded: loaded,
	}, nil
}

// Start is [Source.Start].
func (f *Files) Start(ctx context.Context) error {
	for ctx.Err() == nil {
		if f.note(f.watch(ctx)); ctx.Err() == nil {
			f.report.warn("files", "certificates: cannot follow the files", "error", f.why())
			sleep(ctx, clock.RealClock{}, filesInterval)
		}
	}
	return nil
}

// note remembers why the files are not followed.
func (f *Files) note(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = err
}

func (f *Files) why() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// watch loads the files and follows them until that fails or ctx is done.
func (f *Files) watch(ctx context.Context) error {
	watcher, err := certwatcher.New(f.certFile, f.keyFile)
	if err != nil {
		return err
	}
	// The watcher calls from goroutines of their own, in any order: so the call is
	// only a sign, and the newest certificate is asked for.
	changed := make(chan struct{}, 1)
	watcher.RegisterCallback(func(tls.Certificate) {
		select {
		case changed <- struct{}{}:
		default: // a sign is there already
		}
	})
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-changed:
				// The watcher has one since it was made, and never errs here.
				if certificate, err := watcher.GetCertificate(nil); err == nil && certificate != nil {
					f.store(certificate)
				}
			}
		}
	})
	err = watcher.Start(ctx)
	cancel()
	wg.Wait()
	return err
}

func (f *Files) store(certificate *tls.Certificate) {
	if certificate.Leaf == nil { // GODEBUG=x509keypairleaf=0
		leaf, err := x509.ParseCertificate(certificate.Certificate[0])
		if err != nil {
			f.report.warn("leaf", "certificates: cannot read the certificate", "error", err)
			return
		}
		copied := *certificate
		copied.Leaf, certificate = leaf, &copied
	}
	var bundle []byte
	for _, der := range certificate.Certificate {
		bundle = append(bundle, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	s := &served{certificate: certificate, bundle: bundle}
	f.serving.Store(s)
	f.log.Info("certificates: loaded from files", "expiry", s.expiry())
	f.loaded(s.expiry())
}

// GetCertificate is [Source.GetCertificate].
func (f *Files) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return f.serving.Load().get()
}

// NeedLeaderElection is [Source.NeedLeaderElection].
func (f *Files) NeedLeaderElection() bool { return false }

// Ready is [Source.Ready].
func (f *Files) Ready() error {
	err := f.serving.Load().ready()
	if err == nil {
		return nil
	}
	return errors.Join(err, f.why())
}

// Expiry is [Source.Expiry].
func (f *Files) Expiry() time.Time { return f.serving.Load().expiry() }

// Bundle is [Source.Bundle]: the certificates of the file, for a client that
// trusts exactly what is served.
func (f *Files) Bundle() []byte { return f.serving.Load().pem() }
