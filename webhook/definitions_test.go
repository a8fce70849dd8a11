package webhook

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/google/go-cmp/cmp"
)

// reviewOf is an AdmissionReview for an object of a kind.
func reviewOf(t testing.TB, kind, operation, namespace string, object any) string {
	t.Helper()
	raw, ok := object.(string)
	if !ok {
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		raw = string(text)
	}
	return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"1","kind":{"kind":"` + kind + `"},"operation":"` + operation +
		`","namespace":"` + namespace + `","object":` + raw + `}}`
}

func TestDefinitionsHook(t *testing.T) {
	unlabelled := configMap("a", "nginx.yaml", brokenDocument)
	unlabelled.Labels = nil
	unplaced := configMap("", "nginx.yaml", brokenDocument)
	unplaced.Namespace, unplaced.GenerateName = "", "shard-"
	cases := map[string]struct {
		others    []*corev1.ConfigMap
		operation string
		object    any
		allowed   bool
		message   string
		warnings  []string
	}{
		"in order":    {nil, "CREATE", configMap("a", "nginx.yaml", nginxDocument, "log-forwarder.yaml", forwarderDocument), true, "", nil},
		"no label":    {nil, "UPDATE", unlabelled, true, "", nil},
		"deleted":     {nil, "DELETE", "null", true, "", nil},
		"empty":       {nil, "CREATE", configMap("a"), true, "", nil},
		"unreadable":  {nil, "CREATE", configMap("a", "nginx.yaml", brokenDocument), false, "ConfigMap colocate-system/a[nginx.yaml]:5:1: a tab stands where YAML wants spaces: indent with spaces", nil},
		"not a name":  {nil, "CREATE", configMap("a", "nginx.yml", nginxDocument), false, `ConfigMap colocate-system/a[nginx.yml]: key "nginx.yml" is not read: name it "nginx.yaml"`, nil},
		"generated":   {nil, "CREATE", unplaced, false, "ConfigMap colocate-system/shard-[nginx.yaml]:5:1: a tab stands where YAML wants spaces: indent with spaces", nil},
		"not for one": {nil, "CREATE", `{"data":7}`, false, "the ConfigMap cannot be read: json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string", nil},
		"persistent state": {
			nil, "CREATE", configMap("a", "log-forwarder.yaml", persistentDocument), false,
			`ConfigMap colocate-system/a[log-forwarder.yaml]: `, nil,
		},
		"colocated elsewhere, not there yet": {
			nil, "CREATE", configMap("a", "nginx.yaml", nginxDocument), true, "",
			[]string{`ConfigMap colocate-system/a[nginx.yaml]: role "nginx" lists colocated container "log-forwarder", which no definition describes. Apply its definition, or take the name off the list.`},
		},
		"colocated elsewhere": {
			[]*corev1.ConfigMap{configMap("b", "log-forwarder.yaml", forwarderDocument)},
			"CREATE", configMap("a", "nginx.yaml", nginxDocument), true, "", nil,
		},
		"takes away what others use": {
			[]*corev1.ConfigMap{configMap("b", "nginx.yaml", nginxDocument), configMap("a", "log-forwarder.yaml", forwarderDocument)},
			"UPDATE", configMap("a", "other.yaml", role("other")), true, "",
			[]string{`ConfigMap colocate-system/b[nginx.yaml]: role "nginx" lists colocated container "log-forwarder", which no definition describes. Apply its definition, or take the name off the list.`},
		},
		"stands elsewhere too": {
			[]*corev1.ConfigMap{configMap("b", "nginx.yaml", role("nginx"))},
			"CREATE", configMap("a", "nginx.yaml", role("nginx")), true, "",
			[]string{`ConfigMap colocate-system/a[nginx.yaml]: definition "nginx" stands in ConfigMap colocate-system/b[nginx.yaml] too; until one of the two is removed, it stays as it is`},
		},
		"itself, again": {
			[]*corev1.ConfigMap{configMap("a", "nginx.yaml", role("nginx"))},
			"UPDATE", configMap("a", "nginx.yaml", role("nginx")), true, "", nil,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l := testLoader()
			l.load(c.others)
			w := post(newDefinitionsHook(l, silent()), strings.NewReader(reviewOf(t, "ConfigMap", c.operation, namespace, c.object)))
			if w.Code != http.StatusOK {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			a := decodeAnswer(t, w.Body.Bytes())
			if a.Response.Allowed != c.allowed {
				t.Errorf("allowed %v: %s", a.Response.Allowed, w.Body)
			}
			if !c.allowed && !strings.HasPrefix(a.Response.Status.Message, c.message) {
				t.Errorf("message %s", a.Response.Status.Message)
			}
			if diff := cmp.Diff(c.warnings, a.Response.Warnings); diff != "" {
				t.Errorf("warnings:\n%s", diff)
			}
		})
	}
}

// What the hook says is what is said where definitions are loaded all the same.
func TestDefinitionsHookSaysWhatTheLoaderSays(t *testing.T) {
	cm := configMap("a", "nginx.yaml", brokenDocument, "log-forwarder.yaml", persistentDocument)
	h := &definitionsHook{loader: testLoader(), log: silent()}
	faults, _ := h.check(cm)
	var loaded []string
	for _, p := range testLoader().load([]*corev1.ConfigMap{cm}).problems {
		if !p.Warning {
			loaded = append(loaded, p.Error())
		}
	}
	if diff := cmp.Diff(loaded, faults); diff != "" || len(faults) < 2 {
		t.Errorf("%s", diff)
	}
}

func TestDefinitionsHookListIsBounded(t *testing.T) {
	cm := configMap("a")
	for _, name := range strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z") {
		cm.Data[name+".yaml"] = "kind: Nothing\n"
	}
	w := post(newDefinitionsHook(testLoader(), silent()), strings.NewReader(reviewOf(t, "ConfigMap", "CREATE", namespace, cm)))
	message := decodeAnswer(t, w.Body.Bytes()).Response.Status.Message
	if lines := strings.Split(message, "\n"); len(lines) != maxFaults+1 || !strings.HasPrefix(lines[maxFaults], "and ") {
		t.Errorf("%d lines: %s", len(lines), message)
	}
}
