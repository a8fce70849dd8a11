package injector

import "testing"

func TestPodSaysWhatItAsksFor(t *testing.T) {
	for _, c := range []struct {
		pod   string
		asks  bool
		role  string
		makes bool
	}{
		{`{}`, false, "", true},
		{`{"metadata":{"annotations":{"colocate.dev/role":""}},"spec":{"imagePullSecrets":[]}}`, true, "", true},
		{`{"metadata":{"annotations":{"colocate.dev/role":"web"}},"spec":{"imagePullSecrets":[{"name":"a"}]}}`, true, "web", false},
	} {
		var p Pod
		if err := ReadPod([]byte(c.pod), &p); err != nil {
			t.Fatal(err)
		}
		if p.Asks() != c.asks || p.Role() != c.role || p.MakesPullSecrets() != c.makes {
			t.Errorf("%s: %t %q %t", c.pod, p.Asks(), p.Role(), p.MakesPullSecrets())
		}
	}
}

func TestAttributesOfAReview(t *testing.T) {
	for _, c := range []struct {
		request string
		want    Attributes
	}{
		{`"operation":"CREATE","resource":{"group":"","version":"v1","resource":"pods"}`, Creation()},
		{`"operation":"CONNECT","subResource":"exec","resource":{"resource":"pods"}`, Attributes{Operation: "CONNECT", Resource: "pods", SubResource: "exec"}},
		{`"operation":"CREATE","resource":{"group":"apps","resource":"deployments"}`, Attributes{Operation: "CREATE", Resource: "deployments.apps"}},
		{`"operation":"create"`, Attributes{Operation: "create"}},
	} {
		var r Request
		if err := ReadReview([]byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",`+c.request+`}}`), &r); err != nil {
			t.Fatal(err)
		}
		if got := r.Attributes(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.request, got, c.want)
		}
	}
}
