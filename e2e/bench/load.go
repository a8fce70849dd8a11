package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
)

// target is a server that is measured.
type target struct {
	name, url string
	pid       int
	// quiet is a server that adds nothing to a pod that does not ask.
	quiet bool
}

// sample is one target measured once.
type sample struct {
	cpu      time.Duration // of the server, for one request
	p50, p99 time.Duration
	peak     float64 // resident memory, MiB
}

// newClient speaks HTTP/1.1, as the API server does to a webhook behind a Service.
func newClient(connections int) *http.Client {
	return &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		TLSClientConfig:     &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // loopback; what is measured is time
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
		MaxIdleConnsPerHost: connections,
	}}
}

// measure sends n reviews, so many at once, after a tenth as many that do not count.
func measure(ctx context.Context, t target, r review, n, at int) (sample, error) {
	client := newClient(at)
	defer client.CloseIdleConnections()
	if _, err := fire(ctx, client, t, r, max(n/10, 2*at), at); err != nil {
		return sample{}, err
	}
	resetPeak(t.pid)
	before, err := cpuTime(t.pid)
	if err != nil {
		return sample{}, err
	}
	took, err := fire(ctx, client, t, r, n, at)
	if err != nil {
		return sample{}, err
	}
	after, err := cpuTime(t.pid)
	if err != nil {
		return sample{}, err
	}
	peak, err := peakMemory(t.pid)
	return sample{cpu: (after - before) / time.Duration(n), p50: quantile(took, .5), p99: quantile(took, .99), peak: peak}, err
}

// quantile of a list, which it sorts.
func quantile(list []time.Duration, q float64) time.Duration {
	slices.Sort(list)
	return list[min(len(list)-1, int(q*float64(len(list))))]
}

// fire sends the reviews and returns how long each took. The first answer is
// checked as the API server would, of the others that they admit the pod.
func fire(ctx context.Context, client *http.Client, t target, r review, n, at int) ([]time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	took := make([]time.Duration, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range at {
		workers.Go(func() {
			body := bytes.Clone(r.body)
			uid := body[bytes.Index(body, []byte(uidMark)):][:len(uidMark)]
			var answer bytes.Buffer
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(n) {
					return
				}
				copy(uid[24:], fmt.Sprintf("%012x", i))
				begin := time.Now()
				err := post(ctx, client, t.url, body, &answer)
				took[i] = time.Since(begin)
				if err == nil {
					err = admitted(answer.Bytes(), uid)
				}
				if err == nil && i == 0 {
					err = judge(answer.Bytes(), t, r)
				}
				if err != nil {
					cancel(fmt.Errorf("%s, %s: %w", t.name, r.name, err))
				}
			}
		})
	}
	workers.Wait()
	return took, context.Cause(ctx)
}

func post(ctx context.Context, client *http.Client, url string, body []byte, answer *bytes.Buffer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"?timeout=5s", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer.Reset()
	_, err = answer.ReadFrom(io.LimitReader(response.Body, 1<<20))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, answer)
	}
	return err
}

func admitted(answer, uid []byte) error {
	if !bytes.Contains(answer, uid) || !bytes.Contains(answer, []byte(`"allowed":true`)) {
		return fmt.Errorf("not admitted: %.300s", answer)
	}
	return nil
}

// judge applies the patch: it must add a container, or not be there.
func judge(answer []byte, t target, r review) error {
	var a admissionv1.AdmissionReview
	if err := json.Unmarshal(answer, &a); err != nil {
		return err
	}
	if t.quiet && !r.asks {
		if len(a.Response.Patch) > 0 {
			return errors.New("a patch that nobody asked for")
		}
		return nil
	}
	patch, err := jsonpatch.DecodePatch(a.Response.Patch)
	if err != nil {
		return err
	}
	pod, err := patch.Apply(r.pod)
	if err == nil && !bytes.Contains(pod, []byte("log-forwarder")) {
		err = errors.New("the patch adds no container")
	}
	return err
}
