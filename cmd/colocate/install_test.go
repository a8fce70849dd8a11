package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/yaml"

	"colocate.dev/colocate/manifests"
)

func TestInstallAsDelivered(t *testing.T) {
	want, err := manifests.Render("enforce")
	if err != nil {
		t.Fatal(err)
	}
	have, said, code := command(t, "", "install", "--component", "enforce")
	if code != 0 || have != string(want) {
		t.Errorf("exit code %d; install without changes is not what is rendered", code)
	}
	if !strings.Contains(said, manifests.Image) {
		t.Errorf("nothing is said of the image:\n%s", said)
	}
}

// TestInstallElsewhere holds that the namespace and the image are replaced wherever
// they stand, and that nothing else changes.
func TestInstallElsewhere(t *testing.T) {
	for _, components := range [][]string{nil, {"cert-manager"}, manifests.Components()} {
		t.Run(strings.Join(components, "+"), func(t *testing.T) {
			args := []string{"install", "--namespace", "elsewhere", "--image", "registry.example.org/x:2"}
			for _, c := range components {
				args = append(args, "--component", c)
			}
			have, said, code := command(t, "", args...)
			if code != 0 || said != "" {
				t.Fatalf("exit code %d:\n%s", code, said)
			}
			rendered, err := manifests.Render(components...)
			if err != nil {
				t.Fatal(err)
			}
			for _, gone := range []string{manifests.Namespace, manifests.Image} {
				if strings.Contains(have, gone) {
					t.Errorf("%q is still there", gone)
				}
			}
			text := strings.ReplaceAll(objects(t, rendered), manifests.Namespace, "elsewhere")
			want := strings.ReplaceAll(text, manifests.Image, "registry.example.org/x:2")
			if diff := cmp.Diff(want, objects(t, []byte(have))); diff != "" {
				t.Errorf("(-want +have)\n%s", diff)
			}
			if n := strings.Count(have, "registry.example.org/x:2"); n != 1 {
				t.Errorf("the image stands %d times, want once", n)
			}
		})
	}
}

func TestReplaceWord(t *testing.T) {
	for in, want := range map[string]string{
		"a-b":                     "x",
		"colocate.a-b.svc":        "colocate.x.svc",
		`up{namespace="a-b"} a-b`: `up{namespace="x"} x`,
		"a-b-c a-b1 za-b -a-b":    "a-b-c a-b1 za-b -a-b",
		"a-b/colocate":            "x/colocate",
		"":                        "",
	} {
		if have := replaceWord(in, "a-b", "x"); have != want {
			t.Errorf("%q becomes %q, want %q", in, have, want)
		}
	}
}

// TestUninstallBeginsWithTheWebhooks: were the Deployment gone first, pods would
// wait for it.
func TestUninstallBeginsWithTheWebhooks(t *testing.T) {
	list, err := installed("elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, o := range list {
		if n := o.GetNamespace(); n != "" && n != "elsewhere" {
			t.Errorf("%s is in namespace %q", titleOf(o), n)
		}
		if len(kinds) == 0 || kinds[len(kinds)-1] != o.GetKind() {
			kinds = append(kinds, o.GetKind())
		}
	}
	order := strings.Join(kinds, " ")
	if !strings.HasPrefix(order, "MutatingWebhookConfiguration ValidatingWebhookConfiguration ValidatingAdmissionPolicyBinding ValidatingAdmissionPolicy ") ||
		!strings.HasSuffix(order, " Secret Namespace") {
		t.Errorf("the order is %s", order)
	}
	for _, kind := range []string{"ClusterRole", "ClusterRoleBinding", "PodDisruptionBudget", "NetworkPolicy", "ServiceMonitor", "PrometheusRule", "Certificate", "Issuer"} {
		if !strings.Contains(" "+order+" ", " "+kind+" ") {
			t.Errorf("%s is not removed: %s", kind, order)
		}
	}
}

// objects is a stream as JSON, one object a line.
func objects(t *testing.T, stream []byte) string {
	t.Helper()
	var out bytes.Buffer
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(stream), 4096)
	for {
		var o map[string]any
		if err := decoder.Decode(&o); errors.Is(err, io.EOF) {
			return out.String()
		} else if err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&out).Encode(o); err != nil {
			t.Fatal(err)
		}
	}
}
