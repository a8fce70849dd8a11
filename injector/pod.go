package injector

// Pod is what a plan needs to know of one pod. Byte slices are views into the
// JSON that ReadPod was given; they and the patch of a Decision are valid until
// the Pod is read into again. The zero Pod is ready for ReadPod, and reading
// into a used one costs no memory.
type Pod struct {
	raw []byte

	annotations annotations
	annotated   []byte // metadata.annotations as a whole
	labels      labels
	os          []byte
	nodeOS      []byte
	restart     []byte
	resources   []byte // spec.resources, nil where absent or null
	grace       seconds
	hostNetwork bool
	ownUsers    bool // hostUsers is false
	hostProcess bool // securityContext.windowsOptions.hostProcess

	// hasX is false where the list or map is absent or null, so that an addition
	// must create it. An empty one needs no creation.
	hasAnnotations, hasLabels, hasInits, hasVolumes, hasSecrets bool

	containers []podContainer // containers, initContainers, ephemeralContainers in the order of the document
	volumes    []podVolume
	secrets    [][]byte

	// ports, mounts and devices of all containers; a container holds a range of each.
	ports   []podPort
	mounts  []podMount
	devices []podDevice

	work scratch
}

// place is the list of a pod that a container stands in.
type place uint8

const (
	inContainers place = iota
	inInits
	inEphemeral
)

// field is the name of the list.
func (p place) field() string {
	return [...]string{"containers", "initContainers", "ephemeralContainers"}[p]
}

type optional struct {
	value []byte
	set   bool
}

// seconds is spec.terminationGracePeriodSeconds.
type seconds struct {
	value int64
	set   bool
}

type annotations struct {
	role, inject, main, status, defaultContainer, mirror optional
}

type labels struct {
	injected optional
}

type podContainer struct {
	place   place
	index   int // in its list
	name    []byte
	image   []byte
	restart []byte
	raw     []byte

	ports, mounts, devices span
	hasMounts              bool // false where the list is absent or null
}

// span is a range in one of the Pod's flat lists.
type span struct{ from, to int }

type podPort struct {
	name, protocol, hostIP []byte
	number, host           int32
}

type podMount struct {
	name, path []byte
	raw        []byte
}

type podDevice struct {
	name, path []byte
}

type podVolume struct {
	name []byte
	// source is the name of the volume's source field; emptyDir where it has none.
	source string
	// allowed is false where a source is not on the allow-list.
	allowed bool
	raw     []byte
	// template is true for a StatefulSet's claim template; raw is nil then.
	template bool
}

func (p *Pod) reset() {
	*p = Pod{
		containers: p.containers[:0], volumes: p.volumes[:0], secrets: p.secrets[:0],
		ports: p.ports[:0], mounts: p.mounts[:0], devices: p.devices[:0],
		work: p.work,
	}
}

func (p *Pod) portsOf(c *podContainer) []podPort     { return p.ports[c.ports.from:c.ports.to] }
func (p *Pod) mountsOf(c *podContainer) []podMount   { return p.mounts[c.mounts.from:c.mounts.to] }
func (p *Pod) devicesOf(c *podContainer) []podDevice { return p.devices[c.devices.from:c.devices.to] }

// AddClaimTemplates makes the names of a StatefulSet's volumeClaimTemplates
// count as claim volumes of the pod. They replace volumes of the same name, as
// the StatefulSet controller does. Call it after ReadPod.
func (p *Pod) AddClaimTemplates(names ...string) {
	for _, name := range names {
		claim := podVolume{name: []byte(name), source: "persistentVolumeClaim", template: true}
		kept := p.volumes[:0]
		for _, v := range p.volumes {
			if string(v.name) != name {
				kept = append(kept, v)
			}
		}
		p.volumes = append(kept, claim)
	}
}

// Asks reports whether the pod carries the role annotation.
func (p *Pod) Asks() bool { return p.annotations.role.set }

// Role is the value of the role annotation, "" where there is none.
func (p *Pod) Role() string { return string(p.annotations.role.value) }

// MakesPullSecrets reports whether the pod has no list of image pull secrets,
// so that adding one keeps the ServiceAccount's secrets from being added.
func (p *Pod) MakesPullSecrets() bool { return len(p.secrets) == 0 }

// container returns the container of the given name in one of the lists.
func (p *Pod) container(name string) *podContainer {
	for i := range p.containers {
		if string(p.containers[i].name) == name {
			return &p.containers[i]
		}
	}
	return nil
}

// maxItems bounds what is kept of one pod: containers, ports, mounts, devices,
// volumes and pull secrets together. A pod of etcd's 1.5 MB has fewer of them;
// without a bound, a review of 7 MB that is all "{}" would take a hundred times
// its size.
const maxItems = 50_000

// fits reports whether one more item may be kept, and fails the cursor where not.
func (p *Pod) fits(c *cursor) bool {
	if len(p.containers)+len(p.ports)+len(p.mounts)+len(p.devices)+len(p.volumes)+len(p.secrets) < maxItems {
		return true
	}
	c.fail("the pod has more than %d containers, ports, mounts, devices, volumes and pull secrets", maxItems)
	return false
}
