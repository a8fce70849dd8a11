package podgen

import (
	"fmt"
	"math/rand/v2"
)

func podContainer(r *rand.Rand, name string, volumes []string, host *int, hostNetwork bool) object {
	c := object{"name": name, "image": "example.org/" + name + ":2"}
	maybe(r, c, 10, "image", func() any { return "example.org/" + name + "@sha256:" + fmt.Sprintf("%064x", r.Uint64()) })
	if len(volumes) > 0 && chance(r, 70) {
		var mounts []any
		for i, path := range shuffled(r, mountPaths...)[:1+r.IntN(2)] {
			mounts = append(mounts, object{"name": volumes[i%len(volumes)], "mountPath": path})
		}
		c["volumeMounts"] = mounts
	} else {
		maybe(r, c, 10, "volumeMounts", func() any { return []any{} })
	}
	maybe(r, c, 40, "ports", func() any {
		p := object{"containerPort": pick(r, ports...), "name": pick(r, "http", "admin", "dns")}
		maybe(r, p, 50, "protocol", func() any { return pick(r, "TCP", "UDP", "SCTP") })
		if hostNetwork {
			// The host's port is the container's, and two of them must differ.
			*host++
			p["containerPort"], p["hostPort"] = *host, *host
		} else if chance(r, 20) {
			*host++
			p["hostPort"] = *host
		}
		return []any{p}
	})
	maybe(r, c, 40, "resources", func() any { return resources(r) })
	maybe(r, c, 40, "env", func() any { return env(r) })
	maybe(r, c, 20, "command", func() any { return []any{"sh", "-c", "sleep 1 && echo \"<done>\" \u2028 ü"} })
	maybe(r, c, 20, "envFrom", func() any {
		return []any{object{"prefix": "X_", "configMapRef": object{"name": "conf", "optional": true}}}
	})
	maybe(r, c, 20, "securityContext", func() any { return security(r) })
	maybe(r, c, 20, "readinessProbe", func() any { return probe(r) })
	maybe(r, c, 20, "livenessProbe", func() any { return probe(r) })
	maybe(r, c, 15, "lifecycle", func() any {
		return object{"postStart": object{"exec": object{"command": []any{"true"}}}}
	})
	maybe(r, c, 20, "imagePullPolicy", func() any { return pick(r, "Always", "IfNotPresent", "Never") })
	maybe(r, c, 10, "workingDir", func() any { return "/srv" })
	maybe(r, c, 5, "stdin", func() any { return true })
	return c
}

func resources(r *rand.Rand) object {
	return pick(r,
		object{"requests": object{"cpu": 0.1, "memory": "64Mi"}},
		object{"requests": object{"cpu": "100m"}, "limits": object{"cpu": "1", "memory": "1e8"}},
		object{"limits": object{"cpu": 1, "ephemeral-storage": "1Gi"}},
		object{"requests": object{"memory": "0.5Gi"}},
		object{"limits": object{"example.org/gpu": 1}},
		object{},
	)
}

func env(r *rand.Rand) []any {
	list := []any{
		object{"name": "PLAIN", "value": "a \"b\" <c> \\ é"},
		object{"name": "NODE", "valueFrom": object{"fieldRef": object{"fieldPath": "spec.nodeName"}}},
		object{"name": "MEMORY", "valueFrom": object{"resourceFieldRef": object{"resource": "limits.memory", "divisor": "1Mi"}}},
		object{"name": "TOKEN", "valueFrom": object{"secretKeyRef": object{"name": "conf", "key": "token", "optional": true}}},
		object{"name": "EMPTY"},
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:1+r.IntN(len(list))]
}

func security(r *rand.Rand) object {
	return pick(r,
		object{"runAsUser": 1000, "allowPrivilegeEscalation": false, "capabilities": object{"drop": []any{"ALL"}}},
		object{"readOnlyRootFilesystem": true, "seccompProfile": object{"type": "RuntimeDefault"}},
		object{"capabilities": object{"add": []any{"NET_ADMIN"}}, "runAsNonRoot": false},
		object{},
	)
}

func probe(r *rand.Rand) object {
	return pick(r,
		object{"httpGet": object{"port": 8080}},
		object{"httpGet": object{"path": "/healthz", "port": "http", "scheme": "HTTPS"}, "periodSeconds": 5},
		object{"tcpSocket": object{"port": 9090}, "failureThreshold": 30},
		object{"exec": object{"command": []any{"true"}}, "initialDelaySeconds": 1, "timeoutSeconds": 2},
		object{"grpc": object{"port": 9000}},
	)
}

func lifecycle(r *rand.Rand) object {
	return pick(r,
		object{"preStop": object{"exec": object{"command": []any{"sleep", "1"}}}},
		object{"preStop": object{"sleep": object{"seconds": pick(r, 1, 10, 60)}}},
		object{"postStart": object{"httpGet": object{"port": 8080, "path": "/start"}}},
	)
}
