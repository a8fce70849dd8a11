package serving

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/product"
)

// resident is the memory in MB that the replica's process has.
func resident(t *testing.T, r *product.Replica) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.PID()))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return kb >> 10
		}
	}
	t.Fatal("no VmRSS")
	return 0
}

// TestMemoryWithManyRoles loads 10,000 roles and sees what that costs.
func TestMemoryWithManyRoles(t *testing.T) {
	i := product.InstallForTest(t, apiserver.Options{})
	time.Sleep(2 * time.Second)
	idle := resident(t, i.Replica)

	const roles, shard = 10_000, 2_500
	begin := time.Now()
	mustWrite(t, i, configMap("helper", "log-forwarder.yaml", forwarder("example.org/f:1")))
	for n := 0; n < roles; n += shard {
		cm := configMap(fmt.Sprintf("roles-%d", n))
		for k := n; k < n+shard; k++ {
			name := fmt.Sprintf("role-%d", k)
			cm.Data[name+".yaml"] = role(name, "log-forwarder")
		}
		mustWrite(t, i, cm)
	}
	took := await(t, i, fmt.Sprintf("role-%d", roles-1), "example.org/f:1")
	time.Sleep(2 * time.Second)
	t.Logf("idle %d MB; with %d roles %d MB, written and in force in %v, %v of it after the last write", idle, roles, resident(t, i.Replica), time.Since(begin).Round(time.Millisecond), took.Round(time.Millisecond))
	mustWrite(t, i, configMap("helper", "log-forwarder.yaml", forwarder("example.org/f:2")))
	took = await(t, i, fmt.Sprintf("role-%d", roles-1), "example.org/f:2")
	t.Logf("a helper of all of them changed: in force after %v", took.Round(time.Millisecond))
	time.Sleep(2 * time.Second)
	after := resident(t, i.Replica)
	t.Logf("then %d MB", after)
	if after > idle+100 {
		t.Errorf("%d MB more than idle", after-idle)
	}
}
