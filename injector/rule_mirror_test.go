package injector

import "testing"

func TestRuleMirror(t *testing.T) {
	const says = "this is the mirror of a static pod; static pods get no colocated containers."
	warns := []string{"colocate: static pods get no colocated containers; add them to the static pod's file"}
	checkVerdicts(t, snapshotOf(t, nginxRole, logForwarder), Creation(), []verdictCase{
		{name: "mirror", pod: podOf(`,"kubernetes.io/config.mirror":"0f"`, ""), reason: ReasonMirrorPod, says: says, warns: warns},
		{name: "with an empty role", pod: `{"metadata":{"annotations":{"colocate.dev/role":"","kubernetes.io/config.mirror":""}}}`, reason: ReasonMirrorPod, says: says, warns: warns},
		{name: "with a mistake of ours", pod: podOf(`,"kubernetes.io/config.mirror":"0f","colocate.dev/inject":"maybe"`, ""), reason: ReasonMirrorPod, says: says, warns: warns},
	})
}
