package podgen

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// Document is one definition.
type Document struct {
	// Name is metadata.name.
	Name string
	// Main is true for a role, false for a colocated container.
	Main bool
	// JSON is the document as the value of a key in a definitions ConfigMap.
	JSON []byte
}

// New returns the source of randomness for a seed.
func New(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x636f6c6f63617465)) }

type object = map[string]any

// parts of names; few, so that pods and definitions meet.
var (
	volumeNames    = []string{"share", "conf", "cache", "tokens", "scratch", "data"}
	containerNames = []string{"app", "web", "agent", "db", "cron", "reader", "writer", "cache-warmer"}
	mountPaths     = []string{"/mnt/share", "/mnt/share/", "/var/cache", "/etc/conf", "/data", "/mnt//odd", "/run/x y", "/mnt/é"}
	ports          = []int{80, 443, 8080, 8081, 8082, 8083, 9001, 9002, 9003}
)

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func chance(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }

// Definitions returns a set of definitions that load together: colocated
// containers, roles that use some of them, and a role without any.
func Definitions(r *rand.Rand) []Document {
	sources := volumeSet(r)
	var docs []Document
	var helpers []string
	for _, name := range shuffled(r, "agent", "proxy", "shipper", "setup", "metrics")[:2+r.IntN(4)] {
		helpers = append(helpers, name)
		docs = append(docs, document(name, false, colocated(r, name, len(helpers), sources)))
	}
	for i := range 1 + r.IntN(4) {
		name := fmt.Sprintf("role-%d", i)
		if i == 1 {
			name = "web"
		}
		docs = append(docs, document(name, true, role(r, shuffled(r, helpers...)[:1+r.IntN(len(helpers))], sources)))
	}
	return append(docs, document("bare", true, object{}))
}

func document(name string, main bool, spec object) Document {
	kind := "ColocatedContainer"
	if main {
		kind = "Role"
	}
	text, err := json.Marshal(object{"apiVersion": "colocate.dev/v1", "kind": kind, "metadata": object{"name": name}, "spec": spec})
	if err != nil {
		text = []byte(err.Error()) // maps of plain values always marshal
	}
	return Document{Name: name, Main: main, JSON: text}
}

func shuffled(r *rand.Rand, list ...string) []string {
	out := append([]string(nil), list...)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// volumeSet gives each volume name one meaning, for all definitions of a set.
func volumeSet(r *rand.Rand) map[string]object {
	out := map[string]object{}
	for _, name := range volumeNames {
		out[name] = pick(r,
			object{"emptyDir": object{}}, object{"emptyDir": object{}}, object{"emptyDir": object{}},
			object{"emptyDir": object{"medium": "Memory", "sizeLimit": "64Mi"}},
			object{"configMap": object{"name": "conf", "optional": true, "items": []any{object{"key": "a", "path": "a.yml", "mode": 0o440}}}},
			object{"secret": object{"secretName": "conf", "defaultMode": 0o400}},
			object{"downwardAPI": object{"items": []any{object{"path": "labels", "fieldRef": object{"fieldPath": "metadata.labels"}}}}},
			object{"projected": object{"sources": []any{object{"configMap": object{"name": "conf"}}, object{"serviceAccountToken": object{"path": "token", "expirationSeconds": 3600}}}}},
		)
		out[name]["name"] = name
	}
	return out
}

func colocated(r *rand.Rand, name string, number int, sources map[string]object) object {
	c := object{"name": name, "image": "example.org/" + name + ":1." + fmt.Sprint(r.IntN(9))}
	placement := pick(r, "auto", "auto", "auto", "container", "native-first", "native-last", "init")
	mounts, volumes := mountsOf(r, sources)
	if len(mounts) > 0 {
		c["volumeMounts"] = mounts
	}
	maybe(r, c, 50, "resources", func() any { return resources(r) })
	maybe(r, c, 40, "env", func() any { return env(r) })
	maybe(r, c, 30, "args", func() any { return []any{"--follow", "<&>", "ü\n\"x\""} })
	maybe(r, c, 20, "securityContext", func() any { return security(r) })
	// Ports of two colocated containers must differ.
	maybe(r, c, 40, "ports", func() any {
		return []any{object{"containerPort": pick(r, 8080, 9000) + number, "protocol": pick(r, "TCP", "UDP"), "name": pick(r, "http", "metrics", "dns")}}
	})
	if placement != "init" {
		maybe(r, c, 30, "readinessProbe", func() any { return probe(r) })
		maybe(r, c, 20, "livenessProbe", func() any { return probe(r) })
		maybe(r, c, 20, "lifecycle", func() any { return lifecycle(r) })
	}
	spec := object{"container": c}
	if placement != "auto" || chance(r, 50) {
		spec["placement"] = placement
	}
	if len(volumes) > 0 {
		spec["volumes"] = volumes
	}
	maybe(r, spec, 25, "imagePullSecrets", func() any { return []any{object{"name": pick(r, "registry", "mirror")}} })
	return spec
}

func role(r *rand.Rand, helpers []string, sources map[string]object) object {
	spec := object{"colocated": helpers}
	if mounts, volumes := mountsOf(r, sources); len(mounts) > 0 {
		spec["volumeMounts"], spec["volumes"] = mounts, volumes
	}
	return spec
}

// mountsOf picks mounts at different paths, and the volumes that they name.
func mountsOf(r *rand.Rand, sources map[string]object) (mounts, volumes []any) {
	if chance(r, 25) {
		return nil, nil
	}
	names := shuffled(r, volumeNames...)[:1+r.IntN(3)]
	paths := []string{"/mnt/share", "/var/cache/", "/etc/conf"}
	for i, name := range names {
		m := object{"name": name, "mountPath": paths[i]}
		if chance(r, 20) {
			m["readOnly"] = true
		}
		if chance(r, 10) {
			m["subPath"] = "logs"
		}
		mounts = append(mounts, m)
		volumes = append(volumes, sources[name])
	}
	return mounts, volumes
}

func maybe(r *rand.Rand, o object, percent int, key string, value func() any) {
	if chance(r, percent) {
		o[key] = value()
	}
}
