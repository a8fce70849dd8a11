package injector

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// sizes are pods as they reach a webhook: the sizes in bytes are those of the
// whole review.
var sizes = []struct {
	name  string
	bytes int
}{{"small", 4 << 10}, {"medium", 12 << 10}, {"large", 249 << 10}}

// review makes an AdmissionReview of about the given size. What grows is what
// grows in real pods: environment variables, annotations, managed fields.
func review(role string, bytes int) []byte {
	var env, annotations, managed strings.Builder
	for n := 0; env.Len()+annotations.Len()+managed.Len() < bytes-1500; n++ {
		if n > 0 {
			env.WriteByte(',')
		}
		fmt.Fprintf(&env, `{"name":"SETTING_%04d","value":"https://service-%d.example.org:8443/path?x=%d&y=\"z\""}`, n, n, n)
		fmt.Fprintf(&annotations, `,"example.org/note-%04d":"{\"text\":\"a note of %d words\",\"n\":[1,2,3]}"`, n, n)
		fmt.Fprintf(&managed, `,"k:{\"name\":\"SETTING_%04d\"}":{".":{},"f:name":{},"f:value":{}}`, n)
	}
	return fmt.Appendf(nil, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"7f0b2891-916f-4ed6-b7cd-27bff1815a8c","kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},"requestKind":{"group":"","version":"v1","kind":"Pod"},"requestResource":{"group":"","version":"v1","resource":"pods"},"namespace":"shop","operation":"CREATE","userInfo":{"username":"system:serviceaccount:kube-system:replicaset-controller","groups":["system:authenticated"]},"object":{"kind":"Pod","apiVersion":"v1","metadata":{"generateName":"web-5d9c-","creationTimestamp":null,"labels":{"app":"web","pod-template-hash":"5d9c"},"annotations":{"colocate.dev/role":%q%s},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-5d9c","uid":"u","controller":true,"blockOwnerDeletion":true}],"managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{}%s}}}]},"spec":{"volumes":[{"name":"kube-api-access-x","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}}],"defaultMode":420}}],"containers":[{"name":"web","image":"example.org/web:2.1","ports":[{"containerPort":8080,"protocol":"TCP"}],"env":[%s],"resources":{"limits":{"cpu":"500m","memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},"volumeMounts":[{"name":"kube-api-access-x","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},"status":{}},"oldObject":null,"dryRun":false,"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}}}`,
		role, annotations.String(), managed.String(), env.String())
}

// The gate is allocations: they do not depend on the machine.
func TestReadAndPlanAllocateNothing(t *testing.T) {
	s := snapshotOf(t, nginxRole, logForwarder)
	for _, size := range sizes {
		body := review("nginx", size.bytes)
		var r Request
		out := make([]byte, 0, 4096)
		got := testing.AllocsPerRun(20, func() {
			if err := ReadReview(body, &r); err != nil {
				t.Fatal(err)
			}
			d := s.Plan(&r.Pod, r.Attributes())
			if out = d.AppendPatch(out[:0]); !d.Patches() {
				t.Fatal(d.Reason, d.Message)
			}
		})
		if got > 0 {
			t.Errorf("%s: %v allocations for a review of %d bytes, want none", size.name, got, len(body))
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, size := range sizes {
		body := review("nginx", size.bytes)
		b.Run(size.name, func(b *testing.B) {
			var r Request
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if err := ReadReview(body, &r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, roles := range []int{1, 10000} {
		s, _ := Compile(manyRoles(b, roles))
		for _, size := range sizes {
			var r Request
			if err := ReadReview(review(fmt.Sprintf("role-%d", roles/2), size.bytes), &r); err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("roles=%d/%s", roles, size.name), func(b *testing.B) {
				out := make([]byte, 0, 4096)
				b.ReportAllocs()
				for b.Loop() {
					d := s.Plan(&r.Pod, r.Attributes())
					if out = d.AppendPatch(out[:0]); !d.Patches() {
						b.Fatal(d.Reason, d.Message)
					}
				}
			})
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, roles := range []int{1, 100, 10000} {
		defs := manyRoles(b, roles)
		b.Run(fmt.Sprintf("roles=%d", roles), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, faults := Compile(defs); len(faults) > 0 {
					b.Fatal(faults[0])
				}
			}
		})
	}
}

// manyRoles makes roles of which every two share a colocated container.
func manyRoles(t testing.TB, n int) []Definition {
	t.Helper()
	var defs []Definition
	for i := range n {
		helper := fmt.Sprintf("helper-%d", i/2)
		defs = append(defs, definitionFromJSON(t, fmt.Sprintf(`{"apiVersion":"colocate.dev/v1","kind":"Role","metadata":{"name":"role-%d"},"spec":{"colocated":[%q],"volumeMounts":[{"name":"common-share","mountPath":"/mnt/share"}],"volumes":[{"name":"common-share","emptyDir":{}}]}}`, i, helper)))
		if i%2 == 0 {
			defs = append(defs, definitionFromJSON(t, fmt.Sprintf(`{"apiVersion":"colocate.dev/v1","kind":"ColocatedContainer","metadata":{"name":%q},"spec":{"container":{"name":%q,"image":"example.org/helper:1","args":["--follow","/mnt/share"],"env":[{"name":"LEVEL","value":"info"},{"name":"NODE","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName"}}}],"ports":[{"containerPort":9100,"name":"metrics"}],"resources":{"limits":{"memory":"128Mi"},"requests":{"cpu":"100m","memory":"64Mi"}},"volumeMounts":[{"name":"common-share","mountPath":"/mnt/share"}]},"volumes":[{"name":"common-share","emptyDir":{}}]}}`, helper, helper)))
		}
	}
	return defs
}

// A snapshot of 10,000 roles holds each fragment once.
func TestSnapshotIsSmall(t *testing.T) {
	defs := manyRoles(t, 10000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s, faults := Compile(defs)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(faults) > 0 {
		t.Fatal(faults[0])
	}
	kept := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%d KiB for %d roles", kept>>10, len(s.Roles()))
	if kept > 40<<20 {
		t.Errorf("the snapshot of 10,000 roles keeps %d bytes, want at most 40 MiB", kept)
	}
	runtime.KeepAlive(defs)
}
