package injector

import "testing"

func TestRulePorts(t *testing.T) {
	const ports = `,"ports":[{"containerPort":8080,"name":"http"},{"containerPort":53,"protocol":"UDP","hostPort":5353,"hostIP":"10.0.0.1"}]`
	own := func(ports string) string { return containersOf(`{"name":"nginx","image":"i","ports":[`+ports+`]}`, "") }
	internal := func(container, port string) string {
		return `role "nginx": container "` + container + `" of this pod uses port ` + port + `, which colocated container "log-forwarder" needs. Change one of the two; containers of one pod share their ports.`
	}
	const host = `role "nginx": container "nginx" of this pod uses host port 5353/UDP, which colocated container "log-forwarder" needs. Change one of the two.`
	checkVerdicts(t, snapshotOf(t, plainRole, helperOf("auto", ports)), Creation(), []verdictCase{
		{name: "free", pod: own(`{"containerPort":8081}`), reason: ReasonInjected},
		{name: "taken", pod: own(`{"containerPort":8080}`), reason: ReasonPortClash, says: internal("nginx", "8080/TCP")},
		{name: "other protocol", pod: own(`{"containerPort":8080,"protocol":"UDP"},{"containerPort":53,"protocol":"TCP"}`), reason: ReasonInjected},
		{name: "taken with its protocol", pod: own(`{"containerPort":53,"protocol":"UDP"}`), reason: ReasonPortClash, says: internal("nginx", "53/UDP")},
		{name: "host port", pod: own(`{"containerPort":1,"protocol":"UDP","hostPort":5353}`), reason: ReasonPortClash, says: host},
		{name: "host port at the same address", pod: own(`{"containerPort":1,"protocol":"UDP","hostPort":5353,"hostIP":"10.0.0.1"}`), reason: ReasonPortClash, says: host},
		{name: "host port at another address", pod: own(`{"containerPort":1,"protocol":"UDP","hostPort":5353,"hostIP":"10.0.0.2"}`), reason: ReasonInjected},
		{name: "init container", pod: containersOf(`{"name":"nginx"}`, `"initContainers":[{"name":"s","ports":[{"containerPort":8080}]}],`), reason: ReasonInjected},
		{name: "native sidecar", pod: containersOf(`{"name":"nginx"}`, `"initContainers":[{"name":"s","restartPolicy":"Always","ports":[{"containerPort":8080}]}],`), reason: ReasonPortClash, says: internal("s", "8080/TCP")},
		{name: "ephemeral container", pod: containersOf(`{"name":"nginx"}`, `"ephemeralContainers":[{"name":"s","ports":[{"containerPort":8080}]}],`), reason: ReasonInjected},
		{name: "name only", pod: own(`{"containerPort":1,"name":"http"}`), reason: ReasonInjected, warns: []string{`colocate: role "nginx": port name "http" is used by container "nginx" and by colocated container "log-forwarder"; a Service that targets the name gets the first`}},
	})
	checkVerdicts(t, snapshotOf(t, plainRole, helperOf("init", ports)), Creation(), []verdictCase{
		{name: "ours has ended by then", pod: own(`{"containerPort":8080}`), reason: ReasonInjected},
	})
}

// A container that stays from an earlier definition has the ports that it has.
func TestPortsOfAnOutdatedContainer(t *testing.T) {
	pod := `{"metadata":{"annotations":{"colocate.dev/role":"nginx","colocate.dev/status":"{\"v\":1,\"role\":\"nginx\",\"hash\":\"x\",\"containers\":[\"log-forwarder\"]}"}},"spec":{"containers":[{"name":"nginx","ports":[{"containerPort":8080}]},{"name":"log-forwarder","image":"old","ports":[{"containerPort":9090}]}]}}`
	checkVerdicts(t, snapshotOf(t, plainRole, helperOf("auto", `,"ports":[{"containerPort":8080}]`)), Creation(), []verdictCase{
		{name: "pod", pod: pod, reason: ReasonOutdated, warns: []string{`colocate: Outdated: role "nginx": this pod carries containers of an earlier definition, which stay as they are; run colocate inject again over the file that it comes from`}},
	})
}

func TestPortsOfTwoDefinitions(t *testing.T) {
	helper := func(name, port string) Definition {
		return definitionFromJSON(t, `{"kind":"ColocatedContainer","metadata":{"name":"`+name+`"},"spec":{"container":{"name":"`+name+`","image":"i","ports":[`+port+`]}}}`)
	}
	role := definitionFromJSON(t, `{"kind":"Role","metadata":{"name":"r"},"spec":{"colocated":["a","b"]}}`)
	for _, c := range []struct{ a, b, want string }{
		{`{"containerPort":1}`, `{"containerPort":1,"protocol":"TCP"}`, `role "r": colocated containers "a" and "b" both use port 1/TCP. Change the port of one of the two.`},
		{`{"containerPort":1,"hostPort":9}`, `{"containerPort":2,"hostPort":9}`, `role "r": colocated containers "a" and "b" both use host port 9/TCP. Change the host port of one of the two.`},
		{`{"containerPort":1}`, `{"containerPort":1,"protocol":"UDP"}`, ""},
	} {
		_, faults := Compile([]Definition{role, helper("a", c.a), helper("b", c.b)})
		got := ""
		if len(faults) > 0 {
			got = faults[0].Message
		}
		if got != c.want {
			t.Errorf("%s and %s: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
