package rolemanifest

import (
	"encoding/json"
	"fmt"
	pathpkg "path"
	"strings"

	"gopkg.in/yaml.v3"
	"k8s.io/apimachinery/pkg/util/validation"
	kfield "k8s.io/apimachinery/pkg/util/validation/field"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/internal/yamldoc"
)

// spec is a colocated container as it will be stored.
type spec struct {
	root  *yaml.Node
	typed injector.ColocatedContainer
}

// checkColocated builds the container of a role and checks it by itself. The
// role's spec stays nil where it cannot be built.
func (r *reader) checkColocated(ro *role) {
	r.ownState(ro)
	r.ownTags(ro)
	if r.layout == Layout3 && !ro.hasRun {
		r.add(ro.at, Error, CodeNoRun, fmt.Sprintf("role %q has no run in any of its jobs", ro.name), "add jobs[].properties.bosh_containerization.run with what the container needs")
	}
	fine := true
	at := &yaml.Node{Line: ro.at.line, Column: ro.at.column}
	container := ro.generate(at)
	if ro.container.present() {
		value := ro.container.value
		if fine = r.additionFine(ro.container); !fine {
			value = r.withoutFaults(value)
		}
		if value != nil {
			r.containerName(ro)
			container = r.types.overlay(container, value, containerType)
		}
	}
	container = r.withImage(ro, container, at)
	root := mapping(at, pair{"container", container})
	if ro.placement.present() {
		set(root, "placement", ro.placement.value)
	}
	volumes, ok := r.podVolumes(ro)
	fine = fine && ok
	if len(volumes) > 0 {
		set(root, "volumes", list(volumes[0], volumes...))
	}
	if secrets := r.pullSecrets(ro); len(secrets) > 0 {
		set(root, "imagePullSecrets", list(secrets[0], secrets...))
	}
	s := &spec{root: root}
	raw, err := yamldoc.JSON(root)
	if err == nil {
		err = json.Unmarshal(raw, &s.typed)
	}
	switch {
	case err != nil && fine:
		r.add(ro.at, Error, CodeInvalidContainer, fmt.Sprintf("role %q: %v", ro.name, err), "")
		return
	case err != nil:
		return
	case !fine: // what could be read is judged all the same, so that all faults come at once
		r.kubernetesRules(ro, s, onlyWritten(root, injector.ValidateColocated(ro.name, &s.typed)))
		return
	}
	ro.spec = s
	r.kubernetesRules(ro, s, injector.ValidateColocated(ro.name, &s.typed))
	r.octalModes(root, ro.path)
	r.securityNotes(ro)
	r.resourceNotes(ro)
}

// additionFine holds `container` against its Kubernetes type, without what
// another key says.
func (r *reader) additionFine(f field) bool {
	fine := true
	for _, name := range []string{"restartPolicy", "restartPolicyRules"} {
		if key, _ := yamldoc.Pair(f.value, name); key != nil {
			fine = false
			r.add(placeOf(key, join(f.path, name)), Error, CodeMisplacedKey, fmt.Sprintf("%q of a colocated container is not its own to say", name), `use "placement", beside "container"`)
		}
	}
	return r.strict(f.value, containerType, f.path) && fine
}

// withoutFaults is a `container` without the fields in which a fault was reported;
// nil where it is no mapping.
func (r *reader) withoutFaults(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	silent := &reader{types: r.types}
	fields, _ := silent.types.fields(containerType)
	out := *n
	out.Content = make([]*yaml.Node, 0, len(n.Content))
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		f, known := fields[key.Value]
		if known && !strings.HasPrefix(key.Value, "restartPolicy") && silent.strict(value, f.typ, "") {
			out.Content = append(out.Content, key, value)
		}
	}
	return &out
}

// onlyWritten leaves out what is said about values that are not there: they may
// have been left out for a fault of theirs.
func onlyWritten(root *yaml.Node, errs kfield.ErrorList) (out kfield.ErrorList) {
	for _, e := range errs {
		if _, _, exact := yamldoc.Find(root, plainPath(strings.TrimPrefix(e.Field, "spec."))); exact {
			out = append(out, e)
		}
	}
	return out
}

func (r *reader) containerName(ro *role) {
	if n := yamldoc.Lookup(ro.container.value, "name"); n != nil && n.Value != ro.name {
		r.add(placeOf(n, join(ro.container.path, "name")), Error, CodeInvalidValue, fmt.Sprintf("the container of role %q cannot be named %q: it has the role's name", ro.name, n.Value), "remove it")
	}
}

// withImage gives the container its image, or says that there is none.
func (r *reader) withImage(ro *role, container, at *yaml.Node) *yaml.Node {
	written := yamldoc.Lookup(container, "image")
	if written == nil && ro.container.present() {
		written = yamldoc.Lookup(ro.container.value, "image") // faulty, and reported
	}
	choice, err := r.images.choose(ro.name, textOf(written))
	where := ro.at
	if choice.Source == ImageManifest {
		where = placeOf(written, join(ro.container.path, "image"))
	}
	switch {
	case err != nil:
		r.add(where, Error, CodeInvalidImage, err.Error(), "correct the template")
		return container
	case choice.Image == "" && ro.container.present() && ro.container.value.Kind != yaml.MappingNode:
		return container // the image may be in what could not be read
	case choice.Image == "":
		r.add(where, Error, CodeNoImage, fmt.Sprintf("role %q has no image", ro.name), fmt.Sprintf("set container.image, or pass --image %s=REF, --images FILE or --image-template", ro.name))
		return container
	}
	if fault := imageFault(choice.Image); fault != "" {
		r.add(where, Error, CodeInvalidImage, fmt.Sprintf("role %q: image %q from %s cannot be one: %s", ro.name, clip(choice.Image), choice.Source, fault), "")
		return container
	}
	r.chosen = append(r.chosen, choice)
	if choice.Source == ImageManifest {
		return container
	}
	return r.types.overlay(container, mapping(at, pair{"image", text(choice.Image, at)}), containerType)
}

// pullSecrets reads names, or mappings with a name as Kubernetes has them.
func (r *reader) pullSecrets(ro *role) (secrets []*yaml.Node) {
	f := ro.secrets
	if !f.present() {
		return nil
	}
	if f.value.Kind != yaml.SequenceNode {
		r.typeFault(f.value, f.path, "a list", true)
		return nil
	}
	seen := map[string]bool{}
	for i, n := range f.value.Content {
		if n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == "name" {
			n = n.Content[1]
		}
		if n.Kind != yaml.ScalarNode || !isText(n) {
			r.typeFault(n, f.item(i).path, "text", true)
			continue
		}
		if len(validation.IsDNS1123Subdomain(n.Value)) > 0 {
			r.add(f.item(i), Error, CodeInvalidName, fmt.Sprintf("Secret %q cannot be a name", clip(n.Value)), suggestion(suggestLabel(n.Value, 253)))
			continue
		}
		if !seen[n.Value] {
			seen[n.Value] = true
			secrets = append(secrets, mapping(n, pair{"name", n}))
		}
	}
	return secrets
}

// kubernetesRules reports what the API server would refuse, where it stands.
func (r *reader) kubernetesRules(ro *role, s *spec, errs kfield.ErrorList) {
	root := s.root
	for _, e := range errs {
		path := strings.TrimPrefix(e.Field, "spec.")
		if path == "container.image" && imageFault(s.typed.Container.Image) != "" || path == "container.name" || strings.HasPrefix(path, "container.restartPolicy") {
			continue // reported with a better remedy
		}
		key, value, _ := yamldoc.Find(root, plainPath(path))
		at := value
		if at.Kind != yaml.ScalarNode && key != nil {
			at = key
		}
		code, remedy := CodeInvalidContainer, ""
		if strings.HasSuffix(path, "ode") && strings.Trim(value.Value, "01234567") == "" {
			remedy = fmt.Sprintf("write 0%s if that is the file mode", value.Value)
		}
		message := fmt.Sprintf("role %q: %s: %s", ro.name, path, lowerFirst(e.ErrorBody()))
		switch {
		case e.Type == kfield.ErrorTypeDuplicate:
			code = duplicateCode(path)
			if first := firstOf(root, path, value); first != nil {
				message = fmt.Sprintf("role %q: %s %q is there again, first at %d:%d", ro.name, lastOf(path), value.Value, first.Line, first.Column)
			}
		case strings.HasPrefix(path, "container.resources"):
			code = CodeInvalidResources
		}
		r.add(placeOf(at, join(ro.path, path)), Error, code, message, remedy)
	}
}

func duplicateCode(path string) Code {
	switch {
	case strings.HasSuffix(path, ".mountPath"):
		return CodeMountClash
	case strings.HasSuffix(path, ".containerPort"):
		return CodePortClash
	case strings.Contains(path, ".ports["):
		return CodePortName
	case strings.HasPrefix(path, "volumes"):
		return CodeVolumeClash
	}
	return CodeInvalidContainer
}

// firstOf finds the earlier item of a list that has the value at path.
func firstOf(root *yaml.Node, path string, value *yaml.Node) *yaml.Node {
	open, end := strings.LastIndexByte(path, '['), strings.LastIndexByte(path, ']')
	if open < 0 || end < open {
		return nil
	}
	_, items, _ := yamldoc.Find(root, path[:open])
	for _, item := range items.Content {
		if n := yamldoc.Lookup(item, strings.TrimPrefix(path[end+1:], ".")); n != nil && n != value && pathpkg.Clean(n.Value) == pathpkg.Clean(value.Value) {
			return n
		}
	}
	return nil
}

// plainPath turns `requests[cpu]`, as Kubernetes writes map keys, into `requests.cpu`.
func plainPath(path string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(path, "[")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		index, after, _ := strings.Cut(rest, "]")
		if strings.Trim(index, "0123456789") == "" {
			b.WriteString("[" + index + "]")
		} else {
			b.WriteString("." + index)
		}
		path = after
	}
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
