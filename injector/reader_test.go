package injector

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"colocate.dev/colocate/e2e/podgen"
)

// oddPods are documents at which readers differ.
var oddPods = []string{
	``, ` `, `null`, `[]`, `1`, `"x"`, `{`, `{}`, "\n{\t} ", `{}{}`, `{},`, "{}\x00", "\x00", `{"metadata"}`, `{"metadata":}`, `{"metadata":null,"spec":null}`,
	`{"metadata":{"annotations":{"colocate.dev/role":"a","colocate.dev/role":"b"}}}`,
	`{"metadata":{"annotations":{"colocate.dev\/role":"a"}}}`,
	`{"metadata":{"annotations":{"colocate.dev\u002frole":"\u0061\n\ud83d\ude00\ud800"}}}`,
	`{"metadata":{"annotations":{"Colocate.dev/role":"a"}}}`,
	`{"metadata":{"annotations":{"colocate.dev/role":null,"x":null}}}`,
	`{"metadata":{"annotations":{"colocate.dev/role":1}}}`, `{"metadata":{"annotations":{"x":1}}}`, `{"metadata":{"annotations":{"x":{}}}}`,
	`{"metadata":{"annotations":{"x":"\q"}}}`, `{"metadata":{"annotations":{"x":"\u12"}}}`, `{"metadata":{"annotations":{"x":"` + "\x01" + `"}}}`,
	`{"metadata":{"annotations":{"x":"` + "\xff" + `"}}}`, `{"metadata":{"annotations":{"colocate.dev/role":"` + "\xff" + `"}}}`, `{"metadata":{"` + "\xff" + `":1}}`,
	`{"Metadata":{}}`, `{"metadata":{},"metadata":{}}`, `{"METADATA":1}`, `{"ſpec":{}}`, `{"spec":{"volumeſ":[]}}`, `{"spec":{"hostNetworK":true}}`,
	`{"spec":{"containers":null,"initContainers":[],"volumes":null,"imagePullSecrets":[null,{},{"name":null},{"name":"a"}]}}`,
	`{"spec":{"containers":[null]}}`, `{"spec":{"containers":{}}}`, `{"spec":{"containers":[{"name":"a"},]}}`, `{"spec":{"containers":[{"name":"a"} {"name":"b"}]}}`,
	`{"spec":{"containers":[{"name":"a","ports":[{"containerPort":1e2}]}]}}`, `{"spec":{"containers":[{"ports":[{"containerPort":2147483648}]}]}}`,
	`{"spec":{"containers":[{"ports":[{"containerPort":-0,"hostPort":null,"protocol":"UDP"},null,{}]}]}}`, `{"spec":{"containers":[{"ports":[{"containerPort":01}]}]}}`,
	`{"spec":{"containers":[{"ports":[{"containerPort":"1"}]}]}}`, `{"spec":{"containers":[{"ports":[{"containerPort":1.0}]}]}}`, `{"spec":{"containers":[{"ports":[{"containerPort":-}]}]}}`,
	`{"spec":{"containers":[{"volumeMounts":[null,{"name":"v","mountPath":"/a\u002fb"}],"volumeDevices":[{"name":"d","devicePath":"/dev/x"},null]}]}}`,
	`{"spec":{"containers":[{"name":"a","Name":"b"}]}}`, `{"spec":{"containers":[{"name":"a","image":"x","futureField":{"deep":[[[[1e999]]]]}}]}}`,
	`{"spec":{"volumes":[null,{"name":"v"},{"name":"v","emptyDir":null},{"name":"v","emptyDir":{},"hostPath":{}},{"name":"v","hostPath":null,"configMap":{}},{"name":null},{"name":"w","PersistentVolumeClaim":{}}]}}`,
	`{"spec":{"volumes":[{"name":"v","hostPath":{},"hostPath":null}]}}`, `{"spec":{"volumes":[{"name":1}]}}`, `{"spec":{"volumes":[1]}}`, `{"spec":{"volumes":["x"]}}`,
	`{"spec":{"restartPolicy":null,"os":null,"nodeSelector":null,"hostNetwork":null,"hostUsers":null,"terminationGracePeriodSeconds":null,"resources":null,"securityContext":null}}`,
	`{"spec":{"os":{"name":"windows"},"nodeSelector":{"kubernetes.io/os":"windows","x":null},"hostNetwork":true,"hostUsers":false,"terminationGracePeriodSeconds":9223372036854775807,"resources":{"limits":{"cpu":1}},"securityContext":{"windowsOptions":{"hostProcess":true}}}}`,
	`{"spec":{"terminationGracePeriodSeconds":9223372036854775808}}`, `{"spec":{"hostNetwork":"true"}}`, `{"spec":{"hostUsers":0}}`, `{"spec":{"hostUsers":truex}}`, `{"spec":{"hostUsers":falsehood}}`, `{"spec":{"resources":}}`,
	`{"spec":{"securityContext":{"windowsOptions":null}}}`, `{"spec":{"securityContext":{"windowsOptions":[]}}}`, `{"spec":{"securityContext":[]}}`,
	`{"x":1e5,"y":-0.5E+10,"z":[true,false,null,{"a":{}}],"n":123456789012345678901234567890}`, `{"x":.5}`, `{"x":5.}`, `{"x":1e}`, `{"x":+1}`, `{"x":00}`, `{"x":-01}`, `{"x":nul}`, `{"x":True}`, `{"x":[1,]}`, `{"x":[,1]}`, `{"x":{"a":1,}}`, `{"x":{,}}`, `{"x" 1}`, `{x:1}`, `{"x":'1'}`, `{"x":"unended`, `{"x":"a\`, "\ufeff{}", `{"x":/*c*/1}`,
}

func TestReadersAgreeOnOddPods(t *testing.T) {
	for _, pod := range oddPods {
		compareReaders(t, []byte(pod))
		for cut := range pod { // truncated everywhere
			compareReaders(t, []byte(pod[:cut]))
		}
	}
}

func TestReadersAgreeOnDepth(t *testing.T) {
	for _, depth := range []int{1, 100, maxDepth - 2, maxDepth - 1, maxDepth, 20000} {
		for _, b := range []string{"[]", "{}"} {
			open := map[string]string{"[]": "[", "{}": `{"a":`}[b]
			compareReaders(t, []byte(`{"x":`+strings.Repeat(open, depth)+"1"+strings.Repeat(b[1:], depth)+`}`))
			compareReaders(t, []byte(`{"x":`+strings.Repeat(open, depth)))
		}
	}
}

func TestReadersAgreeOnGeneratedPods(t *testing.T) {
	r := podgen.New(1)
	for range 300 {
		pod := podgen.Pod(r, []string{"web", "role-0"})
		var p Pod
		if err := ReadPod(pod, &p); err != nil {
			t.Fatalf("%s: %v", pod, err)
		}
		compareReaders(t, pod)
		// Broken at one place, in every way that one byte can break it.
		for range 20 {
			broken := bytes.Clone(pod)
			broken[r.IntN(len(broken))] = byte(r.IntN(256))
			compareReaders(t, broken)
		}
	}
}

func TestReadersAgreeOnReviews(t *testing.T) {
	body := string(review("web", 3000))
	reviews := []string{
		body, ``, `{}`, `null`, `[]`, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","request":{"uid":"u"}}`,
		`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":null}`, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":""}}`,
		`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","object":null,"dryRun":null,"resource":null}}`,
		`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","uid":"v"}}`,
		`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","object":[]}}`,
		`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","dryRun":"true"}}`,
		`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","dryRun":true,"subResource":"status","operation":"UPDATE","resource":{"group":"apps","resource":"deployments","version":"v1"}}}`,
		`{"request":{"uid":"u","Object":{}},"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`, `{"kind":"Other","apiVersion":"x","request":5}`, body + "x", body + "\n",
	}
	for _, r := range reviews {
		compareReviews(t, []byte(r))
	}
	for cut := 0; cut < len(body); cut += 7 {
		compareReviews(t, []byte(body[:cut]))
	}
}

// A used Pod must not remember anything of the one before.
func TestReadingForgets(t *testing.T) {
	r := podgen.New(2)
	var used Pod
	for range 200 {
		pod := podgen.Pod(r, []string{"web"})
		var fresh Pod
		if err := errors.Join(ReadPod(pod, &fresh), ReadPod(pod, &used)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(viewOf(&fresh), viewOf(&used)); diff != "" {
			t.Fatal(diff)
		}
	}
}
