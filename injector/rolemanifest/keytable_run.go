package rolemanifest

var (
	additions  = []Where{InRole, InContainerization}
	roleTypes  = []string{"bosh", "bosh-task", "docker", "colocated-container", "collocated-container"}
	placements = []string{"auto", "container", "native-first", "native-last", "init"}
	volumeKind = []string{"persistent", "shared", "host", "none", "emptyDir"}
	protocols  = []string{"TCP", "UDP"}
)

// runKeys are what a role needs at run time.
var runKeys = []Key{
	{
		Name: "memory", In: []Where{InRun}, Type: Integer, Unit: "MiB", Handling: Honoured, Distinct: true,
		Means: "Memory request. `mem.request` wins over it. Of several jobs the largest counts.", Example: "memory: 256",
	},
	{Name: "mem", In: []Where{InRun}, Type: Mapping, Of: InMemory, Handling: Honoured, Distinct: true, Means: "Memory request and limit."},
	{
		Name: "virtual-cpus", In: []Where{InRun}, Type: Number, Unit: "cores", Handling: Honoured, Distinct: true,
		Means: "CPU request, rounded to thousandths of a core. `cpu.request` wins over it. Of several jobs the largest counts.", Example: "virtual-cpus: 0.25",
	},
	{Name: "cpu", In: []Where{InRun}, Type: Mapping, Of: InCPU, Handling: Honoured, Distinct: true, Means: "CPU request and limit."},
	{Name: "request", In: []Where{InMemory}, Type: Integer, Unit: "MiB", Handling: Honoured, Means: "Memory request.", Example: "mem: {request: 64, limit: 128}"},
	{Name: "limit", In: []Where{InMemory}, Type: Integer, Unit: "MiB", Handling: Honoured, Means: "Memory limit."},
	{Name: "request", In: []Where{InCPU}, Type: Number, Unit: "cores", Handling: Honoured, Means: "CPU request.", Example: "cpu: {request: 0.1, limit: 0.5}"},
	{Name: "limit", In: []Where{InCPU}, Type: Number, Unit: "cores", Handling: Honoured, Means: "CPU limit."},
	{
		Name: "volumes", In: []Where{InRun}, Type: MappingList, Of: InVolume, Handling: Honoured, Main: true,
		Means: "Volumes by type. A colocated container may have type `emptyDir` only.", Example: "volumes: [{type: emptyDir, path: /mnt/share, tag: common-share}]",
	},
	{Name: "persistent-volumes", In: []Where{InRun}, Type: MappingList, Of: InVolume, Handling: Honoured, Main: true, Distinct: true, Means: "Volumes of type `persistent`."},
	{
		Name: "shared-volumes", In: []Where{InRun}, Type: MappingList, Of: InVolume, Handling: Honoured, Main: true, Distinct: true,
		Means: "Volumes of type `shared`, or emptyDirs where they say `empty-dir: true`.", Example: "shared-volumes: [{path: /mnt/share, tag: common-share, empty-dir: true}]",
	},
	{Name: "exposed-ports", In: []Where{InRun}, Layouts: onGroup, Type: MappingList, Of: InPort, Handling: Honoured, Distinct: true, InLayout3: "jobs[].properties.bosh_containerization.ports", Means: "The role's ports."},
	{Name: "ports", In: []Where{InRun}, Layouts: onGroup, Type: MappingList, Of: InPort, Handling: Superseded, Is: "exposed-ports", InLayout3: "jobs[].properties.bosh_containerization.ports, beside run", Means: "Another spelling of `exposed-ports`."},
	{
		Name: "capabilities", In: []Where{InRun}, Type: StringList, Handling: Honoured, Distinct: true,
		Means: "Linux capabilities to add, without `CAP_`. Of several jobs the union counts.", Example: "capabilities: [NET_ADMIN]",
	},
	{
		Name: "privileged", In: []Where{InRun}, Type: Bool, Default: "false", Handling: Honoured, Distinct: true,
		Means: "Runs the container privileged. One job of several is enough.", Example: "privileged: true",
	},
	{Name: "env", In: []Where{InRun}, Type: Environment, Handling: Honoured, Means: "Environment variables. A mapping, or entries with `name` and `value`, are understood too.", Example: "env: [LOG_LEVEL=info]"},
	{Name: "healthcheck", In: []Where{InRun}, Type: Mapping, Of: InHealth, Handling: Honoured, Distinct: true, Means: "Probes. At most one job of a role may have them."},
	{Name: "service-account", In: []Where{InRun}, Type: String, Handling: Honoured, Distinct: true, Means: "Accepted; a pod has one service account, and it is the main role's."},
	{Name: "scaling", In: []Where{InRun}, Type: Unspecified, Handling: Ignored, Distinct: true, Means: "How many pods."},
	{Name: "flight-stage", In: []Where{InRun}, Type: Unspecified, Handling: Ignored, Distinct: true, Means: "When a role is deployed."},
	{Name: "active-passive-probe", In: []Where{InRun}, Type: Unspecified, Handling: Ignored, Distinct: true, Means: "A shell command that tells the active pod."},
	{Name: "affinity", In: []Where{InRun}, Type: Unspecified, Handling: Ignored, Distinct: true, Means: "Where pods are scheduled."},
	{Name: "object-annotations", In: []Where{InRun}, Type: Unspecified, Handling: Ignored, Distinct: true, Means: "Annotations of what is deployed."},
}

// volumeKeys are those of run.volumes[], run.shared-volumes[] and run.persistent-volumes[].
var volumeKeys = []Key{
	{
		Name: "type", In: []Where{InVolume}, Type: String, Values: volumeKind, Handling: Honoured, Main: true,
		Means: "The kind of volume, in `volumes` only. Everything but `emptyDir` is the main role's own business.", Example: "type: emptyDir",
	},
	{Name: "path", In: []Where{InVolume}, Type: String, Handling: Honoured, Main: true, Means: "Where it is mounted.", Example: "path: /mnt/share"},
	{
		Name: "tag", In: []Where{InVolume}, Type: String, Handling: Honoured, Main: true,
		Means: "The volume's name: roles of one pod that give the same tag share the volume.", Example: "tag: common-share",
	},
	{Name: "empty-dir", In: []Where{InVolume}, Type: Bool, Default: "false", Handling: Honoured, Main: true, Distinct: true, Means: "Makes the volume an emptyDir.", Example: "empty-dir: true"},
	{Name: "medium", In: []Where{InVolume}, Type: String, Handling: Honoured, Main: true, Means: "Of an emptyDir: `Memory` for a tmpfs.", Example: "medium: Memory"},
	{Name: "size-limit", In: []Where{InVolume}, Type: Quantity, Handling: Honoured, Main: true, Distinct: true, Unit: "a Kubernetes quantity, or a number of MiB", Means: "Of an emptyDir: how large it may grow.", Example: "size-limit: 64Mi"},
	{Name: "read-only", In: []Where{InVolume}, Type: Bool, Default: "false", Handling: Honoured, Main: true, Distinct: true, Means: "Mounts the volume read-only in this role.", Example: "read-only: true"},
	{Name: "size", In: []Where{InVolume}, Type: Unspecified, Handling: Ignored, Unit: "GB", Means: "Size of a claim."},
	{Name: "annotations", In: []Where{InVolume}, Type: Unspecified, Handling: Ignored, Means: "Annotations of a claim."},
}

// portKeys are those of ports[] and run.exposed-ports[].
var portKeys = []Key{
	{
		Name: "name", In: []Where{InPort}, Type: String, Handling: Honoured,
		Means: "Lower-case words joined by single hyphens, at most 15 characters, or 9 where the port is a range.", Example: "name: http",
	},
	{Name: "protocol", In: []Where{InPort}, Type: String, Values: protocols, Handling: Honoured, Means: "`TCP` or `UDP`.", Example: "protocol: TCP"},
	{Name: "internal", In: []Where{InPort}, Type: PortRange, Handling: Honoured, Means: "The container's port: a number, or a range `N-M`.", Example: "internal: 8080"},
	{Name: "external", In: []Where{InPort}, Type: PortRange, Default: "the internal port", Handling: Honoured, Means: "The Service's port; roles of one pod should not give one twice.", Example: "external: 80"},
	{Name: "target", In: []Where{InPort}, Layouts: onGroup, Type: PortRange, Handling: Superseded, Is: "internal", Means: "Superseded spelling."},
	{Name: "source", In: []Where{InPort}, Layouts: onGroup, Type: PortRange, Handling: Superseded, Is: "external", Means: "Superseded spelling."},
	{Name: "count", In: []Where{InPort}, Type: Integer, Default: "the length of the range", Handling: Honoured, Means: "Number of ports; it must be the length of the range."},
	{Name: "max", In: []Where{InPort}, Type: Integer, Default: "`count`", Handling: Honoured, Means: "Largest number of ports. Above 1, the ports are named with their number: `name-8080`."},
	{Name: "count-configurable", In: []Where{InPort}, Type: Bool, Default: "false", Handling: Honoured, Means: "For charts; the name may then have 9 characters only."},
	{Name: "port-configurable", In: []Where{InPort}, Type: Unspecified, Handling: Ignored, Means: "For charts."},
	{Name: "public", In: []Where{InPort}, Type: Unspecified, Handling: Ignored, Means: "Whether a public Service has the port."},
}

// probeKeys are those of run.healthcheck.
var probeKeys = []Key{
	{Name: "readiness", In: []Where{InHealth}, Type: Mapping, Of: InProbe, Handling: Honoured, Means: "Becomes the readinessProbe.", Example: "readiness: {url: 'http://container-ip:8080/health'}"},
	{Name: "liveness", In: []Where{InHealth}, Type: Mapping, Of: InProbe, Handling: Honoured, Means: "Becomes the livenessProbe.", Example: "liveness: {port: 8080, period: 30}"},
	{Name: "url", In: []Where{InHealth}, Type: Unspecified, Handling: Misplaced, Instead: "healthcheck.readiness or healthcheck.liveness"},
	{Name: "headers", In: []Where{InHealth}, Type: Unspecified, Handling: Misplaced, Instead: "healthcheck.readiness or healthcheck.liveness"},
	{Name: "command", In: []Where{InHealth}, Type: Unspecified, Handling: Misplaced, Instead: "healthcheck.readiness or healthcheck.liveness"},
	{Name: "port", In: []Where{InHealth}, Type: Unspecified, Handling: Misplaced, Instead: "healthcheck.readiness or healthcheck.liveness"},
	{
		Name: "url", In: []Where{InProbe}, Type: String, Handling: Honoured,
		Means: "An HTTP or HTTPS address to get. The host `container-ip` means the pod; a user and password become an Authorization header. One of url, command and port.", Example: "url: https://container-ip:8443/health",
	},
	{Name: "headers", In: []Where{InProbe}, Type: StringMap, Handling: Honoured, Means: "HTTP headers, for `url`.", Example: "headers: {Accept: application/json}"},
	{
		Name: "command", In: []Where{InProbe}, Type: StringList, Handling: Honoured,
		Means: "A program and its arguments; or, where the first entry has a space in it, shell commands which must all succeed (run by /bin/sh).", Example: "command: [cat, /tmp/ready]",
	},
	{Name: "port", In: []Where{InProbe}, Type: Integer, Handling: Honoured, Means: "A TCP port to connect to.", Example: "port: 8080"},
	{Name: "initial_delay", In: []Where{InProbe}, Type: Integer, Unit: "seconds", Default: "0", Handling: Honoured, Means: "Wait before the first probe."},
	{Name: "period", In: []Where{InProbe}, Type: Integer, Unit: "seconds", Default: "10", Handling: Honoured, Means: "Time between probes."},
	{Name: "timeout", In: []Where{InProbe}, Type: Integer, Unit: "seconds", Default: "1", Handling: Honoured, Means: "Time that a probe may take."},
	{Name: "success_threshold", In: []Where{InProbe}, Type: Integer, Unit: "probes", Default: "1", Handling: Honoured, Means: "Successes in a row that make it ready; 1 for liveness."},
	{Name: "failure_threshold", In: []Where{InProbe}, Type: Integer, Unit: "probes", Default: "3", Handling: Honoured, Means: "Failures in a row that count."},
}
