package injector

import (
	"bytes"
	"encoding/json"
	"path"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// sameContainer reports whether the container in the pod has every field that
// the definition sets, with the same meaning. Defaults and additions of others
// do not matter: between two calls of one admission the API server and other
// webhooks make them.
func sameContainer(got, want []byte) bool {
	g, okG := normal[corev1.Container](got)
	w, okW := normal[corev1.Container](want)
	return okG && okW && covers(g, w, "")
}

// sameVolume is sameContainer for volumes; a volume without a source is an emptyDir.
func sameVolume(got, want []byte) bool {
	g, okG := normal[corev1.Volume](got)
	w, okW := normal[corev1.Volume](want)
	if !okG || !okW {
		return false
	}
	for _, v := range []map[string]any{g, w} {
		if len(v) == 1 {
			v[emptyDirSource] = map[string]any{}
		}
	}
	return sameSource(g, w) && covers(g, w, "")
}

func sameSource(g, w map[string]any) bool {
	for k := range w {
		if _, ok := g[k]; !ok {
			return false
		}
	}
	return true
}

// sameMount is sameContainer for volume mounts; paths are compared as the
// kernel would.
func sameMount(got, want []byte) bool {
	g, okG := normal[corev1.VolumeMount](got)
	w, okW := normal[corev1.VolumeMount](want)
	if !okG || !okW {
		return false
	}
	for _, m := range []map[string]any{g, w} {
		if p, ok := m["mountPath"].(string); ok {
			m["mountPath"] = path.Clean(p)
		}
	}
	return covers(g, w, "")
}

// normal brings JSON into the form in which the API server would write it, so
// that 0.1 and 100m are one and fields at their zero value are absent.
func normal[T any](raw []byte) (map[string]any, bool) {
	var typed T
	if json.Unmarshal(raw, &typed) != nil {
		return nil, false
	}
	text, err := json.Marshal(typed)
	if err != nil {
		return nil, false
	}
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return out, d.Decode(&out) == nil
}

// covers reports whether got has everything that want has. field is the name of
// the field that holds the two; it decides how lists are compared.
func covers(got, want any, field string) bool {
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		quantities := field == "requests" || field == "limits"
		for k, v := range w {
			gv, ok := g[k]
			switch {
			case !ok && isEmpty(v):
			case ok && (quantities || k == "sizeLimit" || k == "divisor") && sameQuantity(gv, v):
			case !ok || !covers(gv, v, k):
				return false
			}
		}
		return true
	case []any:
		g, _ := got.([]any)
		return coversList(g, w, field)
	}
	return got == want
}

// sameQuantity compares what is no equal text, as 1k and 1e3 are. Texts that are
// no quantities are unequal.
func sameQuantity(got, want any) bool {
	g, okG := got.(string)
	w, okW := want.(string)
	if !okG || !okW {
		return false
	}
	a, errA := resource.ParseQuantity(g)
	b, errB := resource.ParseQuantity(w)
	return errA == nil && errB == nil && a.Cmp(b) == 0
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			if !isEmpty(inner) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return false
}

func coversList(got, want []any, field string) bool {
	key := mergeKey(field)
	if key == nil {
		if len(got) != len(want) {
			return false
		}
		for i := range want {
			if !covers(got[i], want[i], "") {
				return false
			}
		}
		return true
	}
	for _, w := range want {
		found := false
		for _, g := range got {
			found = found || key(g) == key(w) && covers(g, w, "")
		}
		if !found {
			return false
		}
	}
	return true
}

// mergeKey returns how elements of a list of a container are told apart, as the
// Kubernetes API documents it ("patch merge key"), and nil for lists that are
// compared as they stand.
func mergeKey(field string) func(any) string {
	of := func(names ...string) func(any) string {
		return func(v any) string {
			m, _ := v.(map[string]any)
			out := ""
			for _, name := range names {
				part, _ := json.Marshal(m[name])
				if name == "protocol" && m[name] == nil {
					part = []byte(`"TCP"`)
				}
				out += string(part) + "\n"
			}
			return out
		}
	}
	switch field {
	case "env":
		return of("name")
	case "ports":
		return of("containerPort", "protocol")
	case "volumeMounts":
		return of("mountPath")
	case "volumeDevices":
		return of("devicePath")
	}
	return nil
}
