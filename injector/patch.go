package injector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/mattbaird/jsonpatch"
)

// patch is a marshalled RFC 6902 document that only adds; it is a view into the
// scratch of the Pod that was planned for. nil means that there is none.
type patch []byte

// Patches reports whether there is anything to add.
func (d *Decision) Patches() bool { return len(d.patch) > 0 }

// AppendPatch appends the RFC 6902 patch to dst: "[]" where nothing is added.
func (d *Decision) AppendPatch(dst []byte) []byte {
	if len(d.patch) == 0 {
		return append(dst, "[]"...)
	}
	return append(dst, d.patch...)
}

// Operations are written by [jsonpatch.JsonPatchOperation] when a snapshot is
// compiled. What depends on the pod is only the index of a list in a path; each
// operation is cut there, so that a request joins three pieces of bytes.
const (
	containersPath = "/spec/containers/"
	initsPath      = "/spec/initContainers/"
	volumesPath    = "/spec/volumes/-"
	secretsPath    = "/spec/imagePullSecrets/-"
	mountsPath     = "/volumeMounts/-"
	labelPath      = "/metadata/labels/colocate.dev~1injected"
	statusPath     = "/metadata/annotations/colocate.dev~1status"
	defaultPath    = "/metadata/annotations/kubectl.kubernetes.io~1default-container"
	indexMark      = "0"
)

// marshalled are the operations that no definition changes.
type marshalled struct {
	containers, inits                          []byte // up to the index
	newVolumes, newInits, newSecrets, newLabel []byte
	newMounts                                  []byte // behind the index
	label                                      []byte
	status, defaultContainer                   []byte // up to the value, which is a string
}

func marshalFixed() (m marshalled, err error) {
	empty := json.RawMessage("[]")
	set := func(dst *[]byte, path string, value any) {
		if err == nil {
			*dst, err = marshalAdd(path, value)
		}
	}
	var containers, inits, mounts []byte
	set(&containers, containersPath+indexMark, empty)
	set(&inits, initsPath+indexMark, empty)
	set(&mounts, containersPath+indexMark+"/volumeMounts", empty)
	set(&m.newVolumes, "/spec/volumes", empty)
	set(&m.newInits, "/spec/initContainers", empty)
	set(&m.newSecrets, "/spec/imagePullSecrets", empty)
	set(&m.newLabel, "/metadata/labels", json.RawMessage("{}"))
	set(&m.label, labelPath, InjectedValue)
	set(&m.status, statusPath, "")
	set(&m.defaultContainer, defaultPath, "")
	if err != nil {
		return m, err
	}
	m.containers, _, _ = bytes.Cut(containers, []byte(containersPath))
	m.containers = append(m.containers, containersPath...)
	m.inits, _, _ = bytes.Cut(inits, []byte(initsPath))
	m.inits = append(m.inits, initsPath...)
	m.newMounts = behindIndex(mounts, containersPath)
	m.status = bytes.TrimSuffix(m.status, []byte(`""}`))
	m.defaultContainer = bytes.TrimSuffix(m.defaultContainer, []byte(`""}`))
	return m, nil
}

// marshalAdd writes one operation.
func marshalAdd(path string, value any) ([]byte, error) {
	op := jsonpatch.NewPatch("add", path, value)
	out, err := op.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("patch operation for %s: %w", path, err)
	}
	return out, nil
}

// behindIndex is the part of an operation behind the index 0 that follows list
// in its path.
func behindIndex(op []byte, list string) []byte {
	_, tail, _ := bytes.Cut(op, []byte(list+indexMark))
	return bytes.Clone(tail)
}

// writer joins operations.
type writer struct {
	fixed *marshalled
	out   []byte
}

func (w *writer) next() {
	if len(w.out) == 0 {
		w.out = append(w.out, '[')
	} else {
		w.out = append(w.out, ',')
	}
}

func (w *writer) op(text []byte) {
	w.next()
	w.out = append(w.out, text...)
}

// at writes an operation with an index in its path; a negative one appends.
func (w *writer) at(head []byte, index int, tail []byte) {
	w.next()
	w.out = append(w.out, head...)
	if index < 0 {
		w.out = append(w.out, '-')
	} else {
		w.out = strconv.AppendInt(w.out, int64(index), 10)
	}
	w.out = append(w.out, tail...)
}

// text writes an operation whose value is a string that depends on the pod.
func (w *writer) text(head, value []byte) {
	w.next()
	w.out = append(w.out, head...)
	w.out = AppendString(w.out, value)
	w.out = append(w.out, '}')
}

func (w *writer) close() patch {
	if len(w.out) == 0 {
		return nil
	}
	w.out = append(w.out, ']')
	return w.out
}

// AppendString appends s as a JSON string. It escapes what RFC 8259 wants escaped
// and nothing else, so that the pieces of a text, appended one by one, give the
// same as the whole; invalid UTF-8 becomes the replacement character.
func AppendString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		switch x := s[i]; {
		case x == '"' || x == '\\':
			dst = append(dst, '\\', x)
		case x < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[x>>4], hexDigits[x&15])
		case x < utf8.RuneSelf:
			dst = append(dst, x)
		default:
			r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		i++
	}
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"
