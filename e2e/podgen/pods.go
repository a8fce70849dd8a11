package podgen

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// Pod returns a v1.Pod as JSON, to be created in any namespace. Its role
// annotation names one of roles. No two pods of one source have the same name.
func Pod(r *rand.Rand, roles []string) []byte {
	meta := object{"annotations": annotations(r, roles)}
	if chance(r, 50) {
		meta["generateName"] = "gen-"
	} else {
		meta["name"] = fmt.Sprintf("pod-%x", r.Uint64())
	}
	maybe(r, meta, 60, "labels", func() any {
		return pick(r, object{}, object{"app": "web"}, object{"app": "web", "example.org/a.b_c": ""})
	})
	text, err := json.Marshal(object{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec(r)})
	if err != nil {
		text = []byte(err.Error()) // maps of plain values always marshal
	}
	return text
}

func annotations(r *rand.Rand, roles []string) object {
	a := object{"colocate.dev/role": pick(r, roles...)}
	if chance(r, 3) {
		a["colocate.dev/role"] = pick(r, "unknown", "rol-0")
	}
	maybe(r, a, 15, "colocate.dev/main-container", func() any { return pick(r, containerNames...) })
	maybe(r, a, 15, "kubectl.kubernetes.io/default-container", func() any { return pick(r, containerNames...) })
	maybe(r, a, 3, "colocate.dev/inject", func() any { return pick(r, "true", "false") })
	maybe(r, a, 8, "colocate.dev/status", func() any {
		return pick(r, "", "{}", `{"v":1,"role":"role-0","hash":"sha256:0","containers":["agent","proxy"],"initContainers":["setup"],"volumes":["share","conf"],"mounts":{"app":["/mnt/share"]}}`)
	})
	maybe(r, a, 20, "example.org/a~b", func() any { return "x/~0~1 \"quoted\"\n<ü>" })
	return a
}

func spec(r *rand.Rand) object {
	s := object{}
	volumes := podVolumes(r, s)
	hostNetwork := chance(r, 10)
	names := shuffled(r, containerNames...)
	host := 20000
	var containers, inits []any
	for i := range 1 + r.IntN(3) {
		containers = append(containers, podContainer(r, names[i], volumes, &host, hostNetwork))
	}
	s["containers"] = containers
	names = names[3:]
	for i := range r.IntN(3) {
		c := podContainer(r, names[i], volumes, &host, hostNetwork)
		if chance(r, 40) {
			c["restartPolicy"] = "Always"
		} else {
			delete(c, "readinessProbe")
			delete(c, "livenessProbe")
			delete(c, "lifecycle")
		}
		inits = append(inits, c)
	}
	if len(inits) > 0 || chance(r, 20) {
		s["initContainers"] = inits
	}
	maybe(r, s, 50, "restartPolicy", func() any { return pick(r, "Always", "OnFailure", "Never") })
	maybe(r, s, 30, "terminationGracePeriodSeconds", func() any { return pick(r, 5, 30, 120) })
	maybe(r, s, 25, "imagePullSecrets", func() any {
		return pick(r, []any{}, []any{object{"name": "registry"}}, []any{object{"name": "other"}, object{"name": "mirror"}})
	})
	if hostNetwork {
		s["hostNetwork"] = true
	} else {
		maybe(r, s, 5, "hostUsers", func() any { return false })
	}
	settings(r, s)
	return s
}

// settings are fields of a pod that say nothing of its containers.
func settings(r *rand.Rand, s object) {
	maybe(r, s, 15, "os", func() any { return object{"name": "linux"} })
	maybe(r, s, 20, "nodeSelector", func() any { return object{"kubernetes.io/os": pick(r, "linux", "linux", "linux", "windows")} })
	maybe(r, s, 20, "automountServiceAccountToken", func() any { return false })
	maybe(r, s, 15, "resources", func() any {
		return pick(r, object{"requests": object{"cpu": "1", "memory": "1Gi"}}, object{"limits": object{"cpu": "2", "memory": "2Gi"}}, object{"requests": object{"cpu": "20"}, "limits": object{"cpu": "40"}})
	})
	maybe(r, s, 15, "securityContext", func() any {
		return object{"fsGroup": 2000, "runAsNonRoot": true, "sysctls": []any{object{"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}}}
	})
	maybe(r, s, 10, "tolerations", func() any {
		return []any{object{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}}
	})
	maybe(r, s, 10, "affinity", func() any {
		return object{"podAntiAffinity": object{"preferredDuringSchedulingIgnoredDuringExecution": []any{object{"weight": 1, "podAffinityTerm": object{"topologyKey": "kubernetes.io/hostname", "labelSelector": object{"matchLabels": object{"app": "web"}}}}}}}
	})
	maybe(r, s, 10, "topologySpreadConstraints", func() any {
		return []any{object{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}}
	})
	maybe(r, s, 10, "hostAliases", func() any { return []any{object{"ip": "192.0.2.1", "hostnames": []any{"a.example"}}} })
	maybe(r, s, 10, "dnsConfig", func() any { return object{"options": []any{object{"name": "ndots", "value": "2"}}} })
	maybe(r, s, 10, "schedulingGates", func() any { return []any{object{"name": "example.org/gate"}} })
	maybe(r, s, 10, "readinessGates", func() any { return []any{object{"conditionType": "example.org/ready"}} })
	maybe(r, s, 10, "shareProcessNamespace", func() any { return true })
	maybe(r, s, 10, "activeDeadlineSeconds", func() any { return 3600 })
	maybe(r, s, 10, "enableServiceLinks", func() any { return false })
}

// podVolumes sets the pod's volumes and returns the names that may be mounted
// and those that are block devices.
func podVolumes(r *rand.Rand, s object) (mountable []string) {
	if chance(r, 30) {
		if chance(r, 30) {
			s["volumes"] = []any{}
		}
		return nil
	}
	var list []any
	for _, name := range shuffled(r, volumeNames...)[:1+r.IntN(4)] {
		v := object{"name": name}
		for key, value := range source(r) {
			v[key] = value
		}
		list = append(list, v)
		mountable = append(mountable, name)
	}
	s["volumes"] = list
	return mountable
}

func source(r *rand.Rand) object {
	return pick(r,
		object{}, object{"emptyDir": object{}}, object{"emptyDir": object{}}, object{"emptyDir": object{}},
		object{"emptyDir": object{"medium": "Memory", "sizeLimit": "64Mi"}},
		object{"configMap": object{"name": "conf", "optional": true}},
		object{"secret": object{"secretName": "conf", "optional": true}},
		object{"downwardAPI": object{"items": []any{object{"path": "name", "fieldRef": object{"fieldPath": "metadata.name"}}}}},
		object{"projected": object{"sources": []any{object{"secret": object{"name": "conf", "optional": true}}}}},
		object{"persistentVolumeClaim": object{"claimName": "data-0"}},
		object{"ephemeral": object{"volumeClaimTemplate": object{"spec": object{"accessModes": []any{"ReadWriteOnce"}, "resources": object{"requests": object{"storage": "1Gi"}}}}}},
		object{"hostPath": object{"path": "/var/log"}},
		object{"nfs": object{"server": "nfs.example.org", "path": "/export"}},
		object{"csi": object{"driver": "secrets.example.org", "readOnly": true}},
	)
}
