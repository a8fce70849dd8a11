package definition

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"colocate.dev/colocate/injector"
)

// DefaultMaxBytes bounds the keys and documents of one ConfigMap. The API server
// refuses more than 1 MiB (1,048,576 bytes) of them.
const DefaultMaxBytes = 900 << 10

// Options say how definitions are laid out in ConfigMaps.
type Options struct {
	// Namespace and Name of the first ConfigMap; empty means injector.Namespace
	// and injector.DefinitionsName.
	Namespace, Name string
	// Source names the role manifest for people; "" leaves the annotation out.
	Source string
	// SourceSHA256 is the hash of the manifest's bytes as 64 hexadecimal digits,
	// with or without "sha256:" in front; "" leaves the annotation out.
	SourceSHA256 string
	// MaxBytes bounds keys and documents of one ConfigMap; 0 means DefaultMaxBytes.
	MaxBytes int
}

// Labels are those of every ConfigMap that [ConfigMaps] makes.
func Labels() map[string]string {
	return map[string]string{
		injector.DefinitionsLabel:      injector.DefinitionsVersion,
		"app.kubernetes.io/name":       injector.Name,
		"app.kubernetes.io/component":  "definitions",
		"app.kubernetes.io/part-of":    injector.Name,
		"app.kubernetes.io/managed-by": injector.Name,
	}
}

// ConfigMaps puts definitions, sorted by name, into as few ConfigMaps as their
// size allows: the second is called like the first with "-1" appended, and so
// on. Without definitions there is one empty ConfigMap. It errs where two definitions
// have one name, one could not be read, or one alone is too large.
func ConfigMaps(defs []injector.Definition, o Options) ([]*corev1.ConfigMap, error) {
	o.Namespace = cmp.Or(o.Namespace, injector.Namespace)
	o.Name = cmp.Or(o.Name, injector.DefinitionsName)
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	sorted := slices.Clone(defs)
	slices.SortStableFunc(sorted, func(a, b injector.Definition) int { return cmp.Compare(a.Name, b.Name) })
	shards := []*corev1.ConfigMap{o.shard(0)}
	size := 0
	for i, d := range sorted {
		if i > 0 && sorted[i-1].Name == d.Name {
			return nil, fmt.Errorf("definition %q stands in %s and in %s: remove one of the two", d.Name, sorted[i-1].Origin, d.Origin)
		}
		text, err := Encode(d)
		if err != nil {
			return nil, err
		}
		key := d.Name + Extension
		need := len(key) + len(text)
		if need > o.MaxBytes {
			return nil, fmt.Errorf("definition %q has %d bytes, more than the %d of a whole ConfigMap: shorten it", d.Name, need, o.MaxBytes)
		}
		if size+need > o.MaxBytes {
			shards, size = append(shards, o.shard(len(shards))), 0
		}
		shards[len(shards)-1].Data[key] = string(text)
		size += need
	}
	return shards, nil
}

// shard is the ConfigMap number n, counted from 0, without definitions.
func (o Options) shard(n int) *corev1.ConfigMap {
	name := o.Name
	if n > 0 {
		name += "-" + strconv.Itoa(n)
	}
	return &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: o.Namespace, Name: name, Labels: Labels(), Annotations: o.annotations(),
		},
		Data: map[string]string{},
	}
}

func (o Options) annotations() map[string]string {
	const prefix = "sha256:"
	out := map[string]string{}
	if o.Source != "" {
		out[injector.SourceAnnotation] = o.Source
	}
	if o.SourceSHA256 != "" {
		hash := o.SourceSHA256
		if len(hash) < len(prefix) || hash[:len(prefix)] != prefix {
			hash = prefix + hash
		}
		out[injector.SourceHashAnnotation] = hash
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
