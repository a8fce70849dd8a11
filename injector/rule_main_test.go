package injector

import (
	"encoding/json"
	"testing"
)

func TestRuleMain(t *testing.T) {
	s := snapshotOf(t, nginxRole, logForwarder)
	two := func(annotations, a, b string) string {
		return `{"metadata":{"annotations":{"colocate.dev/role":"nginx"` + annotations + `}},"spec":{"containers":[{"name":"` + a + `","image":"i"},{"name":"` + b + `","image":"i"}]}}`
	}
	const status = `,"colocate.dev/status":"{\"v\":1,\"role\":\"nginx\",\"hash\":\"x\",\"mounts\":{\"b\":[\"/mnt/share\"]}}"`
	for _, c := range []struct {
		name, pod, main string
		reason          Reason
		says, warns     string
	}{
		{"only one", two("", "a", "log-forwarder-2"), "a", ReasonInjected, "", `colocate: role "nginx": taking container "a" for the role's own, because it is the first of 2; say so with annotation colocate.dev/main-container`},
		{"named like the role", two("", "a", "nginx"), "nginx", ReasonInjected, "", ""},
		{"annotation before name", two(`,"colocate.dev/main-container":"a"`, "a", "nginx"), "a", ReasonInjected, "", ""},
		{"name before kubectl's default", two(`,"kubectl.kubernetes.io/default-container":"a"`, "a", "nginx"), "nginx", ReasonInjected, "", ""},
		{"kubectl's default", two(`,"kubectl.kubernetes.io/default-container":"b"`, "a", "b"), "b", ReasonInjected, "", ""},
		{"kubectl's default is not there", two(`,"kubectl.kubernetes.io/default-container":"c"`, "a", "b"), "a", ReasonInjected, "", `colocate: role "nginx": taking container "a" for the role's own, because it is the first of 2; say so with annotation colocate.dev/main-container`},
		{"status", two(status, "a", "b"), "b", ReasonInjected, "", ""},
		{"status names none that is there", two(status, "a", "c"), "a", ReasonInjected, "", `colocate: role "nginx": taking container "a" for the role's own, because it is the first of 2; say so with annotation colocate.dev/main-container`},
		{"annotation names none", two(`,"colocate.dev/main-container":"c"`, "a", "b"), "", ReasonUnknownMainContainer, `role "nginx": annotation colocate.dev/main-container names "c", which is none of this pod's own containers. Correct the name.`, ""},
		{"annotation is empty", two(`,"colocate.dev/main-container":""`, "a", "b"), "", ReasonUnknownMainContainer, `role "nginx": annotation colocate.dev/main-container names "", which is none of this pod's own containers. Correct the name.`, ""},
		{"an init container is not it", `{"metadata":{"annotations":{"colocate.dev/role":"nginx","colocate.dev/main-container":"s"}},"spec":{"initContainers":[{"name":"s"}],"containers":[{"name":"a"}]}}`, "", ReasonUnknownMainContainer, `role "nginx": annotation colocate.dev/main-container names "s", which is none of this pod's own containers. Correct the name.`, ""},
		{"no container", `{"metadata":{"annotations":{"colocate.dev/role":"nginx"}},"spec":{"containers":[]}}`, "", ReasonUnknownMainContainer, `role "nginx": this pod has no container of its own beside the colocated ones. Add the role's own container.`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := verdictCase{name: "pod", pod: c.pod, reason: c.reason, says: c.says}
			if c.warns != "" {
				v.warns = []string{c.warns}
			}
			checkVerdicts(t, s, Creation(), []verdictCase{v})
			if c.main == "" {
				return
			}
			_, after := judged(t, s, []byte(c.pod))
			for _, x := range list(generic(t, after)["spec"].(object), "containers") {
				x := x.(object)
				if got := len(list(x, "volumeMounts")) > 0; got != (x["name"] == c.main || x["name"] == "log-forwarder") {
					t.Errorf("container %v has mounts: %t", x["name"], got)
				}
			}
		})
	}
}

// A name that no API server allows still gives a document that can be read.
func TestStrangeMainContainer(t *testing.T) {
	s := snapshotOf(t, nginxRole, logForwarder)
	for _, name := range []string{`"\\\"</{main}~1"`, `"a\u0000\u2028é\ud83d\ude00"`, `"\ud800"`, `""`} {
		pod := `{"metadata":{"annotations":{"colocate.dev/role":"nginx"}},"spec":{"containers":[{"name":` + name + `}]}}`
		d, after := judged(t, s, []byte(pod))
		if d.Outcome != Injected {
			t.Fatal(d.Message)
		}
		var want string
		if err := json.Unmarshal([]byte(name), &want); err != nil {
			t.Fatal(err)
		}
		annotations := generic(t, after)["metadata"].(object)["annotations"].(object)
		status, err := ParseStatus([]byte(annotations[StatusAnnotation].(string)))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := status.Mounts[want]; !ok || annotations[DefaultContainerAnnotation] != want {
			t.Errorf("container %q: mounts %q, default container %q", want, status.Mounts, annotations[DefaultContainerAnnotation])
		}
		if second, _ := judged(t, s, after); second.Patches() {
			t.Errorf("container %q: second call %s", want, second.AppendPatch(nil))
		}
	}
}
