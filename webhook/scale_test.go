package webhook

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// manyRoles are ConfigMaps with so many main roles, with ten times fewer
// colocated containers, as `colocate build` would shard them.
func manyRoles(n int) (configMaps []*corev1.ConfigMap) {
	size := 0
	var cm *corev1.ConfigMap
	add := func(name, text string) {
		if cm == nil || size > 800<<10 {
			cm, size = configMap(fmt.Sprintf("shard-%d", len(configMaps))), 0
			configMaps = append(configMaps, cm)
		}
		cm.Data[name+".yaml"] = text
		size += len(name) + len(text)
	}
	for i := range n / 10 {
		add(fmt.Sprintf("helper-%d", i), fmt.Sprintf(`apiVersion: colocate.dev/v1
kind: ColocatedContainer
metadata: {name: helper-%d}
spec:
  container:
    name: helper-%d
    image: example.org/helper:%d
    env: [{name: A, value: "1"}, {name: B, value: "2"}]
    volumeMounts: [{name: share-%d, mountPath: /mnt/share}]
    resources: {requests: {memory: 64Mi, cpu: 100m}, limits: {memory: 64Mi}}
  volumes: [{name: share-%d, emptyDir: {}}]
`, i, i, i, i, i))
	}
	for i := range n {
		h := i % (n / 10)
		add(fmt.Sprintf("role-%d", i), fmt.Sprintf(`apiVersion: colocate.dev/v1
kind: Role
metadata: {name: role-%d}
spec:
  colocated: [helper-%d]
  volumeMounts: [{name: share-%d, mountPath: /mnt/share}]
  volumes: [{name: share-%d, emptyDir: {}}]
`, i, h, h, h))
	}
	return configMaps
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestTenThousandRoles(t *testing.T) {
	configMaps := manyRoles(10_000)
	before := heap()
	l := testLoader()
	begin := time.Now()
	out := l.load(configMaps)
	took := time.Since(begin)
	held := heap() - before
	if out.usable != 10_000 || len(out.problems) != 0 {
		t.Fatalf("%d usable, %d problems: %v", out.usable, len(out.problems), out.problems[:min(3, len(out.problems))])
	}
	configMaps[0] = configMaps[0].DeepCopy()
	configMaps[0].Data["helper-0.yaml"] += "# changed\n"
	begin = time.Now()
	l.load(configMaps)
	t.Logf("loaded in %v, %d MB; loaded again after one change in %v, %d MB", took, held>>20, time.Since(begin), (heap()-before)>>20)
	if held > 50<<20 {
		t.Errorf("%d MB are held", held>>20)
	}
	runtime.KeepAlive(configMaps)
	runtime.KeepAlive(l)
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		configMaps := manyRoles(n)
		b.Run(fmt.Sprintf("%d roles, first", n), func(b *testing.B) {
			for b.Loop() {
				testLoader().load(configMaps)
			}
		})
		b.Run(fmt.Sprintf("%d roles, one changed", n), func(b *testing.B) {
			l := testLoader()
			l.load(configMaps)
			for i := 0; b.Loop(); i++ {
				configMaps[0].Data["role-0.yaml"] = fmt.Sprintf("%s# %d\n", role("role-0"), i)
				l.load(configMaps)
			}
		})
	}
}
