package definition_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
)

// some makes n definitions: colocated containers agent-0000 and so on.
func some(t testing.TB, n int) []injector.Definition {
	t.Helper()
	var defs []injector.Definition
	for i := range n {
		name := fmt.Sprintf("agent-%04d", i)
		d, err := definition.FromColocated(name, injector.ColocatedContainer{
			Placement: injector.PlacementAuto,
			Container: corev1.Container{
				Image: "example.org/agent:1.4", Command: []string{"sh", "-c", "set -e\nexec agent\n"},
				Env:          []corev1.EnvVar{{Name: "PORT", Value: "8080"}},
				VolumeMounts: []corev1.VolumeMount{{Name: "share", MountPath: "/mnt/share", ReadOnly: true}},
			},
			Volumes: []corev1.Volume{{Name: "share", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
		}, injector.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		defs = append(defs, d)
	}
	return defs
}

const written = `apiVersion: v1
kind: ConfigMap
metadata:
  name: colocate-definitions
  namespace: colocate-system
  labels:
    app.kubernetes.io/component: definitions
    app.kubernetes.io/managed-by: colocate
    app.kubernetes.io/name: colocate
    app.kubernetes.io/part-of: colocate
    colocate.dev/definitions: v1
  annotations:
    colocate.dev/source: role-manifest.yml
    colocate.dev/source-sha256: sha256:abc
data:
  agent-0000.yaml: |
    apiVersion: colocate.dev/v1
    kind: ColocatedContainer
    metadata:
      name: agent-0000
    spec:
      placement: auto
      container:
        name: agent-0000
        image: example.org/agent:1.4
        command:
        - sh
        - -c
        - |
          set -e
          exec agent
        env:
        - name: PORT
          value: "8080"
        volumeMounts:
        - name: share
          readOnly: true
          mountPath: /mnt/share
      volumes:
      - name: share
        emptyDir: {}
`

func TestWriteIsReadable(t *testing.T) {
	maps, err := definition.ConfigMaps(some(t, 1), definition.Options{Source: "role-manifest.yml", SourceSHA256: "abc"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := definition.Write(&out, maps); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(written, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestShardsAreReadBack(t *testing.T) {
	defs := some(t, 50)
	maps, err := definition.ConfigMaps(defs, definition.Options{MaxBytes: 6000})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := definition.Write(&out, maps); err != nil {
		t.Fatal(err)
	}
	var loaded []injector.Definition
	for i, cm := range maps {
		want := injector.DefinitionsName
		if i > 0 {
			want += fmt.Sprintf("-%d", i)
		}
		size := 0
		for k, v := range cm.Data {
			size += len(k) + len(v)
		}
		if cm.Name != want || size > 6000 || size == 0 {
			t.Errorf("shard %d is %q with %d bytes", i, cm.Name, size)
		}
		d, faults := definition.Load(cm)
		if len(faults) > 0 {
			t.Error(faults)
		}
		loaded = append(loaded, d...)
	}
	parsed, faults := definition.Parse(out.Bytes(), "defs.yaml")
	if len(faults) > 0 || len(maps) < 3 {
		t.Fatalf("%d shards, %v", len(maps), faults)
	}
	if got := texts(loaded); got != texts(defs) {
		t.Error("loaded definitions differ")
	}
	if got := texts(parsed); got != texts(defs) {
		t.Error("parsed definitions differ")
	}
	if o := loaded[0].Origin.String(); o != "ConfigMap colocate-system/colocate-definitions[agent-0000.yaml]" {
		t.Errorf("origin %s", o)
	}
}

func texts(defs []injector.Definition) string {
	var b strings.Builder
	for _, d := range defs {
		b.Write(append(d.JSON, '\n'))
	}
	return b.String()
}

func TestConfigMapsRefuses(t *testing.T) {
	defs := some(t, 1)
	if _, err := definition.ConfigMaps(append(defs, defs...), definition.Options{}); err == nil || !strings.Contains(err.Error(), `definition "agent-0000" stands in`) {
		t.Errorf("twice: %v", err)
	}
	if _, err := definition.ConfigMaps(defs, definition.Options{MaxBytes: 100}); err == nil || !strings.Contains(err.Error(), "more than the 100") {
		t.Errorf("too large: %v", err)
	}
	if _, err := definition.ConfigMaps([]injector.Definition{{Name: "x", Unreadable: "y"}}, definition.Options{}); err == nil {
		t.Error("unreadable definition was written")
	}
	if maps, err := definition.ConfigMaps(nil, definition.Options{}); err != nil || len(maps) != 1 {
		t.Errorf("nothing: %v, %v", maps, err)
	}
}

func TestLoadReportsKeys(t *testing.T) {
	cm := &corev1.ConfigMap{
		Data: map[string]string{"a.yml": "x", "README": "x", "b.yaml": "apiVersion: [", "c.yaml": "apiVersion: colocate.dev/v1\nkind: Role\nmetadata: {name: c}\nspec: {}\n"},

		BinaryData: map[string][]byte{"d.yaml": {0xff}},
	}
	cm.Namespace, cm.Name = "ns", "cm"
	defs, faults := definition.Load(cm)
	want := `error UnreadableDefinition ConfigMap ns/cm[README]: key "README" is not read: name it after the role with ".yaml" at the end, or remove it
error UnreadableDefinition ConfigMap ns/cm[a.yml]: key "a.yml" is not read: name it "a.yaml"
error UnreadableDefinition ConfigMap ns/cm[b.yaml]:1:1: a value is missing, or a bracket has no partner: write the value, or close the bracket
error UnreadableDefinition ConfigMap ns/cm[d.yaml]: key "d.yaml" of binaryData is not read: move it to data, as UTF-8 text
`
	if diff := cmp.Diff(want, faultLines(faults)); diff != "" {
		t.Error(diff)
	}
	if len(defs) != 2 || defs[0].Name != "b" || defs[0].Unreadable == "" || defs[1].Role == nil {
		t.Errorf("definitions %+v", defs)
	}
}

func TestParsePlacesFaultsInTheFile(t *testing.T) {
	file := strings.Replace(written, "placement: auto", "placment: auto", 1) +
		"  quoted.yaml: \"apiVersion: v1\\nkind: Role\\nmetadata: {name: quoted}\\nspec: {}\"\n  number.yaml: 1\n" +
		"---\napiVersion: v1\nkind: List\nitems:\n- kind: Secret\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {labels: {colocate.dev/definitions: v2}}\n"
	defs, faults := definition.Parse([]byte(file), "defs.yaml")
	want := `error UnreadableDefinition defs.yaml:22:7: spec: unknown field "placment": did you mean "placement"?
error UnreadableDefinition defs.yaml[quoted.yaml]:1:13: apiVersion: "v1" is not known here: write "colocate.dev/v1"
error UnreadableDefinition defs.yaml:43:16: data: key "number.yaml" holds the number 1, text is wanted: write the definition as a literal block
error UnreadableDefinition defs.yaml:51:49: colocate.dev/definitions: version "v2" of definitions is not known here: write "v1"
`
	if diff := cmp.Diff(want, faultLines(faults)); diff != "" {
		t.Error(diff)
	}
	if len(defs) != 2 || defs[0].Unreadable == "" || defs[1].Unreadable == "" {
		t.Errorf("definitions %+v", defs)
	}
	if _, faults := definition.Parse([]byte("kind: Secret\n"), "x"); len(faults) != 1 {
		t.Errorf("no ConfigMap: %v", faults)
	}
}

func TestFromTypedLeavesNoiseOut(t *testing.T) {
	d, err := definition.FromRole("web", injector.Role{}, injector.Origin{Source: "m.yml", Line: 3})
	if err != nil || string(d.JSON) != `{"apiVersion":"colocate.dev/v1","kind":"Role","metadata":{"name":"web"},"spec":{}}` || d.Origin.Line != 3 {
		t.Errorf("%s, %v, %v", d.JSON, d.Origin, err)
	}
	if d := some(t, 1)[0]; bytes.Contains(d.JSON, []byte("resources")) || !bytes.Contains(d.JSON, []byte(`"emptyDir":{}`)) {
		t.Errorf("%s", d.JSON)
	}
	_, err = definition.FromJSON("x", injector.KindRole, []byte(`{"colocated":[null],"zzz":1}`), injector.Origin{})
	if want := "definition \"x\": spec.colocated[0]: null is no value here: give it a value, or remove it\nspec: unknown field \"zzz\": \"colocated\", \"volumeMounts\" and \"volumes\" are known here"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// BenchmarkLoad reads 1,000 definitions of usual size.
func BenchmarkLoad(b *testing.B) {
	maps, err := definition.ConfigMaps(some(b, 1000), definition.Options{})
	if err != nil || len(maps) != 1 {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if defs, faults := definition.Load(maps[0]); len(defs) != 1000 || len(faults) > 0 {
			b.Fatal(faults)
		}
	}
}
