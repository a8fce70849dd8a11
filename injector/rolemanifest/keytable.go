package rolemanifest

import "slices"

// keyTable is all that is known about the keys of role manifests. The reader,
// docs/role-manifest.md and the JSON Schema come from it. To teach the reader a
// key, add an entry.
var keyTable = slices.Concat(topKeys, roleKeys, jobKeys, additionKeys, runKeys, volumeKeys, portKeys, probeKeys)

var topKeys = []Key{
	{
		Name: "instance_groups", In: []Where{InManifest}, Layouts: Layout2 | Layout3, Type: MappingList, Of: InRole, Handling: Honoured, Main: true, Distinct: true,
		Means: "The roles: main roles and colocated containers, in any order.",
	},
	{
		Name: "roles", In: []Where{InManifest}, Layouts: onGroup, Type: MappingList, Of: InRole, Handling: Honoured, Main: true,
		Means: "The roles, in the older word.",
	},
	{Name: "releases", In: []Where{InManifest}, Type: Unspecified, Handling: Ignored, Means: "Where jobs come from."},
	{Name: "configuration", In: []Where{InManifest}, Type: Unspecified, Handling: Ignored, Means: "Templates of properties, and service accounts."},
	{Name: "variables", In: []Where{InManifest}, Type: Unspecified, Handling: Ignored, Means: "Variables of the templates."},
}

var roleKeys = []Key{
	{
		Name: "name", In: []Where{InRole}, Type: String, Handling: Honoured, Main: true,
		Means: "The role's name, unique in the file: what a pod's annotation names, and the name of a colocated container. A DNS label: at most 63 lower-case letters, digits and hyphens.", Example: "name: log-forwarder",
	},
	{
		Name: "type", In: []Where{InRole}, Type: String, Values: roleTypes, Default: "bosh", Handling: Honoured, Main: true,
		Means: "`colocated-container` (also `collocated-container`) for what is added to the pods of other roles; the others are main roles. A `bosh-task` runs to completion.", Example: "type: colocated-container",
	},
	{Name: "is_task", In: []Where{InRole}, Layouts: onGroup, Type: Bool, Default: "false", Handling: Honoured, Means: "The oldest way to write `type: bosh-task`."},
	{Name: "jobs", In: []Where{InRole}, Type: MappingList, Of: InJob, Handling: Honoured, Main: true, Means: "The jobs of the role; in layout 3 they carry what the role needs."},
	{
		Name: "tags", In: []Where{InRole}, Type: StringList, Handling: Honoured,
		Means: "Marks of the role. `clustered` and `indexed` mean persistent state and are refused on a colocated container; others have no effect there.", Example: "tags: [clustered]",
	},
	{Name: "run", In: []Where{InRole}, Layouts: onGroup, Type: Mapping, Of: InRun, Handling: Honoured, Main: true, Distinct: true, InLayout3: "jobs[].properties.bosh_containerization.run", Means: "What the role needs at run time."},
	{
		Name: "colocated_containers", In: []Where{InRole}, Layouts: onGroup, Type: StringList, Handling: Honoured, Main: true, Distinct: true, InLayout3: "jobs[].properties.bosh_containerization.colocated_containers",
		Means: "The colocated containers of the role, in the order in which they are added.", Example: "colocated_containers: [log-forwarder]",
	},
	{
		Name: "extra-pod-containers", In: []Where{InRole}, Layouts: onGroup, Type: StringList, Handling: Honoured, Is: "colocated_containers", Main: true, Distinct: true, InLayout3: "jobs[].properties.bosh_containerization.colocated_containers",
		Means: "The first spelling of `colocated_containers`.", Example: "extra-pod-containers: [log-forwarder]",
	},
	{Name: "sidecars", In: []Where{InRole}, Layouts: onGroup, Type: StringList, Handling: Superseded, Is: "colocated_containers", Main: true, Distinct: true, InLayout3: "jobs[].properties.bosh_containerization.colocated_containers", Means: "Superseded spelling."},
	{Name: "collocated_containers", In: []Where{InRole}, Layouts: onGroup, Type: StringList, Handling: Superseded, Is: "colocated_containers", Main: true, Distinct: true, InLayout3: "jobs[].properties.bosh_containerization.colocated_containers", Means: "Superseded spelling."},
	{Name: "configuration", In: []Where{InRole}, Type: Unspecified, Handling: Ignored, Means: "Templates of properties."},
	{Name: "description", In: []Where{InRole}, Type: Unspecified, Handling: Ignored, Means: "For people."},
	{Name: "environment_scripts", In: []Where{InRole}, Type: Unspecified, Handling: Ignored, Means: "Scripts of the image."},
	{Name: "scripts", In: []Where{InRole}, Type: Unspecified, Handling: Ignored, Means: "Scripts of the image."},
	{Name: "post_config_scripts", In: []Where{InRole}, Type: Unspecified, Handling: Ignored, Means: "Scripts of the image."},
	{Name: "processes", In: []Where{InRole}, Layouts: onGroup, Type: Unspecified, Handling: Ignored, Means: "Processes of the image."},
	{Name: "dev-only", In: []Where{InRole}, Type: Unspecified, Handling: Ignored, Means: "Whether the role is for development."},
	{Name: "default_feature", In: []Where{InRole}, Type: Unspecified, Handling: Ignored, Means: "Feature switch of a chart; a colocated container is always added, whatever it says."},
	{Name: "if_feature", In: []Where{InRole}, Type: Unspecified, Handling: Ignored, Means: "Feature switch of a chart."},
	{Name: "unless_feature", In: []Where{InRole}, Type: Unspecified, Handling: Ignored, Means: "Feature switch of a chart."},
	{Name: "image", In: []Where{InRole, InContainerization, InRun}, Type: Unspecified, Handling: Misplaced, Instead: "container.image"},
	{Name: "command", In: []Where{InRole, InContainerization, InRun}, Type: Unspecified, Handling: Misplaced, Instead: "container.command"},
	{Name: "args", In: []Where{InRole, InContainerization, InRun}, Type: Unspecified, Handling: Misplaced, Instead: "container.args"},
	{Name: "ports", In: []Where{InRole}, Layouts: onGroup, Type: Unspecified, Handling: Misplaced, Instead: "run.exposed-ports", InLayout3: "jobs[].properties.bosh_containerization.ports"},
	{Name: "exposed-ports", In: []Where{InRole}, Layouts: onGroup, Type: Unspecified, Handling: Misplaced, Instead: "run.exposed-ports", InLayout3: "jobs[].properties.bosh_containerization.ports"},
}

// additionKeys are colocate's own. They stand beside run in a role of type
// colocated-container, where other readers of the format ignore them.
var additionKeys = []Key{
	{
		Name: "container", In: additions, Type: KubeObject, Handling: Honoured, Distinct: true,
		Means: "Any field of a Kubernetes Container, laid over what `run` gives, with lists merged by their merge keys (env by name, ports by containerPort, volumeMounts by mountPath). `restartPolicy` is refused: `placement` says it.", Example: "container: {image: 'example.org/log-forwarder:1.4'}",
	},
	{
		Name: "placement", In: additions, Type: String, Values: placements, Default: "auto", Handling: Honoured, Distinct: true,
		Means: "Where in the pod the container goes. `auto` is an ordinary container, or a native sidecar put first where the pod runs to completion.", Example: "placement: native-first",
	},
	{
		Name: "volumes", In: additions, Type: KubeVolumes, Handling: Honoured,
		Means: "Pod volumes of kinds without state: emptyDir, configMap, secret, downwardAPI, projected, image.", Example: "volumes: [{name: conf, configMap: {name: log-forwarder}}]",
	},
	{
		Name: "image-pull-secrets", In: additions, Type: SecretList, Handling: Honoured, Distinct: true,
		Means: "Names of Secrets with registry credentials, merged into the pod's.", Example: "image-pull-secrets: [registry]",
	},
}

var jobKeys = []Key{
	{Name: "name", In: []Where{InJob}, Type: Unspecified, Handling: Ignored, Means: "The job's name."},
	{Name: "release", In: []Where{InJob}, Type: Unspecified, Handling: Ignored, Means: "The release that the job comes from."},
	{Name: "release_name", In: []Where{InJob}, Type: Unspecified, Handling: Ignored, Means: "The older word for `release`."},
	{Name: "provides", In: []Where{InJob}, Type: Unspecified, Handling: Ignored, Means: "Links to other jobs."},
	{Name: "consumes", In: []Where{InJob}, Type: Unspecified, Handling: Ignored, Means: "Links to other jobs."},
	{Name: "consumed_by", In: []Where{InJob}, Type: Unspecified, Handling: Ignored, Means: "Links to other jobs."},
	{Name: "properties", In: []Where{InJob}, Type: Mapping, Of: InProperties, Handling: Honoured, Main: true, Means: "Properties of the job; only `bosh_containerization` is read."},
	{
		Name: "bosh_containerization", In: []Where{InProperties}, Layouts: Layout3, Type: Mapping, Of: InContainerization, Handling: Honoured, Main: true, Distinct: true,
		Means: "What the role needs because of this job. A role gets the sum of its jobs: the largest memory and CPU, all volumes, ports, capabilities and colocated containers, in the order of the jobs.",
	},
	{Name: "run", In: []Where{InContainerization}, Layouts: Layout3, Type: Mapping, Of: InRun, Handling: Honoured, Main: true, Means: "What the job needs at run time. A colocated container needs it in at least one job."},
	{Name: "ports", In: []Where{InContainerization}, Layouts: Layout3, Type: MappingList, Of: InPort, Handling: Honoured, Distinct: true, Means: "The job's ports, beside `run`."},
	{
		Name: "colocated_containers", In: []Where{InContainerization}, Layouts: Layout3, Type: StringList, Handling: Honoured, Main: true, Distinct: true,
		Means: "Colocated containers of the role.", Example: "colocated_containers: [log-forwarder]",
	},
	{Name: "extra-pod-containers", In: []Where{InContainerization}, Layouts: Layout3, Type: StringList, Handling: Superseded, Is: "colocated_containers", Main: true, Means: "Superseded spelling."},
	{Name: "sidecars", In: []Where{InContainerization}, Layouts: Layout3, Type: StringList, Handling: Superseded, Is: "colocated_containers", Main: true, Means: "Superseded spelling."},
	{Name: "collocated_containers", In: []Where{InContainerization}, Layouts: Layout3, Type: StringList, Handling: Superseded, Is: "colocated_containers", Main: true, Means: "Superseded spelling."},
	{Name: "service_name", In: []Where{InContainerization}, Type: Unspecified, Handling: Ignored, Means: "The name of a Service."},
	{Name: "pod-security-policy", In: []Where{InContainerization}, Type: Unspecified, Handling: Ignored, Means: "Pod security policies are gone from Kubernetes."},
}
