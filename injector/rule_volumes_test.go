package injector

import "testing"

func TestRuleVolumes(t *testing.T) {
	share := func(source string) string {
		return podOf("", `"volumes":[{"name":"common-share"`+source+`}],`)
	}
	clash := func(theirs, ours string) string {
		return `role "nginx": volume "common-share" of this pod is ` + theirs + `, but the role defines it as {` + ours + `"name":"common-share"}. Rename one of the two.`
	}
	checkVerdicts(t, snapshotOf(t, nginxRole, logForwarder), Creation(), []verdictCase{
		{name: "emptyDir", pod: share(`,"emptyDir":{}`), reason: ReasonInjected},
		{name: "no source", pod: share(``), reason: ReasonInjected},
		{name: "emptyDir with a limit", pod: share(`,"emptyDir":{"sizeLimit":"1Gi"}`), reason: ReasonInjected},
		{name: "secret", pod: share(`,"secret":{"secretName":"x"}`), reason: ReasonVolumeClash, says: clash("of the kind secret", `"emptyDir":{},`)},
	})
	memory := `{"kind":"Role","metadata":{"name":"nginx"},"spec":{"volumeMounts":[{"name":"common-share","mountPath":"/s"}],"volumes":[{"name":"common-share","emptyDir":{"medium":"Memory","sizeLimit":"1Gi"}}]}}`
	checkVerdicts(t, snapshotOf(t, memory), Creation(), []verdictCase{
		{name: "on disk", pod: share(`,"emptyDir":{}`), reason: ReasonVolumeClash, says: clash("another emptyDir", `"emptyDir":{"medium":"Memory","sizeLimit":"1Gi"},`)},
		{name: "in memory with the same limit", pod: share(`,"emptyDir":{"medium":"Memory","sizeLimit":"1024Mi"}`), reason: ReasonInjected},
		{name: "in memory with another limit", pod: share(`,"emptyDir":{"medium":"Memory","sizeLimit":"2Gi"}`), reason: ReasonVolumeClash, says: clash("another emptyDir", `"emptyDir":{"medium":"Memory","sizeLimit":"1Gi"},`)},
	})
	config := `{"kind":"Role","metadata":{"name":"nginx"},"spec":{"volumeMounts":[{"name":"common-share","mountPath":"/s"}],"volumes":[{"name":"common-share","configMap":{"name":"c"}}]}}`
	checkVerdicts(t, snapshotOf(t, config), Creation(), []verdictCase{
		{name: "the same ConfigMap with defaults", pod: share(`,"configMap":{"name":"c","defaultMode":420}`), reason: ReasonInjected},
		{name: "another ConfigMap", pod: share(`,"configMap":{"name":"d"}`), reason: ReasonVolumeClash, says: clash("another configMap", `"configMap":{"name":"c"},`)},
		{name: "emptyDir for a ConfigMap", pod: share(``), reason: ReasonVolumeClash, says: clash("of the kind emptyDir", `"configMap":{"name":"c"},`)},
		{name: "claim that no colocated container mounts", pod: share(`,"persistentVolumeClaim":{"claimName":"x"}`), reason: ReasonVolumeClash, says: clash("a PersistentVolumeClaim", `"configMap":{"name":"c"},`)},
	})
}
