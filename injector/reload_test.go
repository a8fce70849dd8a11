package injector

import (
	"testing"

	"colocate.dev/colocate/e2e/podgen"
)

// TestReloadBetweenCalls: definitions may change between two calls of one
// admission, or between an injection offline and the creation of the pod. What
// is there then stays, with a warning, or clashes; what is added is stable.
func TestReloadBetweenCalls(t *testing.T) {
	r := podgen.New(11)
	outcomes := map[Reason]int{}
	for range 60 {
		first, second := generated(t, r), generated(t, r)
		old, _ := Compile(first.defs)
		now, _ := Compile(second.defs)
		for range 20 {
			d, after := judged(t, old, podgen.Pod(r, first.roles))
			if d.Outcome != Injected {
				continue
			}
			d, again := judged(t, now, after)
			outcomes[d.Reason]++
			if d.Outcome != Injected {
				continue
			}
			if d.Reason == ReasonOutdated != (len(d.Warnings) > 0 && d.Warnings[len(d.Warnings)-1][:18] == "colocate: Outdated") {
				t.Errorf("%s with warnings %q", d.Reason, d.Warnings)
			}
			doc := generic(t, again)
			everyone(doc)
			if d, _ := judged(t, now, encoded(t, doc)); d.Outcome != Injected || d.Patches() {
				t.Fatalf("pod %s\nafter the reload %s\nthird call: %v %v %s %s", after, again, d.Outcome, d.Reason, d.Message, d.AppendPatch(nil))
			}
		}
	}
	t.Log(outcomes)
	for _, reason := range []Reason{ReasonInjected, ReasonOutdated, ReasonUnknownRole} {
		if outcomes[reason] == 0 {
			t.Errorf("no pod was %s", reason)
		}
	}
}
