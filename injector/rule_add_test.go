package injector

import (
	"strings"
	"testing"
)

// TestAlreadyInjected: the second call finds everything done.
func TestAlreadyInjected(t *testing.T) {
	s := snapshotOf(t, nginxRole, logForwarder)
	_, after := judged(t, s, []byte(podOf("", "")))
	checkVerdicts(t, s, Creation(), []verdictCase{{name: "pod", pod: string(after), reason: ReasonAlreadyInjected}})
}

// TestKeepsTheOrderOfSidecars: where some of the role's native sidecars are in
// the pod already, a missing one goes behind the one before it.
func TestKeepsTheOrderOfSidecars(t *testing.T) {
	texts := []string{`{"kind":"Role","metadata":{"name":"nginx"},"spec":{"colocated":["a","b","c","d"]}}`}
	for _, name := range []string{"a", "b", "c", "d"} {
		texts = append(texts, `{"kind":"ColocatedContainer","metadata":{"name":"`+name+`"},"spec":{"placement":"native-first","container":{"name":"`+name+`","image":"i"}}}`)
	}
	s := snapshotOf(t, texts...)
	for _, c := range []struct{ have, want string }{
		{"", "a b c d"},
		{"x", "a b c d x"},
		{"a", "a b c d"},
		{"d", "a b c d"},
		{"b d x", "a b c d x"},
		{"x b", "a x b c d"},
		{"x a y c z", "x a b y c d z"},
		{"a b c d", "a b c d"},
		{"c x a", "c x a b d"},
	} {
		var inits []string
		for _, name := range strings.Fields(c.have) {
			inits = append(inits, `{"name":"`+name+`","image":"i","restartPolicy":"Always"}`)
		}
		d, after := judged(t, s, []byte(podOf("", `"initContainers":[`+strings.Join(inits, ",")+`],`)))
		var got []string
		for _, x := range list(generic(t, after)["spec"].(object), "initContainers") {
			got = append(got, x.(object)["name"].(string))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %v %q, want %q", c.have, d.Reason, got, c.want)
		}
	}
}

// TestNeedsNothing: a role that colocates nothing is known, and its pods are
// marked as seen.
func TestNeedsNothing(t *testing.T) {
	s := snapshotOf(t, `{"kind":"Role","metadata":{"name":"nginx"},"spec":{}}`)
	d, after := judged(t, s, []byte(podOf("", "")))
	annotations := generic(t, after)["metadata"].(object)["annotations"].(object)
	if _, ok := annotations[DefaultContainerAnnotation]; ok || d.Reason != ReasonInjected || annotations[StatusAnnotation] == nil {
		t.Errorf("%v %v", d.Reason, annotations)
	}
}

// TestOutdatedStatusGrows: what a pod with an earlier definition lacks is added;
// the status keeps its hash, so that what was there stays recognisable.
func TestOutdatedStatusGrows(t *testing.T) {
	s := snapshotOf(t, `{"kind":"Role","metadata":{"name":"nginx"},"spec":{"colocated":["log-forwarder","b"]}}`, helperOf("auto", ""), `{"kind":"ColocatedContainer","metadata":{"name":"b"},"spec":{"container":{"name":"b","image":"i"}}}`)
	pod := `{"metadata":{"annotations":{"colocate.dev/role":"nginx","colocate.dev/status":"{\"v\":1,\"role\":\"nginx\",\"hash\":\"old\",\"containers\":[\"log-forwarder\"]}"}},"spec":{"containers":[{"name":"nginx"},{"name":"log-forwarder","image":"old"}]}}`
	d, after := judged(t, s, []byte(pod))
	status, err := ParseStatus([]byte(generic(t, after)["metadata"].(object)["annotations"].(object)[StatusAnnotation].(string)))
	if err != nil || d.Reason != ReasonOutdated || status.Hash != "old" || strings.Join(status.Containers, " ") != "log-forwarder b" {
		t.Fatalf("%v %v %+v", err, d.Reason, status)
	}
	second, _ := judged(t, s, after)
	if second.Reason != ReasonOutdated || second.Patches() {
		t.Errorf("second call: %v %s", second.Reason, second.AppendPatch(nil))
	}
}

func TestWarningsFit(t *testing.T) {
	long := strings.Repeat("é", 200)
	pod := `{"metadata":{"annotations":{"colocate.dev/role":"nginx"}},"spec":{"containers":[{"name":"` + long + `"},{"name":"b"}]}}`
	d, _ := judged(t, snapshotOf(t, nginxRole, logForwarder), []byte(pod))
	if len(d.Warnings) != 1 || len(d.Warnings[0]) > 256 || !strings.HasSuffix(d.Warnings[0], "…") {
		t.Errorf("%q", d.Warnings)
	}
}
