package injector

import (
	"fmt"
	"strings"
	"testing"
)

func TestRuleSuits(t *testing.T) {
	ours := `role "nginx": colocated container "log-forwarder" `
	for _, c := range []struct{ name, fields, spec, says string }{
		{"host port beside the host's network", `,"ports":[{"containerPort":80,"hostPort":8080}]`, `"hostNetwork":true,`, ours + "publishes port 80 as host port 8080, but this pod uses the host's network, where both must be the same. Make them the same, or leave hostNetwork out."},
		{"the same host port", `,"ports":[{"containerPort":80,"hostPort":80}]`, `"hostNetwork":true,`, ""},
		{"host port without it", `,"ports":[{"containerPort":80,"hostPort":8080}]`, "", ""},
		{"long sleep", `,"lifecycle":{"preStop":{"sleep":{"seconds":31}}}`, "", ours + "sleeps for 31 seconds in a lifecycle handler, but this pod's terminationGracePeriodSeconds is 30. Raise that, or shorten the sleep."},
		{"sleep as long as the default", `,"lifecycle":{"preStop":{"sleep":{"seconds":30}}}`, "", ""},
		{"sleep and a pod without grace", `,"lifecycle":{"postStart":{"sleep":{"seconds":1}}}`, `"terminationGracePeriodSeconds":0,`, ours + "sleeps for 1 seconds in a lifecycle handler, but this pod's terminationGracePeriodSeconds is 0. Raise that, or shorten the sleep."},
		{"sleep and a patient pod", `,"lifecycle":{"preStop":{"sleep":{"seconds":31}}}`, `"terminationGracePeriodSeconds":31,`, ""},
		{"stop signal", `,"lifecycle":{"stopSignal":"SIGUSR1"}`, "", ours + `sets a stop signal, but this pod does not set spec.os.name, without which Kubernetes allows none. Set it to "linux", or take the signal out of the definition.`},
		{"stop signal on Linux", `,"lifecycle":{"stopSignal":"SIGUSR1"}`, `"os":{"name":"linux"},`, ""},
		{"unmasked", `,"securityContext":{"procMount":"Unmasked"}`, "", ours + `has procMount "Unmasked", but this pod does not set hostUsers to false, without which Kubernetes does not allow it. Set it, or take procMount out of the definition.`},
		{"unmasked among the host's users", `,"securityContext":{"procMount":"Unmasked"}`, `"hostUsers":true,`, ours + `has procMount "Unmasked", but this pod does not set hostUsers to false, without which Kubernetes does not allow it. Set it, or take procMount out of the definition.`},
		{"unmasked with users of its own", `,"securityContext":{"procMount":"Unmasked"}`, `"hostUsers":false,`, ""},
		{"resize restarts", `,"resizePolicy":[{"resourceName":"cpu","restartPolicy":"RestartContainer"}]`, `"restartPolicy":"Never",`, ours + `has a resizePolicy that restarts it, but this pod's restartPolicy is "Never". Change one of the two.`},
		{"resize does not", `,"resizePolicy":[{"resourceName":"cpu","restartPolicy":"NotRequired"}]`, `"restartPolicy":"Never",`, ""},
		{"resize restarts where that is allowed", `,"resizePolicy":[{"resourceName":"cpu","restartPolicy":"RestartContainer"}]`, `"restartPolicy":"OnFailure",`, ""},
	} {
		v := verdictCase{name: c.name, pod: podOf("", c.spec), reason: ReasonInjected, says: c.says}
		if c.says != "" {
			v.reason = ReasonUnsuitablePod
		}
		checkVerdicts(t, snapshotOf(t, plainRole, helperOf("auto", c.fields)), Creation(), []verdictCase{v})
	}
}

// TestRoomForStatus: the API server refuses annotations of more than 256 KiB, so
// ours must not be what makes them so large.
func TestRoomForStatus(t *testing.T) {
	s := snapshotOf(t, plainRole, helperOf("auto", ""))
	pod := func(size int) string {
		return podOf(`,"x":"`+strings.Repeat(`\u0061`, size)+`"`, "")
	}
	const used = len("x") + len(RoleAnnotation) + len("nginx")
	_, after := judged(t, s, []byte(pod(1)))
	annotations := map[string]string{}
	for key, value := range generic(t, after)["metadata"].(object)["annotations"].(object) {
		annotations[key] = value.(string)
	}
	ours := sizeOf(annotations) - 1 - used
	checkVerdicts(t, s, Creation(), []verdictCase{
		{name: "just enough", pod: pod(maxAnnotations - used - ours), reason: ReasonInjected},
		{name: "one byte too many", pod: pod(maxAnnotations - used - ours + 1), reason: ReasonUnsuitablePod, says: fmt.Sprintf(`role "nginx": this pod's annotations have %d bytes, and with those of colocate 262145, but Kubernetes allows 262144. Make them smaller.`, 262145-ours)},
		{name: "too many without ours", pod: pod(maxAnnotations), reason: ReasonInjected},
	})
}
