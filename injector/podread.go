package injector

import "fmt"

func (scanner) readPod(raw []byte, into *Pod) error {
	into.reset()
	c := cursor{b: raw}
	into.read(&c)
	c.end()
	if c.err != nil {
		return fmt.Errorf("pod: %w", c.err)
	}
	return nil
}

var (
	podFields         = keysOf("metadata", "spec")
	metadataFields    = keysOf("annotations", "labels")
	specFields        = keysOf("containers", "initContainers", "ephemeralContainers", "volumes", "imagePullSecrets", "restartPolicy", "os", "nodeSelector", "hostNetwork", "hostUsers", "terminationGracePeriodSeconds", "resources", "securityContext")
	nameFields        = keysOf("name")
	containerFields   = keysOf("name", "image", "restartPolicy", "ports", "volumeMounts", "volumeDevices")
	portFields        = keysOf("name", "containerPort", "hostPort", "protocol", "hostIP")
	mountFields       = keysOf("name", "mountPath")
	deviceFields      = keysOf("name", "devicePath")
	annotationFields  = []string{RoleAnnotation, InjectAnnotation, MainContainerAnnotation, StatusAnnotation, DefaultContainerAnnotation, MirrorAnnotation}
	securityFields    = keysOf("windowsOptions")
	windowsFields     = keysOf("hostProcess")
	nodeSelectorField = "kubernetes.io/os"
)

func (p *Pod) read(c *cursor) {
	if c.err != nil {
		return
	}
	c.peek()
	at := c.i
	f := fields{keys: podFields}
	if c.enter('{', "the pod") {
		for n := 0; c.more('}', n); n++ {
			switch f.index(c, c.key()) {
			case 0:
				p.readMetadata(c)
			case 1:
				p.readSpec(c)
			default:
				c.skip()
			}
		}
	}
	if c.err == nil {
		p.raw = c.b[at:c.i]
	}
}

func (p *Pod) readMetadata(c *cursor) {
	f := fields{keys: metadataFields}
	if !c.enter('{', "metadata") {
		return
	}
	for n := 0; c.more('}', n); n++ {
		switch f.index(c, c.key()) {
		case 0:
			c.peek()
			at := c.i
			if p.hasAnnotations = p.readAnnotations(c); c.err == nil {
				p.annotated = c.b[at:c.i]
			}
		case 1:
			p.hasLabels = p.readLabels(c)
		default:
			c.skip()
		}
	}
}

// readAnnotations compares keys as map keys are compared: letter by letter.
func (p *Pod) readAnnotations(c *cursor) bool {
	if !c.enter('{', "metadata.annotations") {
		return false
	}
	a := &p.annotations
	slots := [...]*optional{&a.role, &a.inject, &a.main, &a.status, &a.defaultContainer, &a.mirror}
	for n := 0; c.more('}', n); n++ {
		key := c.key()
		var slot *optional
		for i, name := range annotationFields {
			if string(key) == name {
				slot = slots[i]
				break
			}
		}
		if slot == nil {
			c.passText("an annotation")
			continue
		}
		if slot.set {
			c.fail("annotation %q stands twice", key)
		}
		slot.value, slot.set = c.str("an annotation"), true
	}
	return true
}

func (p *Pod) readLabels(c *cursor) bool {
	if !c.enter('{', "metadata.labels") {
		return false
	}
	for n := 0; c.more('}', n); n++ {
		if string(c.key()) != InjectedLabel {
			c.passText("a label")
			continue
		}
		if p.labels.injected.set {
			c.fail("label %q stands twice", InjectedLabel)
		}
		p.labels.injected = optional{c.str("a label"), true}
	}
	return true
}

func (p *Pod) readSpec(c *cursor) {
	f := fields{keys: specFields}
	if !c.enter('{', "spec") {
		return
	}
	for n := 0; c.more('}', n); n++ {
		switch f.index(c, c.key()) {
		case 0:
			p.readContainers(c, inContainers)
		case 1:
			p.hasInits = p.readContainers(c, inInits)
		case 2:
			p.readContainers(c, inEphemeral)
		case 3:
			p.hasVolumes = p.readVolumes(c)
		case 4:
			p.hasSecrets = p.readSecrets(c)
		case 5:
			p.restart = c.str("spec.restartPolicy")
		case 6:
			p.os = readName(c, "spec.os")
		case 7:
			p.readNodeSelector(c)
		case 8:
			p.hostNetwork = c.bool("spec.hostNetwork")
		case 9:
			no := c.peek() == 'f'
			c.bool("spec.hostUsers")
			p.ownUsers = no
		case 10:
			p.grace = c.seconds("spec.terminationGracePeriodSeconds")
		case 11:
			p.resources = c.view()
		case 12:
			p.readSecurity(c)
		default:
			c.skip()
		}
	}
}

func (p *Pod) readNodeSelector(c *cursor) {
	if !c.enter('{', "spec.nodeSelector") {
		return
	}
	for n := 0; c.more('}', n); n++ {
		if string(c.key()) == nodeSelectorField {
			p.nodeOS = c.str("a node selector")
		} else {
			c.passText("a node selector")
		}
	}
}

// readSecurity looks for the one setting that makes a pod a Windows pod without
// saying so elsewhere.
func (p *Pod) readSecurity(c *cursor) {
	f := fields{keys: securityFields}
	if !c.enter('{', "spec.securityContext") {
		return
	}
	for n := 0; c.more('}', n); n++ {
		if f.index(c, c.key()) < 0 {
			c.skip()
			continue
		}
		w := fields{keys: windowsFields}
		if !c.enter('{', "windowsOptions") {
			continue
		}
		for n := 0; c.more('}', n); n++ {
			if w.index(c, c.key()) == 0 {
				p.hostProcess = c.bool("hostProcess")
			} else {
				c.skip()
			}
		}
	}
}

// readName reads the name of an object of which nothing else matters.
func readName(c *cursor, what string) (name []byte) {
	f := fields{keys: nameFields}
	if !c.enter('{', what) {
		return nil
	}
	for n := 0; c.more('}', n); n++ {
		if f.index(c, c.key()) == 0 {
			name = c.str("name")
		} else {
			c.skip()
		}
	}
	return name
}

func (p *Pod) readSecrets(c *cursor) bool {
	if !c.enter('[', "spec.imagePullSecrets") {
		return false
	}
	for n := 0; c.more(']', n) && p.fits(c); n++ {
		p.secrets = append(p.secrets, readName(c, "an image pull secret"))
	}
	return true
}

func (p *Pod) readContainers(c *cursor, where place) bool {
	if !c.enter('[', where.field()) {
		return false
	}
	for n := 0; c.more(']', n) && p.fits(c); n++ {
		p.readContainer(c, where, n)
	}
	return true
}

func (p *Pod) readContainer(c *cursor, where place, index int) {
	k := podContainer{place: where, index: index}
	k.ports.from, k.mounts.from, k.devices.from = len(p.ports), len(p.mounts), len(p.devices)
	f := fields{keys: containerFields}
	if c.peek() == 'n' {
		c.fail("a container is null") // an operation below it could not be applied
		return
	}
	at := c.i
	if c.enter('{', "a container") {
		for n := 0; c.more('}', n); n++ {
			switch f.index(c, c.key()) {
			case 0:
				k.name = c.str("a container's name")
			case 1:
				k.image = c.str("a container's image")
			case 2:
				k.restart = c.str("a container's restartPolicy")
			case 3:
				p.readPorts(c)
			case 4:
				k.hasMounts = p.readMounts(c)
			case 5:
				p.readDevices(c)
			default:
				c.skip()
			}
		}
	}
	if c.err != nil {
		return
	}
	k.raw = c.b[at:c.i]
	k.ports.to, k.mounts.to, k.devices.to = len(p.ports), len(p.mounts), len(p.devices)
	p.containers = append(p.containers, k)
}

func (p *Pod) readPorts(c *cursor) {
	if !c.enter('[', "a container's ports") {
		return
	}
	for n := 0; c.more(']', n) && p.fits(c); n++ {
		var port podPort
		f := fields{keys: portFields}
		if c.enter('{', "a port") {
			for n := 0; c.more('}', n); n++ {
				switch f.index(c, c.key()) {
				case 0:
					port.name = c.str("a port's name")
				case 1:
					port.number = c.int32("containerPort")
				case 2:
					port.host = c.int32("hostPort")
				case 3:
					port.protocol = c.str("a port's protocol")
				case 4:
					port.hostIP = c.str("a port's hostIP")
				default:
					c.skip()
				}
			}
		}
		p.ports = append(p.ports, port)
	}
}

func (p *Pod) readMounts(c *cursor) bool {
	if !c.enter('[', "a container's volumeMounts") {
		return false
	}
	for n := 0; c.more(']', n) && p.fits(c); n++ {
		var m podMount
		c.peek()
		at := c.i
		m.name, m.path = readPair(c, mountFields, "a volume mount")
		if c.err == nil {
			m.raw = c.b[at:c.i]
		}
		p.mounts = append(p.mounts, m)
	}
	return true
}

func (p *Pod) readDevices(c *cursor) {
	if !c.enter('[', "a container's volumeDevices") {
		return
	}
	for n := 0; c.more(']', n) && p.fits(c); n++ {
		var d podDevice
		d.name, d.path = readPair(c, deviceFields, "a volume device")
		p.devices = append(p.devices, d)
	}
}

// readPair reads the two strings of an object that keys tells.
func readPair(c *cursor, keys *keys, what string) (first, second []byte) {
	f := fields{keys: keys}
	if !c.enter('{', what) {
		return nil, nil
	}
	for n := 0; c.more('}', n); n++ {
		switch f.index(c, c.key()) {
		case 0:
			first = c.str(keys.names[0])
		case 1:
			second = c.str(keys.names[1])
		default:
			c.skip()
		}
	}
	return first, second
}

func (p *Pod) readVolumes(c *cursor) bool {
	if !c.enter('[', "spec.volumes") {
		return false
	}
	for n := 0; c.more(']', n) && p.fits(c); n++ {
		v := podVolume{source: emptyDirSource, allowed: true}
		f := fields{keys: nameFields}
		c.peek()
		at := c.i
		if c.enter('{', "a volume") {
			for n := 0; c.more('}', n); n++ {
				key := c.key()
				if f.index(c, key) == 0 {
					v.name = c.str("a volume's name")
					continue
				}
				null := c.peek() == 'n'
				if c.skip(); !null && c.err == nil {
					v.addSource(key)
				}
			}
		}
		if c.err == nil {
			v.raw = c.b[at:c.i]
		}
		p.volumes = append(p.volumes, v)
	}
	return true
}

// addSource notes a source of the volume; one that is not allowed wins, so that
// no second source can hide it.
func (v *podVolume) addSource(key []byte) {
	for _, name := range allowedSources {
		if string(key) == name {
			if v.allowed {
				v.source = name
			}
			return
		}
	}
	v.source, v.allowed = clip(key), false
}
