package injector

import (
	"strings"
	"testing"
)

// TestValidateContainer: each field is one that the API server would refuse in a
// pod, with the path that the message names. An empty path means that it is fine.
func TestValidateContainer(t *testing.T) {
	for _, c := range []struct{ fields, path string }{
		{``, ""},
		{`"image":""`, "image"},
		{`"image":" x"`, "image"},
		{`"imagePullPolicy":"Sometimes"`, "imagePullPolicy"},
		{`"terminationMessagePolicy":"x"`, "terminationMessagePolicy"},
		{`"restartPolicy":"Always"`, "restartPolicy"},
		{`"restartPolicyRules":[{"action":"Restart"}]`, "restartPolicy"},
		{`"name":"other"`, "name"},

		{`"ports":[{"containerPort":80,"name":"http"},{"containerPort":81}]`, ""},
		{`"ports":[{"containerPort":0}]`, "ports[0].containerPort"},
		{`"ports":[{"containerPort":65536}]`, "ports[0].containerPort"},
		{`"ports":[{"containerPort":1,"hostPort":70000}]`, "ports[0].hostPort"},
		{`"ports":[{"containerPort":1,"hostPort":80},{"containerPort":2,"hostPort":80}]`, "ports[1].hostPort"},
		{`"ports":[{"containerPort":1,"protocol":"tcp"}]`, "ports[0].protocol"},
		{`"ports":[{"containerPort":1,"name":"Http"}]`, "ports[0].name"},
		{`"ports":[{"containerPort":1,"name":"a-very-long-name"}]`, "ports[0].name"},
		{`"ports":[{"containerPort":1,"name":"a"},{"containerPort":2,"name":"a"}]`, "ports[1].name"},
		{`"ports":[{"containerPort":1},{"containerPort":1,"protocol":"TCP"}]`, "ports[1].containerPort"},

		{`"env":[{"name":"a.b-C","value":"x"},{"name":"E","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['a.b/c']"}}}]`, ""},
		{`"env":[{"name":""}]`, "env[0].name"},
		{`"env":[{"name":"A=B"}]`, "env[0].name"},
		{`"env":[{"name":"A","valueFrom":{}}]`, "env[0].valueFrom"},
		{`"env":[{"name":"A","value":"x","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]`, "env[0].valueFrom"},
		{`"env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels"}}}]`, "env[0].valueFrom.fieldRef.fieldPath"},
		{`"env":[{"name":"A","valueFrom":{"fieldRef":{"apiVersion":"v2","fieldPath":"metadata.name"}}}]`, "env[0].valueFrom.fieldRef.apiVersion"},
		{`"env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.annotations['a b']"}}}]`, "env[0].valueFrom.fieldRef.fieldPath"},
		{`"env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.gpu"}}}]`, "env[0].valueFrom.resourceFieldRef.resource"},
		{`"env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"1Mi"}}}]`, "env[0].valueFrom.resourceFieldRef.divisor"},
		{`"env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.memory","divisor":"1Mi"}}}]`, ""},
		{`"env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"X","key":"k"}}}]`, "env[0].valueFrom.configMapKeyRef.name"},
		{`"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"x","key":"a/b"}}}]`, "env[0].valueFrom.secretKeyRef.key"},
		{`"env":[{"name":"A","valueFrom":{"fileKeyRef":{"volumeName":"v","path":"../x","key":"K"}}}]`, "env[0].valueFrom.fileKeyRef.path"},
		{`"env":[{"name":"A","valueFrom":{"fileKeyRef":{"volumeName":"conf","path":"x","key":"K"}}}]`, "env[0].valueFrom.fileKeyRef.volumeName"},
		{`"envFrom":[{"prefix":"A=","configMapRef":{"name":"x"}}]`, "envFrom[0].prefix"},
		{`"envFrom":[{}]`, "envFrom[0]"},
		{`"envFrom":[{"secretRef":{"name":""}}]`, "envFrom[0].secretRef.name"},

		{`"volumeMounts":[{"name":"v","mountPath":"relative"}]`, "volumeMounts[0].mountPath"},
		{`"volumeMounts":[{"name":"v","mountPath":"/a:b"}]`, "volumeMounts[0].mountPath"},
		{`"volumeMounts":[{"name":"","mountPath":"/a"}]`, "volumeMounts[0].name"},
		{`"volumeMounts":[{"name":"v","mountPath":"/a"},{"name":"v","mountPath":"/a/"}]`, "volumeMounts[1].mountPath"},
		{`"volumeMounts":[{"name":"v","mountPath":"/a","subPath":"a/../b"}]`, "volumeMounts[0].subPath"},
		{`"volumeMounts":[{"name":"v","mountPath":"/a","subPath":"/b"}]`, "volumeMounts[0].subPath"},
		{`"volumeMounts":[{"name":"v","mountPath":"/a","subPath":"x","subPathExpr":"$(X)"}]`, "volumeMounts[0].subPathExpr"},
		{`"volumeMounts":[{"name":"v","mountPath":"/a","mountPropagation":"Bidirectional"}]`, "volumeMounts[0].mountPropagation"},
		{`"securityContext":{"privileged":true},"volumeMounts":[{"name":"v","mountPath":"/a","mountPropagation":"Bidirectional"}]`, ""},
		{`"volumeMounts":[{"name":"v","mountPath":"/a","recursiveReadOnly":"Enabled"}]`, "volumeMounts[0].recursiveReadOnly"},
		{`"volumeMounts":[{"name":"v","mountPath":"/a","readOnly":true,"recursiveReadOnly":"Enabled"}]`, ""},
		{`"volumeMounts":[{"name":"v","mountPath":"/a","bindMountOptions":["noexec","noexec"]}]`, "volumeMounts[0].bindMountOptions[1]"},
		{`"volumeMounts":[{"name":"v","mountPath":"/a","bindMountOptions":["ro"]}]`, "volumeMounts[0].bindMountOptions[0]"},

		{`"resources":{"requests":{"cpu":"2"},"limits":{"cpu":"1"}}`, "resources.requests[cpu]"},
		{`"resources":{"requests":{"cpu":-1}}`, "resources.requests[cpu]"},
		{`"resources":{"requests":{"gpu":1}}`, "resources.requests[gpu]"},
		{`"resources":{"requests":{"example.org/gpu":1}}`, "resources.limits[example.org/gpu]"},
		{`"resources":{"limits":{"example.org/gpu":1}}`, ""},
		{`"resources":{"limits":{"example.org/gpu":0.5}}`, "resources.limits[example.org/gpu]"},
		{`"resources":{"requests":{"example.org/gpu":1},"limits":{"example.org/gpu":2}}`, "resources.requests[example.org/gpu]"},
		{`"resources":{"limits":{"hugepages-2Mi":"4Mi"}}`, "resources: "},
		{`"resources":{"limits":{"hugepages-2Mi":"4Mi","cpu":1}}`, ""},
		{`"resources":{"limits":{"hugepages-2Mi":"3Mi","cpu":1}}`, "resources.limits[hugepages-2Mi]"},
		{`"resources":{"limits":{"requests.x/y":1}}`, "resources.limits[requests.x/y]"},
		{`"resources":{"claims":[{"name":"c"}]}`, "resources.claims"},
		{`"resizePolicy":[{"resourceName":"cpu","restartPolicy":"NotRequired"}]`, ""},
		{`"resizePolicy":[{"resourceName":"disk","restartPolicy":"NotRequired"}]`, "resizePolicy[0].resourceName"},
		{`"resizePolicy":[{"resourceName":"cpu","restartPolicy":"x"}]`, "resizePolicy[0].restartPolicy"},
		{`"resizePolicy":[{"resourceName":"cpu","restartPolicy":"NotRequired"},{"resourceName":"cpu","restartPolicy":"NotRequired"}]`, "resizePolicy[1].resourceName"},

		{`"securityContext":{"runAsUser":-1}`, "securityContext.runAsUser"},
		{`"securityContext":{"runAsGroup":2147483648}`, "securityContext.runAsGroup"},
		{`"securityContext":{"privileged":true,"allowPrivilegeEscalation":false}`, "securityContext"},
		{`"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"add":["CAP_SYS_ADMIN"]}}`, "securityContext"},
		{`"securityContext":{"procMount":"x"}`, "securityContext.procMount"},
		{`"securityContext":{"windowsOptions":{}}`, "securityContext.windowsOptions"},
		{`"securityContext":{"seccompProfile":{}}`, "securityContext.seccompProfile.type"},
		{`"securityContext":{"seccompProfile":{"type":"Localhost"}}`, "securityContext.seccompProfile.localhostProfile"},
		{`"securityContext":{"seccompProfile":{"type":"Localhost","localhostProfile":"../x"}}`, "securityContext.seccompProfile.localhostProfile"},
		{`"securityContext":{"appArmorProfile":{"type":"RuntimeDefault","localhostProfile":"x"}}`, "securityContext.appArmorProfile.localhostProfile"},
		{`"securityContext":{"appArmorProfile":{"type":"Localhost","localhostProfile":" x"}}`, "securityContext.appArmorProfile.localhostProfile"},
		{`"securityContext":{"appArmorProfile":{"type":"Localhost","localhostProfile":"x"},"seccompProfile":{"type":"RuntimeDefault"}}`, ""},

		{`"livenessProbe":{}`, "livenessProbe"},
		{`"livenessProbe":{"exec":{"command":["a"]},"grpc":{"port":1}}`, "livenessProbe"},
		{`"livenessProbe":{"exec":{"command":[]}}`, "livenessProbe.exec.command"},
		{`"livenessProbe":{"exec":{"command":["a"]},"successThreshold":2}`, "livenessProbe.successThreshold"},
		{`"readinessProbe":{"exec":{"command":["a"]},"successThreshold":2}`, ""},
		{`"readinessProbe":{"exec":{"command":["a"]},"periodSeconds":-1}`, "readinessProbe.periodSeconds"},
		{`"readinessProbe":{"exec":{"command":["a"]},"terminationGracePeriodSeconds":1}`, "readinessProbe.terminationGracePeriodSeconds"},
		{`"startupProbe":{"exec":{"command":["a"]},"terminationGracePeriodSeconds":0}`, "startupProbe.terminationGracePeriodSeconds"},
		{`"livenessProbe":{"httpGet":{"port":"Http"}}`, "livenessProbe.httpGet.port"},
		{`"livenessProbe":{"httpGet":{"port":0}}`, "livenessProbe.httpGet.port"},
		{`"livenessProbe":{"httpGet":{"port":1,"scheme":"http"}}`, "livenessProbe.httpGet.scheme"},
		{`"livenessProbe":{"httpGet":{"port":1,"httpHeaders":[{"name":"a b","value":"x"}]}}`, "livenessProbe.httpGet.httpHeaders[0].name"},
		{`"livenessProbe":{"httpGet":{"port":1,"protocol":"HTTP2","host":"x"}}`, "livenessProbe.httpGet.protocol"},
		{`"livenessProbe":{"tcpSocket":{"port":70000}}`, "livenessProbe.tcpSocket.port"},
		{`"livenessProbe":{"grpc":{"port":0}}`, "livenessProbe.grpc.port"},
		{`"livenessProbe":{"grpc":{"port":1,"mode":"x"}}`, "livenessProbe.grpc.mode"},
		{`"lifecycle":{"preStop":{}}`, "lifecycle.preStop"},
		{`"lifecycle":{"preStop":{"sleep":{"seconds":-1}}}`, "lifecycle.preStop.sleep.seconds"},
		{`"lifecycle":{"postStart":{"httpGet":{"port":0}}}`, "lifecycle.postStart.httpGet.port"},
		{`"lifecycle":{"stopSignal":"TERM"}`, "lifecycle.stopSignal"},
		{`"lifecycle":{"stopSignal":"SIGRTMIN+15"}`, ""},
		{`"lifecycle":{"stopSignal":"SIGRTMAX-15"}`, "lifecycle.stopSignal"},
	} {
		checkValidation(t, "auto", c.fields, `[{"name":"conf","configMap":{"name":"c"}}]`, "spec.container.", c.path)
	}
	for _, fields := range []string{`"livenessProbe":{"exec":{"command":["a"]}}`, `"lifecycle":{}`, `"resizePolicy":[{"resourceName":"cpu","restartPolicy":"RestartContainer"}]`} {
		name, _, _ := strings.Cut(strings.Trim(fields, `"`), `"`)
		checkValidation(t, "init", fields, `[]`, "spec.container.", name)
	}
	checkValidation(t, "sidecar", ``, `[]`, "spec.", "placement")
}

func TestValidateVolumes(t *testing.T) {
	for _, c := range []struct{ volume, path string }{
		{`"name":"V"`, "name"},
		{`"name":"v","emptyDir":{},"configMap":{"name":"c"}`, ":"},
		{`"name":"v","emptyDir":{"medium":"Disk"}`, "emptyDir.medium"},
		{`"name":"v","emptyDir":{"medium":"HugePages-2Mi"}`, ""},
		{`"name":"v","emptyDir":{"sizeLimit":-1}`, "emptyDir.sizeLimit"},
		{`"name":"v","emptyDir":{"mode":1024}`, "emptyDir.mode"},
		{`"name":"v","configMap":{}`, "configMap.name"},
		{`"name":"v","configMap":{"name":"c","defaultMode":512}`, "configMap.defaultMode"},
		{`"name":"v","configMap":{"name":"c","items":[{"key":"","path":"p"}]}`, "configMap.items[0].key"},
		{`"name":"v","configMap":{"name":"c","items":[{"key":"k","path":"../p"}]}`, "configMap.items[0].path"},
		{`"name":"v","configMap":{"name":"c","items":[{"key":"k","path":"..p"}]}`, "configMap.items[0].path"},
		{`"name":"v","configMap":{"name":"c","items":[{"key":"k","path":"/p"}]}`, "configMap.items[0].path"},
		{`"name":"v","configMap":{"name":"c","items":[{"key":"k","path":"p","mode":-1}]}`, "configMap.items[0].mode"},
		{`"name":"v","secret":{}`, "secret.secretName"},
		{`"name":"v","secret":{"secretName":"s","items":[{"key":"k","path":""}]}`, "secret.items[0].path"},
		{`"name":"v","secret":{"secretName":"s","defaultUser":-1}`, "secret.defaultUser"},
		{`"name":"v","downwardAPI":{"items":[{"path":"p"}]}`, "downwardAPI.items[0]"},
		{`"name":"v","downwardAPI":{"items":[{"path":"p","fieldRef":{"fieldPath":"spec.nodeName"}}]}`, "downwardAPI.items[0].fieldRef.fieldPath"},
		{`"name":"v","downwardAPI":{"items":[{"path":"p","fieldRef":{"fieldPath":"metadata.labels"}}]}`, ""},
		{`"name":"v","downwardAPI":{"items":[{"path":"p","resourceFieldRef":{"resource":"limits.cpu"}}]}`, "downwardAPI.items[0].resourceFieldRef.containerName"},
		{`"name":"v","image":{}`, "image.reference"},
		{`"name":"v","image":{"reference":"i","pullPolicy":"x"}`, "image.pullPolicy"},
		{`"name":"v","projected":{"sources":[{"secret":{"name":"s"},"configMap":{"name":"c"}}]}`, "projected.sources[0]"},
		{`"name":"v","projected":{"sources":[{"secret":{}}]}`, "projected.sources[0].secret.name"},
		{`"name":"v","projected":{"sources":[{"secret":{"name":"s","items":[{"key":"a","path":"x"}]}},{"configMap":{"name":"s","items":[{"key":"a","path":"x"}]}}]}`, "projected.sources[1]"},
		{`"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}`, ""},
		{`"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t","expirationSeconds":1}}]}`, "projected.sources[0].serviceAccountToken.expirationSeconds"},
		{`"name":"v","projected":{"sources":[{"serviceAccountToken":{}}]}`, "projected.sources[0].serviceAccountToken.path"},
		{`"name":"v","projected":{"sources":[{"clusterTrustBundle":{"path":"p"}}]}`, "projected.sources[0].clusterTrustBundle"},
		{`"name":"v","projected":{"sources":[{"clusterTrustBundle":{"name":"n","path":"p"}}]}`, ""},
		{`"name":"v","projected":{"sources":[{"podCertificate":{"signerName":"a/b","keyType":"x","keyPath":"k"}}]}`, "projected.sources[0].podCertificate.keyType"},
		{`"name":"v","projected":{"sources":[{"podCertificate":{"signerName":"a/b","keyType":"ED25519"}}]}`, "projected.sources[0].podCertificate"},
		{`"name":"v","projected":{"sources":[{"podCertificate":{"signerName":"a/b","keyType":"ED25519","keyPath":"k"}}]}`, ""},
	} {
		if c.path == ":" {
			checkValidation(t, "auto", ``, "[{"+c.volume+"}]", "spec.volumes[0]: ", "Invalid")
			continue
		}
		checkValidation(t, "auto", ``, "[{"+c.volume+"}]", "spec.volumes[0].", c.path)
	}
	checkValidation(t, "auto", ``, `[{"name":"v"},{"name":"v"}]`, "spec.volumes[1].", "name")
}

// checkValidation expects one error at the path, or none.
func checkValidation(t *testing.T, placement, fields, volumes, prefix, path string) {
	t.Helper()
	base := `"name":"a","image":"i"`
	for _, key := range []string{"name", "image"} {
		if strings.HasPrefix(fields, `"`+key+`"`) {
			base = map[string]string{"name": `"image":"i"`, "image": `"name":"a"`}[key]
		}
	}
	if fields != "" {
		base += ","
	}
	d := definitionFromJSON(t, `{"kind":"ColocatedContainer","metadata":{"name":"a"},"spec":{"placement":"`+placement+`","container":{`+base+fields+`},"volumes":`+volumes+`}}`)
	errs := ValidateColocated("a", d.Colocated)
	switch {
	case path == "" && len(errs) > 0:
		t.Errorf("%s %s: %v", fields, volumes, errs)
	case path != "" && (len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), prefix+path)):
		t.Errorf("%s %s: %v, want one error at %s%s", fields, volumes, errs, prefix, path)
	}
}

func TestValidateRole(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{`{"volumeMounts":[{"name":"v","mountPath":"v"}]}`, "spec.volumeMounts[0].mountPath: "},
		{`{"volumeMounts":[{"name":"v","mountPath":"/v","mountPropagation":"Bidirectional"}]}`, "spec.volumeMounts[0].mountPropagation: "},
		{`{"volumes":[{"name":"v","secret":{}}]}`, "spec.volumes[0].secret.secretName: "},
	} {
		errs := ValidateRole(definitionFromJSON(t, `{"kind":"Role","metadata":{"name":"r"},"spec":`+c.spec+`}`).Role)
		if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), c.want) {
			t.Errorf("%s: %v, want one at %s", c.spec, errs, c.want)
		}
	}
}
