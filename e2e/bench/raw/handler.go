package main

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// patch is what is added to every pod, whatever is in it.
const patch = `[{"op":"add","path":"/spec/containers/-","value":{"name":"log-forwarder","image":"example.org/log-forwarder:1.4",` +
	`"args":["--listen=:15090"],"ports":[{"name":"logs","containerPort":15090}],` +
	`"env":[{"name":"POD_NAME","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],` +
	`"resources":{"limits":{"cpu":"50m","memory":"64Mi"},"requests":{"cpu":"50m","memory":"64Mi"}},` +
	`"volumeMounts":[{"name":"logs","mountPath":"/logs"}],"readinessProbe":{"httpGet":{"path":"/ready","port":15090},"periodSeconds":5}}},` +
	`{"op":"add","path":"/spec/volumes/-","value":{"name":"logs","emptyDir":{}}}]`

// uidLength is that of every uid that a sender uses.
const uidLength = 36

// constant reads the body, looks for the uid, and answers with bytes made
// beforehand.
func constant() http.Handler {
	const head = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"`
	tail := `","allowed":true,"patchType":"JSONPatch","patch":"` + base64.StdEncoding.EncodeToString([]byte(patch)) + `"}}`
	mark := []byte(`"uid":"`)
	buffers := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := buffers.Get().(*bytes.Buffer)
		defer buffers.Put(body)
		body.Reset()
		body.Grow(int(r.ContentLength) + bytes.MinRead)
		if _, err := body.ReadFrom(io.LimitReader(r.Body, 7<<20)); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, rest, found := bytes.Cut(body.Bytes(), mark)
		if !found || len(rest) < uidLength {
			http.Error(w, "no uid", http.StatusBadRequest)
			return
		}
		answer := make([]byte, 0, 2048)
		answer = append(answer, head...)
		answer = append(answer, rest[:uidLength]...)
		answer = append(answer, tail...)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer)
	})
}
