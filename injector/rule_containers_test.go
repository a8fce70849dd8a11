package injector

import (
	"strings"
	"testing"
)

func TestRuleContainers(t *testing.T) {
	clash := func(kind, image string) string {
		return `role "nginx": this pod has ` + kind + ` "log-forwarder" already (image "` + image + `"), which is not the colocated container of that name (image "example.org/log-forwarder:1.4"). Rename one of the two.`
	}
	const own = `{"name":"nginx","image":"i"}`
	const same = `{"name":"log-forwarder","image":"example.org/log-forwarder:1.4"}`
	checkVerdicts(t, snapshotOf(t, plainRole, helperOf("auto", "")), Creation(), []verdictCase{
		{name: "another image", pod: containersOf(own+`,{"name":"log-forwarder","image":"x"}`, ""), reason: ReasonContainerClash, says: clash("a container", "x")},
		{name: "its only container", pod: containersOf(`{"name":"log-forwarder","image":"x"}`, ""), reason: ReasonContainerClash, says: clash("a container", "x")},
		{name: "init container", pod: containersOf(own, `"initContainers":[`+same+`],`), reason: ReasonContainerClash, says: clash("an init container", "example.org/log-forwarder:1.4")},
		{name: "ephemeral container", pod: containersOf(own, `"ephemeralContainers":[`+same+`],`), reason: ReasonContainerClash, says: clash("an ephemeral container", "example.org/log-forwarder:1.4")},
		{name: "the same in a job's containers", pod: containersOf(own+","+same, `"restartPolicy":"Never",`), reason: ReasonContainerClash, says: clash("a container", "example.org/log-forwarder:1.4")},
		{name: "a plain init container in a job", pod: containersOf(own, `"restartPolicy":"Never","initContainers":[`+same+`],`), reason: ReasonContainerClash, says: clash("an init container", "example.org/log-forwarder:1.4")},
		{name: "the same", pod: containersOf(own+","+same, ""), reason: ReasonInjected},
		{name: "the same with more", pod: containersOf(own+`,{"name":"log-forwarder","image":"example.org/log-forwarder:1.4","env":[{"name":"A"}],"stdin":true}`, ""), reason: ReasonInjected},
	})
}

// Two ways to write one container are one container.
func TestSameContainer(t *testing.T) {
	want := `{"name":"a","image":"i","args":["x"],"ports":[{"containerPort":53,"protocol":"UDP"},{"containerPort":53}],"env":[{"name":"A","value":"1"}],"resources":{"requests":{"cpu":0.1,"memory":"1e3"}},"volumeMounts":[{"name":"v","mountPath":"/v"}],"securityContext":{"readOnlyRootFilesystem":false}}`
	for _, c := range []struct {
		name, got string
		same      bool
	}{
		{"itself", want, true},
		{"other order and units", `{"image":"i","name":"a","args":["x"],"ports":[{"containerPort":53,"protocol":"TCP"},{"protocol":"UDP","containerPort":53}],"env":[{"name":"Z"},{"value":"1","name":"A"}],"resources":{"limits":{"cpu":"1"},"requests":{"memory":"1k","cpu":"100m"}},"volumeMounts":[{"name":"t","mountPath":"/t"},{"mountPath":"/v","name":"v","readOnly":true}],"securityContext":{"runAsUser":1,"readOnlyRootFilesystem":false}}`, true},
		{"another argument", strings.Replace(want, `"x"`, `"y"`, 1), false},
		{"one argument more", strings.Replace(want, `"x"`, `"x","y"`, 1), false},
		{"another value", strings.Replace(want, `"value":"1"`, `"value":"2"`, 1), false},
		{"a port less", strings.Replace(want, `,{"containerPort":53}`, ``, 1), false},
		{"another quantity", strings.Replace(want, "0.1", `"101m"`, 1), false},
		{"a boolean turned", strings.Replace(want, "false", "true", 1), false},
		{"a mount elsewhere", strings.Replace(want, `"/v"`, `"/w"`, 1), false},
		{"no container", `[]`, false},
		{"wrong types", `{"name":1}`, false},
	} {
		if got := sameContainer([]byte(c.got), []byte(want)); got != c.same {
			t.Errorf("%s: %t, want %t", c.name, got, c.same)
		}
	}
}
