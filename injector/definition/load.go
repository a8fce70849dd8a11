package definition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"colocate.dev/colocate/injector"
)

// Load reads all definitions of a ConfigMap in the order of their keys. Its
// labels are the caller's business. A document that cannot be read gives a
// definition with Unreadable set, besides its faults.
func Load(cm *corev1.ConfigMap) ([]injector.Definition, []injector.Fault) {
	source := fmt.Sprintf("ConfigMap %s/%s", cm.Namespace, cm.Name)
	defs := make([]injector.Definition, 0, len(cm.Data))
	var faults []injector.Fault
	for _, key := range slices.Sorted(maps.Keys(cm.Data)) {
		d, found := load(key, cm.Data[key], injector.Origin{Source: source, Key: key})
		defs = append(defs, d...)
		faults = append(faults, found...)
	}
	for _, key := range slices.Sorted(maps.Keys(cm.BinaryData)) {
		faults = append(faults, binaryFault(injector.Origin{Source: source, Key: key}))
	}
	return defs, faults
}

// load reads one key: no definition where it is not named like one.
func load(key, text string, origin injector.Origin) ([]injector.Definition, []injector.Fault) {
	if !strings.HasSuffix(key, Extension) {
		return nil, []injector.Fault{keyFault(key, origin)}
	}
	d, faults := decode(key, []byte(text), origin)
	return []injector.Definition{d}, faults
}

// keyFault is for keys that are no names of definitions.
func keyFault(key string, origin injector.Origin) injector.Fault {
	remedy := fmt.Sprintf("name it after the role with %q at the end, or remove it", Extension)
	if stem, ok := strings.CutSuffix(key, ".yml"); ok {
		remedy = fmt.Sprintf("name it %q", stem+Extension)
	}
	return injector.Fault{
		Origin: origin, Reason: injector.ReasonUnreadableDefinition,
		Message: fmt.Sprintf("key %q is not read: %s", key, remedy),
	}
}

func binaryFault(origin injector.Origin) injector.Fault {
	return injector.Fault{
		Origin: origin, Reason: injector.ReasonUnreadableDefinition,
		Message: fmt.Sprintf("key %q of binaryData is not read: move it to data, as UTF-8 text", origin.Key),
	}
}
