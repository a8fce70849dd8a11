package injector

import (
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// kinds is what people call each volume source that Kubernetes has today, ""
// for those that keep no persistent state. A source that a later version adds is
// missing here; it is refused until someone has thought about it.
var kinds = map[string]string{
	"emptyDir": "", "configMap": "", "secret": "", "downwardAPI": "", "projected": "", "image": "",
	"persistentVolumeClaim": "a PersistentVolumeClaim",
	"ephemeral":             "a generic ephemeral volume (a claim of its own)",
	"hostPath":              "a hostPath",
	"csi":                   "a CSI volume",
	"nfs":                   "an NFS share",
	"iscsi":                 "an iSCSI disk",
	"gcePersistentDisk":     "a volume of the kind gcePersistentDisk",
	"awsElasticBlockStore":  "a volume of the kind awsElasticBlockStore",
	"gitRepo":               "a volume of the kind gitRepo",
	"glusterfs":             "a volume of the kind glusterfs",
	"rbd":                   "a volume of the kind rbd",
	"flexVolume":            "a volume of the kind flexVolume",
	"cinder":                "a volume of the kind cinder",
	"cephfs":                "a volume of the kind cephfs",
	"flocker":               "a volume of the kind flocker",
	"fc":                    "a volume of the kind fc",
	"azureFile":             "a volume of the kind azureFile",
	"vsphereVolume":         "a volume of the kind vsphereVolume",
	"quobyte":               "a volume of the kind quobyte",
	"azureDisk":             "a volume of the kind azureDisk",
	"photonPersistentDisk":  "a volume of the kind photonPersistentDisk",
	"portworxVolume":        "a volume of the kind portworxVolume",
	"scaleIO":               "a volume of the kind scaleIO",
	"storageos":             "a volume of the kind storageos",
}

const noState = "; colocated containers cannot keep persistent state. Use an emptyDir tag, or give the container a pod of its own."

// TestEveryVolumeSource goes through the fields of corev1.VolumeSource: as a
// volume of the pod that a colocated container mounts, and in a definition.
func TestEveryVolumeSource(t *testing.T) {
	s := snapshotOf(t, nginxRole, logForwarder)
	sources := reflect.TypeFor[corev1.VolumeSource]()
	for i := range sources.NumField() {
		name, _, _ := strings.Cut(sources.Field(i).Tag.Get("json"), ",")
		t.Run(name, func(t *testing.T) {
			kind, known := kinds[name]
			if !known {
				t.Fatalf("volume source %q is new: decide whether it keeps persistent state", name)
			}
			want := verdictCase{
				name: "pod", pod: podOf("", `"volumes":[{"name":"common-share","`+name+`":{}}],`), reason: ReasonPersistentState,
				says: `role "nginx": colocated container "log-forwarder" mounts "common-share", which is ` + kind + " of this pod" + noState,
			}
			switch {
			case name == emptyDirSource:
				want.reason, want.says = ReasonInjected, ""
			case kind == "":
				want.reason = ReasonVolumeClash
				want.says = `role "nginx": volume "common-share" of this pod is of the kind ` + name + `, but the role defines it as {"emptyDir":{},"name":"common-share"}. Rename one of the two.`
			}
			checkVerdicts(t, s, Creation(), []verdictCase{want})
			checkDefinitionSource(t, name, kind)
			// What no colocated container uses is the pod's own business.
			checkVerdicts(t, s, Creation(), []verdictCase{{name: "of the main container", pod: podOf("", `"volumes":[{"name":"own","`+name+`":{}}],`), reason: ReasonInjected}})
		})
	}
	if len(kinds) != sources.NumField() {
		t.Errorf("%d kinds for %d sources: one is gone from Kubernetes", len(kinds), sources.NumField())
	}
}

func checkDefinitionSource(t *testing.T, name, kind string) {
	t.Helper()
	needed := map[string]string{"configMap": `"name":"c"`, "secret": `"secretName":"s"`, "image": `"reference":"i"`}[name]
	_, faults := Compile([]Definition{definitionFromJSON(t, `{"kind":"ColocatedContainer","metadata":{"name":"a"},"spec":{"container":{"name":"a","image":"i"},"volumes":[{"name":"v","`+name+`":{`+needed+`}}]}}`)})
	if kind == "" {
		if len(faults) > 0 {
			t.Errorf("definition: %v", faults)
		}
		return
	}
	want := `colocated container "a" has volume "v", which is ` + kind + noState
	if len(faults) != 1 || faults[0].Reason != ReasonPersistentState || faults[0].Message != want {
		t.Errorf("definition: %v, want %s", faults, want)
	}
}

func TestRuleState(t *testing.T) {
	s := snapshotOf(t, nginxRole, logForwarder)
	hash, _ := s.Hash("nginx")
	status := func(hash string) string {
		return `,"colocate.dev/status":"{\"v\":1,\"role\":\"nginx\",\"hash\":\"` + hash + `\",\"containers\":[\"log-forwarder\"],\"volumes\":[\"common-share\",\"data\"]}"`
	}
	ours := func(fields string) string {
		return `"containers":[{"name":"nginx","image":"i"},{"name":"log-forwarder","image":"example.org/log-forwarder:1.4","resources":{"requests":{"cpu":"100m","memory":"64Mi"}},` + fields + `}]`
	}
	pod := func(annotations, spec string) string {
		return `{"metadata":{"annotations":{"colocate.dev/role":"nginx"` + annotations + `}},"spec":{` + spec + `}}`
	}
	mounts := `"volumeMounts":[{"name":"common-share","mountPath":"/mnt/share"},{"name":"data","mountPath":"/data"}]`
	claims := `"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"d"}}],`
	says := `role "nginx": colocated container "log-forwarder" mounts "data", which is a PersistentVolumeClaim of this pod` + noState
	device := `role "nginx": colocated container "log-forwarder" uses block device "data" of this pod; colocated containers cannot keep persistent state. Take the device off the container, or give the container a pod of its own.`
	checkVerdicts(t, s, Creation(), []verdictCase{
		{name: "a field that no Kubernetes knows", pod: podOf("", `"volumes":[{"name":"common-share","futureDisk":{}}],`), reason: ReasonPersistentState, says: `role "nginx": colocated container "log-forwarder" mounts "common-share", which is a volume of the kind futureDisk of this pod` + noState},
		{name: "two sources", pod: podOf("", `"volumes":[{"name":"common-share","hostPath":{},"emptyDir":{}}],`), reason: ReasonPersistentState, says: `role "nginx": colocated container "log-forwarder" mounts "common-share", which is a hostPath of this pod` + noState},
		{name: "two volumes of one name", pod: podOf("", `"volumes":[{"name":"common-share","emptyDir":{}},{"name":"common-share","hostPath":{}}],`), reason: ReasonPersistentState, says: `role "nginx": colocated container "log-forwarder" mounts "common-share", which is a hostPath of this pod` + noState},
		{name: "null source", pod: podOf("", `"volumes":[{"name":"common-share","hostPath":null}],`), reason: ReasonInjected},
		{name: "same content with one mount more", pod: pod("", claims+ours(mounts)), reason: ReasonPersistentState, says: says},
		{name: "forged hash", pod: pod(status(hash), claims+ours(mounts)), reason: ReasonPersistentState, says: says},
		{name: "old hash", pod: pod(status("sha256:0"), claims+ours(mounts)), reason: ReasonPersistentState, says: says},
		{name: "device under a forged hash", pod: pod(status(hash), claims+ours(`"volumeDevices":[{"name":"data","devicePath":"/dev/x"}]`)), reason: ReasonPersistentState, says: device},
		{name: "device under an old hash", pod: pod(status("sha256:0"), ours(`"volumeDevices":[{"name":"data","devicePath":"/dev/x"}]`)), reason: ReasonPersistentState, says: device},
		{name: "forged hash and a claim of the shared name", pod: pod(status(hash), `"volumes":[{"name":"common-share","ephemeral":{}}],`+ours(`"volumeMounts":[{"name":"common-share","mountPath":"/mnt/share"}]`)), reason: ReasonPersistentState, says: `role "nginx": colocated container "log-forwarder" mounts "common-share", which is a generic ephemeral volume (a claim of its own) of this pod` + noState},
		{name: "forged hash and a container that mounts nothing", pod: pod(status(hash), `"volumes":[{"name":"common-share","hostPath":{}}],`+ours(`"ports":[]`)), reason: ReasonVolumeClash, says: `role "nginx": volume "common-share" of this pod is a hostPath, but the role defines it as {"emptyDir":{},"name":"common-share"}. Rename one of the two.`},
	})
}

// Offline, a StatefulSet's claim templates are volumes of its pods.
func TestClaimTemplatesCount(t *testing.T) {
	s := snapshotOf(t, nginxRole, logForwarder)
	for _, c := range []struct {
		name, spec string
		templates  []string
		reason     Reason
		says       string
	}{
		{"of the shared name", "", []string{"common-share"}, ReasonPersistentState, `role "nginx": colocated container "log-forwarder" mounts "common-share", which is a volumeClaimTemplate of this StatefulSet` + noState},
		{"replaces the volume", `"volumes":[{"name":"common-share","emptyDir":{}}],`, []string{"common-share"}, ReasonPersistentState, `role "nginx": colocated container "log-forwarder" mounts "common-share", which is a volumeClaimTemplate of this StatefulSet` + noState},
		{"of another name", "", []string{"data", "logs"}, ReasonInjected, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p Pod
			if err := ReadPod([]byte(podOf("", c.spec)), &p); err != nil {
				t.Fatal(err)
			}
			p.AddClaimTemplates(c.templates...)
			if d := s.Plan(&p, Creation()); d.Reason != c.reason || d.Message != c.says {
				t.Errorf("%s %q, want %s %q", d.Reason, d.Message, c.reason, c.says)
			}
		})
	}
}
