package rolemanifest

import "slices"

// Layouts is a set of the layouts of a role manifest.
type Layouts uint8

const (
	// Layout1 is `roles` with `extra-pod-containers` and `empty-dir`.
	Layout1 Layouts = 1 << iota
	// Layout2 is `roles` or `instance_groups` with `run` on the group.
	Layout2
	// Layout3 is `instance_groups` with everything in `bosh_containerization`.
	Layout3

	onGroup   = Layout1 | Layout2
	everyPart = Layout1 | Layout2 | Layout3
)

// String lists the layouts: "1, 2".
func (l Layouts) String() string {
	s := ""
	for i, one := range []Layouts{Layout1, Layout2, Layout3} {
		if l&one == 0 {
			continue
		}
		if s != "" {
			s += ", "
		}
		s += string(rune('1' + i))
	}
	return s
}

// Where names a mapping of the manifest.
type Where string

// The mappings whose keys the table describes.
const (
	InManifest         Where = "the manifest"
	InRole             Where = "a role"
	InJob              Where = "a job"
	InProperties       Where = "the properties of a job"
	InContainerization Where = "bosh_containerization"
	InRun              Where = "run"
	InMemory           Where = "run.mem"
	InCPU              Where = "run.cpu"
	InVolume           Where = "a volume of run"
	InPort             Where = "a port"
	InHealth           Where = "run.healthcheck"
	InProbe            Where = "a probe"
)

// Type is what a key's value must be.
type Type string

// The types of values.
const (
	String      Type = "string"
	Integer     Type = "integer"
	Number      Type = "number"
	Bool        Type = "true or false"
	PortRange   Type = "port or range of ports"
	Quantity    Type = "quantity"
	StringList  Type = "list of strings"
	StringMap   Type = "mapping of strings"
	Mapping     Type = "mapping"
	MappingList Type = "list of mappings"
	Environment Type = "list of NAME=value"
	SecretList  Type = "list of names"
	KubeObject  Type = "Kubernetes Container"
	KubeVolumes Type = "list of Kubernetes Volumes"
	Unspecified Type = "anything"
)

// Handling says what the reader does with a key.
type Handling string

const (
	// Honoured keys have an effect on a pod, or are checked.
	Honoured Handling = "honoured"
	// Ignored keys belong to the format and mean nothing here; they are accepted
	// silently.
	Ignored Handling = "ignored"
	// Superseded keys are an older spelling of Key.Is, understood with a warning.
	Superseded Handling = "superseded"
	// Misplaced keys are often written here and belong elsewhere: Key.Instead.
	Misplaced Handling = "misplaced"
)

// Key is one entry of the table: one key in one or several places.
type Key struct {
	Name string
	In   []Where
	// Layouts in which the key is read here; 0 means all.
	Layouts Layouts
	Type    Type
	// Of is what the values of a Mapping or MappingList are.
	Of Where
	// Values are all that a string may be; empty means any.
	Values []string
	// Unit of a number: "MiB", "cores", "seconds".
	Unit string
	// Default is what holds where the key is absent; "" for nothing.
	Default  string
	Handling Handling
	// Is is the key that this one is another spelling of.
	Is string
	// Instead says where a key belongs that is misplaced here.
	Instead string
	// InLayout3 says where it belongs in a file of layout 3; on a role, it marks
	// keys that make such a file a mixture.
	InLayout3 string
	// Main is set where the key matters for main roles too, so that its faults are
	// errors there as well.
	Main bool
	// Distinct is set where the name is telling enough that its occurrence in
	// another place is a misplacement, not an unknown key.
	Distinct bool
	// Means is for docs/role-manifest.md and for editors.
	Means string
	// Example is a line of YAML.
	Example string
}

func (k *Key) layouts() Layouts {
	if k.Layouts == 0 {
		return everyPart
	}
	return k.Layouts
}

// Keys is the table of all keys that the reader knows.
func Keys() []Key { return slices.Clone(keyTable) }

// index is the table, arranged for looking up.
type index struct {
	in map[Where]map[string]*Key
	// distinct are the places of keys whose name tells them.
	distinct map[string][]*Key
}

func newIndex() *index {
	x := &index{in: map[Where]map[string]*Key{}, distinct: map[string][]*Key{}}
	for i := range keyTable {
		k := &keyTable[i]
		for _, w := range k.In {
			if x.in[w] == nil {
				x.in[w] = map[string]*Key{}
			}
			x.in[w][k.Name] = k
		}
		if k.Distinct {
			x.distinct[k.Name] = append(x.distinct[k.Name], k)
		}
	}
	return x
}

// names are the keys of a place that one would suggest, in the table's order.
func (x *index) names(w Where, l Layouts) []string {
	var names []string
	for i := range keyTable {
		k := &keyTable[i]
		if slices.Contains(k.In, w) && k.layouts()&l != 0 && k.Handling != Misplaced {
			names = append(names, k.Name)
		}
	}
	return names
}
