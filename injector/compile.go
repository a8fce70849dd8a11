package injector

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Compile checks definitions and makes them ready for pods. It never fails as a
// whole: a role with a fault stays in the snapshot as one whose pods are refused
// with that fault's reason, and the others go on. Faults come in the order of
// the definitions; those of a colocated container are listed once, not for every
// role that uses it.
func Compile(defs []Definition) (*Snapshot, []Fault) {
	return (*Snapshot)(nil).Recompile(defs)
}

// Recompile does the same as [Compile], and takes from s what it has of roles that
// have not changed. A definition has not changed where its Role or Colocated is the
// same pointer, so what these point to must never be changed.
func (s *Snapshot) Recompile(defs []Definition) (*Snapshot, []Fault) {
	c := compiler{
		before: s,
		roles:  map[string]*Definition{},
		parts:  map[string]*part{},
		out:    &Snapshot{roles: map[string]*role{}, colocated: map[string]*sound{}},
	}
	fixed, err := marshalFixed()
	if err != nil { // paths and values are constants
		return nil, []Fault{{Reason: ReasonInvalidDefinition, Message: err.Error()}}
	}
	c.out.fixed = fixed
	c.index(defs)
	for i := range defs {
		if d := &defs[i]; d.Colocated != nil {
			if p := c.parts[d.Name]; p != nil && p.def == d {
				c.part(p)
			}
		}
	}
	for i := range defs {
		if d := &defs[i]; d.Colocated == nil && c.roles[d.Name] == d {
			c.role(d)
		}
	}
	c.out.names = slices.Sorted(maps.Keys(c.out.roles))
	return c.out, c.inOrder(defs)
}

type compiler struct {
	before *Snapshot // may be nil
	roles  map[string]*Definition
	parts  map[string]*part
	out    *Snapshot
	faults []found
}

// part is a colocated container's definition with what became of it.
type part struct {
	def *Definition
	sound
	fault *Fault
}

// sound is a colocated container that is as it should be. Those without so much as
// a warning are kept in the snapshot, to be taken over by the next one.
type sound struct {
	from    *ColocatedContainer
	ready   *colocated
	volumes []volume
	secrets []secret
}

// index sorts the definitions by name. Of two with one name the first is used.
func (c *compiler) index(defs []Definition) {
	for i := range defs {
		d := &defs[i]
		first := c.roles[d.Name]
		if p := c.parts[d.Name]; p != nil {
			first = p.def
		}
		switch {
		case first != nil:
			_ = c.fault(d, ReasonDuplicateDefinition, "definition %q stands in %s already; the first is used. Remove one of the two.", d.Name, first.Origin)
		case d.Colocated != nil:
			c.parts[d.Name] = &part{def: d}
			c.out.colocated[d.Name] = nil
		default:
			c.roles[d.Name] = d
		}
	}
}

func (c *compiler) fault(d *Definition, reason Reason, format string, args ...any) *Fault {
	f := Fault{Origin: d.Origin, Name: d.Name, Reason: reason, Message: fmt.Sprintf(format, args...)}
	c.report(d, f)
	return &f
}

func (c *compiler) report(d *Definition, f Fault) {
	c.faults = append(c.faults, found{d, f})
}

// found is a fault with the definition that it belongs to.
type found struct {
	in    *Definition
	fault Fault
}

// inOrder brings the faults into the order of the definitions.
func (c *compiler) inOrder(defs []Definition) (faults []Fault) {
	if len(c.faults) == 0 {
		return nil
	}
	number := make(map[*Definition]int, len(defs))
	for i := range defs {
		number[&defs[i]] = i
	}
	slices.SortStableFunc(c.faults, func(a, b found) int { return number[a.in] - number[b.in] })
	for _, f := range c.faults {
		faults = append(faults, f.fault)
	}
	return faults
}

// stored is the part of a definition's JSON that is put into pods as it stands.
type stored struct {
	Spec struct {
		Container        json.RawMessage   `json:"container"`
		VolumeMounts     []json.RawMessage `json:"volumeMounts"`
		Volumes          []json.RawMessage `json:"volumes"`
		ImagePullSecrets []json.RawMessage `json:"imagePullSecrets"`
	} `json:"spec"`
}

// part checks and compiles one colocated container.
func (c *compiler) part(p *part) {
	if old := c.before.sound(p.def); old != nil {
		p.sound, c.out.colocated[p.def.Name] = *old, old
		return
	}
	reported := len(c.faults)
	for _, f := range checkColocated(p.def) {
		c.report(p.def, f)
		if p.fault == nil && !f.Warning {
			p.fault = &f
		}
	}
	if p.fault != nil {
		return
	}
	if err := p.compile(); err != nil {
		p.fault = c.fault(p.def, ReasonInvalidDefinition, "colocated container %q: %v", p.def.Name, err)
	}
	if len(c.faults) == reported {
		keep := p.sound // a copy, which does not hold all definitions of this time
		c.out.colocated[p.def.Name] = &keep
	}
}

// sound is the colocated container of that very definition, nil where it is
// another one or was not sound.
func (s *Snapshot) sound(d *Definition) *sound {
	if s == nil {
		return nil
	}
	if old := s.colocated[d.Name]; old != nil && old.from == d.Colocated {
		return old
	}
	return nil
}

func (p *part) compile() error {
	spec := p.def.Colocated
	p.from = spec
	var raw stored
	if err := json.Unmarshal(p.def.JSON, &raw); err != nil {
		return err
	}
	if len(raw.Spec.Volumes) != len(spec.Volumes) || len(raw.Spec.ImagePullSecrets) != len(spec.ImagePullSecrets) || raw.Spec.Container == nil {
		return fmt.Errorf("stored JSON and decoded form differ")
	}
	k := &colocated{name: p.def.Name, image: spec.Container.Image, placement: spec.Placement}
	if k.placement == "" {
		k.placement = PlacementAuto
	}
	native, err := withRestartPolicy(raw.Spec.Container)
	if err != nil {
		return err
	}
	if k.ordinaryOp, err = indexedOp(containersPath, "", raw.Spec.Container); err != nil {
		return err
	}
	if k.nativeOp, err = indexedOp(initsPath, "", native); err != nil {
		return err
	}
	// One copy of the bytes serves both the patch and the comparison.
	k.raw, k.native = valueOf(k.ordinaryOp), valueOf(k.nativeOp)
	for _, x := range spec.Container.Ports {
		k.ports = append(k.ports, port{x.Name, protocolOf(string(x.Protocol)), x.HostIP, x.ContainerPort, x.HostPort})
	}
	for _, m := range spec.Container.VolumeMounts {
		k.mounts = append(k.mounts, mountRef{m.Name, m.MountPath})
	}
	for _, e := range spec.Container.Env {
		if e.ValueFrom != nil && e.ValueFrom.FileKeyRef != nil { // reads a file of a volume
			k.mounts = append(k.mounts, mountRef{e.ValueFrom.FileKeyRef.VolumeName, e.ValueFrom.FileKeyRef.Path})
		}
	}
	k.needs = needsOf(&spec.Container)
	p.ready = k
	if p.volumes, err = compileVolumes(spec.Volumes, raw.Spec.Volumes); err != nil {
		return err
	}
	for i, s := range raw.Spec.ImagePullSecrets {
		op, err := marshalAdd(secretsPath, s)
		if err != nil {
			return err
		}
		p.secrets = append(p.secrets, secret{spec.ImagePullSecrets[i].Name, op})
	}
	return nil
}

func compileVolumes(typed []corev1.Volume, raw []json.RawMessage) ([]volume, error) {
	var out []volume
	for i := range typed {
		source := emptyDirSource
		if names := sourcesOf(&typed[i]); len(names) > 0 {
			source = names[0]
		}
		op, err := marshalAdd(volumesPath, raw[i])
		if err != nil {
			return nil, err
		}
		out = append(out, volume{name: typed[i].Name, source: source, raw: valueOf(op), op: op})
	}
	return out, nil
}

// indexedOp is the part behind the index of an operation that adds value to, or
// below an element of, a list.
func indexedOp(list, below string, value json.RawMessage) ([]byte, error) {
	op, err := marshalAdd(list+indexMark+below, value)
	if err != nil {
		return nil, err
	}
	return behindIndex(op, list), nil
}

// valueOf is the value of an operation, or of the part of one behind its index.
// Between the path and the value nothing can look like the mark.
func valueOf(op []byte) []byte {
	at := bytes.Index(op, []byte(valueMark)) + len(valueMark)
	return op[at : len(op)-1 : len(op)-1]
}

const valueMark = `,"value":`

func withRestartPolicy(container []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(container, &fields); err != nil {
		return nil, err
	}
	fields["restartPolicy"] = json.RawMessage(`"` + corev1.ContainerRestartPolicyAlways + `"`)
	return json.Marshal(fields)
}

func protocolOf(p string) string {
	if p == "" {
		return string(corev1.ProtocolTCP)
	}
	return p
}

// hash is over the canonical JSON of the role and its colocated containers.
func hash(d *Definition, parts []*part) string {
	h := sha256.New()
	for _, text := range append([][]byte{d.JSON}, jsonOf(parts)...) {
		h.Write(text)
		h.Write([]byte{'\n'})
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

func jsonOf(parts []*part) (out [][]byte) {
	for _, p := range parts {
		out = append(out, p.def.JSON)
	}
	return out
}
