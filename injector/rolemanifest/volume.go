package rolemanifest

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
	"k8s.io/apimachinery/pkg/api/resource"
)

// volume is one entry of run.volumes, run.shared-volumes or run.persistent-volumes.
type volume struct {
	// kind is the type: persistent, shared, host, none or emptyDir.
	kind string
	tag  string
	path string
	// medium and sizeLimit of an emptyDir, "" where not given.
	medium    string
	sizeLimit string
	readOnly  bool
	// at is the tag's place, or the entry's where it has none.
	at place
	// node is what generated nodes take their position from.
	node *yaml.Node
}

const emptyDir = "emptyDir"

// readVolumes adds the entries of one list to the role; equal ones collapse.
func (r *reader) readVolumes(ro *role, list field) {
	for i, n := range list.value.Content {
		at := list.item(i)
		o := r.object(n, InVolume, at.path, ro.colocated)
		if isNull(n) || n.Kind != yaml.MappingNode {
			continue
		}
		v := volume{tag: o.get("tag").text(), path: o.get("path").text(), medium: o.get("medium").text(), readOnly: o.get("read-only").truth(), at: at, node: n}
		if tag := o.get("tag"); tag.present() {
			v.at, v.node = tag.at(), tag.value
		}
		v.kind = r.volumeKind(list, o, ro)
		if v.kind == emptyDir && !r.emptyDirDetails(&v, o) {
			continue
		}
		if v.kind != "" {
			ro.run.addVolume(v)
		}
	}
}

func (u *run) addVolume(v volume) {
	same := v
	same.at, same.node = place{}, nil
	if u.hasVolume[same] {
		return
	}
	if u.hasVolume == nil {
		u.hasVolume = map[volume]bool{}
	}
	u.hasVolume[same] = true
	u.volumes = append(u.volumes, v)
}

// volumeKind finds an entry's type from its list, its type and empty-dir; "" where
// they say nothing or contradict each other, which is reported.
func (r *reader) volumeKind(list field, o object, ro *role) string {
	kind, empty := o.get("type"), o.get("empty-dir")
	forced := map[string]string{"persistent-volumes": "persistent", "shared-volumes": "shared"}[list.key.Name]
	switch {
	case empty.truth() && (forced == "persistent" || kind.present() && kind.text() != emptyDir):
		r.add(empty.nameAt(), Error, CodeInvalidValue, fmt.Sprintf("a volume cannot be %s and an emptyDir", orElse(forced, kind.text())), "keep one of the two")
		return ""
	case empty.present() && !empty.truth() && kind.text() == emptyDir:
		r.add(empty.nameAt(), Error, CodeInvalidValue, "a volume of type emptyDir cannot say empty-dir: false", "keep one of the two")
		return ""
	case empty.truth():
		return emptyDir
	case forced != "" && kind.text() == emptyDir:
		r.add(kind.at(), Error, CodeInvalidValue, fmt.Sprintf("an entry of %q is of type %s, whatever type it gives", list.key.Name, forced), `write "empty-dir: true", or move it to "volumes"`)
		return ""
	case forced != "":
		return forced
	case kind.present():
		return kind.text()
	case !o.wrote("type"):
		r.add(o.at, Error, CodeMissingKey, fmt.Sprintf("a volume of role %q has no type", ro.name), "add the type: one of "+quoted(volumeKind))
	}
	return ""
}

// emptyDirDetails checks what an emptyDir needs and may have; false where it
// cannot be made.
func (r *reader) emptyDirDetails(v *volume, o object) bool {
	ok := v.tag != "" && v.path != ""
	if v.tag == "" {
		if !o.wrote("tag") || o.get("tag").present() {
			r.add(o.at, Error, CodeMissingKey, "an emptyDir volume has no tag", `add "tag": roles that share the volume give the same`)
		}
	} else if !r.checkLabel(v.tag, "tag", v.at) {
		ok = false
	}
	if v.path == "" {
		if !o.wrote("path") || o.get("path").present() {
			r.add(o.at, Error, CodeMissingKey, "an emptyDir volume has no path", `add "path": where it is mounted`)
		}
	} else if !strings.HasPrefix(v.path, "/") || strings.Contains(v.path, ":") {
		ok = false
		r.add(o.get("path").at(), Error, CodeInvalidValue, fmt.Sprintf("path %q cannot be mounted at", v.path), "write an absolute path without colons")
	}
	if m := o.get("medium"); m.present() && v.medium != "" && v.medium != "Memory" && !strings.HasPrefix(v.medium, "HugePages") {
		ok = false
		r.add(m.at(), Error, CodeInvalidValue, fmt.Sprintf("medium cannot be %q", v.medium), `write "Memory", or leave it out`)
	}
	if s := o.get("size-limit"); s.present() {
		v.sizeLimit = r.sizeLimit(s)
	}
	return ok
}

// sizeLimit reads a quantity; a bare number is MiB, as for memory.
func (r *reader) sizeLimit(f field) string {
	if n, ok := integer(f.value); ok {
		if n >= 0 && n <= maxMiB {
			return memoryText(n)
		}
	} else if q, err := resource.ParseQuantity(f.value.Value); err == nil && q.Sign() >= 0 {
		return q.String()
	}
	r.add(f.at(), Error, CodeInvalidValue, fmt.Sprintf("size-limit cannot be %q", f.value.Value), "write a quantity such as 64Mi")
	return ""
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
