package injector

import "testing"

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
