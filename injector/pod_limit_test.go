package injector_test

import (
	"strings"
	"testing"

	"colocate.dev/colocate/injector"
)

// A pod with absurdly many parts is not read to its end, wherever they stand.
func TestReadPodIsBounded(t *testing.T) {
	const most = 50_000
	list := func(n int) string { return strings.Repeat("{},", n-1) + "{}" }
	cases := map[string]func(n int) string{
		"containers":      func(n int) string { return `{"spec":{"containers":[` + list(n) + `]}}` },
		"init containers": func(n int) string { return `{"spec":{"initContainers":[` + list(n) + `]}}` },
		"volumes":         func(n int) string { return `{"spec":{"volumes":[` + list(n) + `]}}` },
		"pull secrets":    func(n int) string { return `{"spec":{"imagePullSecrets":[` + list(n) + `]}}` },
		"mounts":          func(n int) string { return `{"spec":{"containers":[{"volumeMounts":[` + list(n-1) + `]}]}}` },
		"ports":           func(n int) string { return `{"spec":{"containers":[{"ports":[` + list(n-1) + `]}]}}` },
		"devices":         func(n int) string { return `{"spec":{"containers":[{"volumeDevices":[` + list(n-1) + `]}]}}` },
		"together": func(n int) string {
			return `{"spec":{"volumes":[` + list(n/2) + `],"containers":[` + list(n-n/2) + `]}}`
		},
	}
	for name, pod := range cases {
		t.Run(name, func(t *testing.T) {
			var p injector.Pod
			if err := injector.ReadPod([]byte(pod(most)), &p); err != nil {
				t.Errorf("as many as can be: %v", err)
			}
			err := injector.ReadPod([]byte(pod(most+1)), &p)
			const want = "the pod has more than 50000 containers, ports, mounts, devices, volumes and pull secrets"
			if name == "mounts" || name == "ports" || name == "devices" {
				err = injector.ReadPod([]byte(pod(most+2)), &p)
			}
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("one more: %v", err)
			}
		})
	}
}
