package injector

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// verdictCase is one pod in front of one snapshot, and what people read.
type verdictCase struct {
	name string
	pod  string
	// reason is the decision's; says its exact sentence, warns its warnings.
	reason Reason
	says   string
	warns  []string
}

func checkVerdicts(t *testing.T, s *Snapshot, a Attributes, cases []verdictCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var p Pod
			if err := ReadPod([]byte(c.pod), &p); err != nil {
				t.Fatal(err)
			}
			d := s.Plan(&p, a)
			checkText(t, &d)
			if d.Reason != c.reason || d.Message != c.says {
				t.Errorf("got  %s %q\nwant %s %q", d.Reason, d.Message, c.reason, c.says)
			}
			if diff := cmp.Diff(c.warns, d.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// podOf writes a pod that asks for nginx; annotations and spec are members of
// JSON objects, each with a comma in front and behind.
func podOf(annotations, spec string) string {
	return fmt.Sprintf(`{"metadata":{"annotations":{"colocate.dev/role":"nginx"%s}},"spec":{%s"containers":[{"name":"nginx","image":"example.org/nginx:1"}]}}`, annotations, spec)
}

// containersOf writes a pod that asks for nginx and has these containers.
func containersOf(containers, spec string) string {
	return fmt.Sprintf(`{"metadata":{"annotations":{"colocate.dev/role":"nginx"}},"spec":{%s"containers":[%s]}}`, spec, containers)
}

// helperOf writes a colocated container log-forwarder with these further fields.
func helperOf(placement, fields string) string {
	return fmt.Sprintf(`{"apiVersion":"colocate.dev/v1","kind":"ColocatedContainer","metadata":{"name":"log-forwarder"},"spec":{"placement":%q,"container":{"name":"log-forwarder","image":"example.org/log-forwarder:1.4"%s}}}`, placement, fields)
}

const plainRole = `{"apiVersion":"colocate.dev/v1","kind":"Role","metadata":{"name":"nginx"},"spec":{"colocated":["log-forwarder"]}}`
