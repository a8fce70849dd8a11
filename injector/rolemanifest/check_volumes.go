package rolemanifest

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

// stateless are the volume sources that keep no persistent state. It is a list of
// what is allowed: a source that a later Kubernetes adds is refused.
var stateless = []string{emptyDir, "configMap", "secret", "downwardAPI", "projected", "image"}

const (
	noState     = "colocated containers cannot keep persistent state"
	noStateHelp = "use an emptyDir tag, or give the container a pod of its own"
)

// ownState refuses volumes of run that are not emptyDirs, and block devices.
func (r *reader) ownState(ro *role) {
	for _, v := range ro.run.volumes {
		if v.kind != emptyDir {
			name := ""
			if v.tag != "" {
				name = fmt.Sprintf(" %q", v.tag)
			}
			r.add(v.at, Error, CodePersistentState, fmt.Sprintf("role %q: volume%s is of type %s; %s", ro.name, name, v.kind, noState), noStateHelp)
		}
	}
	if !ro.container.present() {
		return
	}
	devices := yamldoc.Lookup(ro.container.value, "volumeDevices")
	if devices == nil {
		return
	}
	for i, d := range devices.Content {
		r.add(placeOf(d, fmt.Sprintf("%s.volumeDevices[%d]", ro.container.path, i)), Error, CodePersistentState,
			fmt.Sprintf("role %q uses block device %q; %s", ro.name, textOf(yamldoc.Lookup(d, "name")), noState), noStateHelp)
	}
}

// ownTags looks at the tags of one role: equal tags must mean equal volumes, and
// usually one path.
func (r *reader) ownTags(ro *role) {
	first := map[string]volume{}
	for _, v := range ro.run.volumes {
		if v.tag == "" {
			continue
		}
		w, twice := first[v.tag]
		switch {
		case !twice:
			first[v.tag] = v
		case v.kind != emptyDir && w.kind != emptyDir: // the main role's own business
		case v.kind != w.kind || v.medium != w.medium || v.sizeLimit != w.sizeLimit:
			r.add(v.at, Error, CodeVolumeClash, fmt.Sprintf("role %q: tag %q is %s here and %s at %s", ro.name, v.tag, v.what(), w.what(), w.at.position()), "make them equal, or use another tag")
		case v.path != w.path:
			r.add(v.at, Warning, CodeTwoPaths, fmt.Sprintf("role %q mounts tag %q at %q here and at %q at %s", ro.name, v.tag, v.path, w.path, w.at.position()), "use one path")
		}
	}
}

// what describes a volume for messages.
func (v volume) what() string {
	if v.kind != emptyDir {
		return "a volume of type " + v.kind
	}
	var details []string
	if v.medium != "" {
		details = append(details, "medium "+v.medium)
	}
	if v.sizeLimit != "" {
		details = append(details, "size limit "+v.sizeLimit)
	}
	if details == nil {
		return "an emptyDir"
	}
	return "an emptyDir with " + strings.Join(details, " and ")
}

// podVolumes are the volumes that a colocated container brings: its emptyDir tags
// and those of the key `volumes`. It returns false where the latter are faulty.
func (r *reader) podVolumes(ro *role) ([]*yaml.Node, bool) {
	volumes := ro.run.emptyDirs()
	if !ro.volumes.present() {
		return volumes, true
	}
	f := ro.volumes
	fine := r.formatVolumes(f)
	if fine {
		fine = r.strict(f.value, volumesType, f.path)
	}
	for i, v := range f.value.Content {
		if f.value.Kind == yaml.SequenceNode && v.Kind == yaml.MappingNode {
			r.volumeState(ro, v, f.item(i))
		}
	}
	if !fine {
		return volumes, false
	}
	for i, v := range f.value.Content {
		name := yamldoc.Lookup(v, "name")
		if name == nil {
			r.add(f.item(i), Error, CodeMissingKey, "a volume has no name", `add "name"`)
			continue
		}
		same := slices.IndexFunc(volumes, func(w *yaml.Node) bool { return yamldoc.Lookup(w, "name").Value == name.Value })
		switch {
		case same < 0:
			if len(v.Content) == 2 {
				v = mapping(v, pair{"name", name}, pair{emptyDir, mapping(v)})
			}
			volumes = append(volumes, v)
		case !sameJSON(volumes[same], v):
			r.add(placeOf(name, f.item(i).path+".name"), Error, CodeVolumeClash,
				fmt.Sprintf("role %q: volume %q is there again and is not the same, first at %d:%d", ro.name, name.Value, volumes[same].Line, volumes[same].Column), "make them equal, or rename one of the two")
		}
	}
	return volumes, true
}

// formatVolumes tells the volumes of the format, which belong into run, from
// those of Kubernetes.
func (r *reader) formatVolumes(f field) bool {
	fine := true
	for i, v := range f.value.Content {
		if f.value.Kind != yaml.SequenceNode || v.Kind != yaml.MappingNode {
			continue
		}
		if key, _ := yamldoc.Pair(v, "tag"); key != nil {
			fine = false
			r.add(placeOf(key, f.item(i).path+".tag"), Error, CodeMisplacedKey, "a volume with a tag stands here, where Kubernetes volumes are", "it belongs in run.volumes")
		}
	}
	return fine
}

// volumeState refuses sources that are not on the list. A key that Kubernetes does
// not know is reported elsewhere.
func (r *reader) volumeState(ro *role, v *yaml.Node, at place) {
	known, _ := r.types.fields(volumesType.Elem())
	for i := 0; i+1 < len(v.Content); i += 2 {
		key := v.Content[i]
		if _, ok := known[key.Value]; !ok || key.Value == "name" || slices.Contains(stateless, key.Value) {
			continue
		}
		r.add(placeOf(key, join(at.path, key.Value)), Error, CodePersistentState,
			fmt.Sprintf("role %q: volume %q is of the kind %s; %s", ro.name, textOf(yamldoc.Lookup(v, "name")), key.Value, noState),
			"use one of "+strings.Join(stateless, ", ")+", or give the container a pod of its own")
	}
}

func sameJSON(a, b *yaml.Node) bool {
	x, errX := yamldoc.JSON(a)
	y, errY := yamldoc.JSON(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// octalModes warns about decimal file modes that were meant to be octal.
func (r *reader) octalModes(n *yaml.Node, path string) {
	for i, child := range n.Content {
		if n.Kind == yaml.SequenceNode {
			r.octalModes(child, fmt.Sprintf("%s[%d]", path, i))
			continue
		}
		if i%2 == 0 {
			continue
		}
		key := n.Content[i-1].Value
		at := join(path, key)
		if (key == "defaultMode" || key == "mode") && looksOctal(child) {
			r.add(placeOf(child, at), Warning, CodeOctalMode, fmt.Sprintf("%s: %s is a decimal number", key, child.Value), fmt.Sprintf("write 0%s if the file mode %s is meant", child.Value, child.Value))
		}
		r.octalModes(child, at)
	}
}

// looksOctal says whether a decimal number makes more sense as an octal one. Only
// modes that Kubernetes takes are meant; it refuses 644, which is above 0777.
func looksOctal(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!int" && slices.Contains([]string{"400", "440", "444", "500"}, n.Value)
}
