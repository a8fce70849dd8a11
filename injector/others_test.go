package injector

import (
	"encoding/json"
	"fmt"
)

// What others do to a pod between two calls of one admission.

// eachContainer calls do for all containers of a pod.
func eachContainer(pod object, do func(c object, init bool)) {
	spec := pod["spec"].(object)
	for _, key := range []string{"containers", "initContainers"} {
		for _, c := range list(spec, key) {
			do(c.(object), key == "initContainers")
		}
	}
}

func ifAbsent(o object, key string, value any) {
	if _, ok := o[key]; !ok {
		o[key] = value
	}
}

// defaults does what the API server's defaulter does between two calls.
func defaults(pod object) {
	eachContainer(pod, func(c object, _ bool) {
		ifAbsent(c, "terminationMessagePath", "/dev/termination-log")
		ifAbsent(c, "terminationMessagePolicy", "File")
		ifAbsent(c, "imagePullPolicy", "IfNotPresent")
		ifAbsent(c, "resources", object{})
		resources := c["resources"].(object)
		if limits, ok := resources["limits"].(object); ok {
			ifAbsent(resources, "requests", object{})
			for name, q := range limits {
				ifAbsent(resources["requests"].(object), name, q)
			}
		}
		for _, p := range list(c, "ports") {
			ifAbsent(p.(object), "protocol", "TCP")
			if pod["spec"].(object)["hostNetwork"] == true {
				ifAbsent(p.(object), "hostPort", p.(object)["containerPort"])
			}
		}
		for _, key := range []string{"readinessProbe", "livenessProbe"} {
			if p, ok := c[key].(object); ok {
				for name, value := range map[string]string{"timeoutSeconds": "1", "periodSeconds": "10", "successThreshold": "1", "failureThreshold": "3"} {
					ifAbsent(p, name, json.Number(value))
				}
				if h, ok := p["httpGet"].(object); ok {
					ifAbsent(h, "path", "/")
					ifAbsent(h, "scheme", "HTTP")
				}
			}
		}
		for _, e := range list(c, "env") {
			from, _ := e.(object)["valueFrom"].(object)
			if f, ok := from["fieldRef"].(object); ok {
				ifAbsent(f, "apiVersion", "v1")
			}
			if f, ok := from["resourceFieldRef"].(object); ok {
				ifAbsent(f, "divisor", "0")
			}
		}
	})
	for _, v := range list(pod["spec"].(object), "volumes") {
		v := v.(object)
		if len(v) == 1 {
			v["emptyDir"] = object{}
		}
		for _, key := range []string{"configMap", "secret", "downwardAPI", "projected"} {
			if s, ok := v[key].(object); ok {
				ifAbsent(s, "defaultMode", json.Number("420"))
			}
		}
	}
}

func limitRanger(pod object) {
	pod["metadata"].(object)["annotations"].(object)["kubernetes.io/limit-ranger"] = "LimitRanger plugin set: cpu request"
	eachContainer(pod, func(c object, _ bool) {
		ifAbsent(c, "resources", object{})
		ifAbsent(c["resources"].(object), "requests", object{})
		ifAbsent(c["resources"].(object)["requests"].(object), "cpu", "1m")
	})
}

func pullAlways(pod object) {
	eachContainer(pod, func(c object, _ bool) { c["imagePullPolicy"] = "Always" })
}

func rewriteImages(pod object) {
	eachContainer(pod, func(c object, _ bool) {
		c["image"] = fmt.Sprint("mirror.example.org/", c["image"], "@sha256:0")
	})
}

// mountTokens is the ServiceAccount plugin, which runs again after each webhook.
func mountTokens(pod object) {
	spec := pod["spec"].(object)
	spec["volumes"] = append(list(spec, "volumes"), object{"name": "kube-api-access-abcde", "projected": object{"sources": []any{object{"serviceAccountToken": object{"path": "token"}}}}})
	eachContainer(pod, func(c object, _ bool) {
		c["volumeMounts"] = append(list(c, "volumeMounts"), object{"name": "kube-api-access-abcde", "readOnly": true, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"})
	})
	ifAbsent(spec, "imagePullSecrets", []any{object{"name": "of-the-service-account"}})
}

// everyone is all of them, and another injector that puts its containers first.
func everyone(pod object) {
	spec := pod["spec"].(object)
	spec["containers"] = append([]any{object{"name": "another-injector", "image": "i"}}, list(spec, "containers")...)
	spec["initContainers"] = append([]any{object{"name": "another-setup", "image": "i"}}, list(spec, "initContainers")...)
	for _, do := range []func(object){defaults, limitRanger, pullAlways, rewriteImages, mountTokens} {
		do(pod)
	}
}
