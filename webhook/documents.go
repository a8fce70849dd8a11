package webhook

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/definition"
)

// document is what one key of a ConfigMap says.
type document struct {
	text   string
	defs   []injector.Definition // none where the key is not named like a definition
	faults []injector.Fault
}

// decoder reads ConfigMaps, and remembers what it has read: when one role of
// thousands changes, one document is decoded.
type decoder struct {
	known map[string]shard // by ConfigMap
}

// shard is what one version of a ConfigMap says.
type shard struct {
	version   string // its resourceVersion
	keys      map[string]document
	documents []document // those of keys in their order, and what is wrong beside them
}

// decode gives the documents in the order of ConfigMaps and keys. It forgets
// what is not there any more.
func (d *decoder) decode(configMaps []*corev1.ConfigMap) []document {
	known := make(map[string]shard, len(configMaps))
	var all []document
	for _, cm := range configMaps {
		s := d.known[cm.Name]
		if s.version == "" || s.version != cm.ResourceVersion {
			s = s.next(cm)
		}
		known[cm.Name] = s
		all = append(all, s.documents...)
	}
	d.known = known
	return all
}

// next is what another version says; what stands in both is not decoded again.
func (s shard) next(cm *corev1.ConfigMap) shard {
	next := shard{version: cm.ResourceVersion, keys: make(map[string]document, len(cm.Data))}
	for _, key := range slices.Sorted(maps.Keys(cm.Data)) {
		text := cm.Data[key]
		doc, ok := s.keys[key]
		if !ok || doc.text != text {
			doc.defs, doc.faults = definition.Load(part(cm, key))
		}
		doc.text = text // the new string, so that the old one can go
		next.keys[key] = doc
		next.documents = append(next.documents, doc)
	}
	if len(cm.BinaryData) > 0 {
		_, faults := definition.Load(&corev1.ConfigMap{ObjectMeta: named(cm), BinaryData: cm.BinaryData})
		next.documents = append(next.documents, document{faults: faults})
	}
	return next
}

// part is the ConfigMap with one key only.
func part(cm *corev1.ConfigMap, key string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: named(cm), Data: map[string]string{key: cm.Data[key]}}
}

func named(cm *corev1.ConfigMap) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: cm.Namespace, Name: cm.Name}
}

// sourceOf is how definition.Load calls a ConfigMap.
func sourceOf(namespace, name string) string { return "ConfigMap " + namespace + "/" + name }
