package injector

import "testing"

func TestRuleRejected(t *testing.T) {
	role := func(list string) Definition {
		return definitionFromJSON(t, `{"kind":"Role","metadata":{"name":"nginx"},"spec":{"colocated":[`+list+`]}}`)
	}
	helper := func(spec string) Definition {
		return definitionFromJSON(t, `{"kind":"ColocatedContainer","metadata":{"name":"agent"},"spec":`+spec+`}`)
	}
	const good = `{"container":{"name":"agent","image":"i"}}`
	for _, c := range []struct {
		name   string
		defs   []Definition
		reason Reason
		says   string
	}{
		{"unreadable", []Definition{{Name: "nginx", Unreadable: "line 3: no."}}, ReasonUnreadableDefinition, `definition "nginx" cannot be read: line 3: no.`},
		{"unreadable helper", []Definition{role(`"agent"`), {Name: "agent", Unreadable: "line 3: no."}}, ReasonUnreadableDefinition, `role "nginx": the definition of colocated container "agent" cannot be read: line 3: no.`},
		{"neither", []Definition{{Name: "nginx"}}, ReasonInvalidDefinition, `definition "nginx" is neither a role nor a colocated container.`},
		{"unknown helper", []Definition{role(`"agnet"`), helper(good)}, ReasonUnknownColocated, `role "nginx" lists colocated container "agnet", which no definition describes; did you mean "agent"? Apply its definition, or take the name off the list.`},
		{"twice", []Definition{role(`"agent","agent"`), helper(good)}, ReasonInvalidDefinition, `role "nginx" lists colocated container "agent" twice. List it once.`},
		{"itself", []Definition{role(`"nginx"`)}, ReasonInvalidDefinition, `role "nginx" lists itself as a colocated container. Take it off the list.`},
		{"a main role", []Definition{role(`"web"`), definitionFromJSON(t, `{"kind":"Role","metadata":{"name":"web"},"spec":{}}`)}, ReasonInvalidDefinition, `role "nginx" lists "web" as a colocated container, but that is a main role. Make it a colocated container, or take it off the list.`},
		{"undeclared volume", []Definition{role(`"agent"`), helper(`{"container":{"name":"agent","image":"i","volumeMounts":[{"name":"v","mountPath":"/v"}]}}`)}, ReasonUndeclaredVolume, `role "nginx": colocated container "agent" mounts "v" at "/v", but neither the role nor its colocated containers define that volume. Add the volume to the definition.`},
		{"no image", []Definition{role(`"agent"`), helper(`{"container":{"name":"agent"}}`)}, ReasonInvalidDefinition, `role "nginx": colocated container "agent": spec.container.image: Required value: give the container an image.`},
		{"device", []Definition{role(`"agent"`), helper(`{"container":{"name":"agent","image":"i","volumeDevices":[{"name":"d","devicePath":"/dev/d"}]}}`)}, ReasonPersistentState, `role "nginx": colocated container "agent" uses block device "d"; colocated containers cannot keep persistent state. Use an emptyDir tag, or give the container a pod of its own.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, faults := Compile(c.defs)
			if len(faults) == 0 {
				t.Error("no fault")
			}
			checkVerdicts(t, s, Creation(), []verdictCase{{name: "pod", pod: podOf("", ""), reason: c.reason, says: c.says}})
		})
	}
}
