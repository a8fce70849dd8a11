package injector

// Reason is a stable code for what was decided and why: the same word in the
// answer, the metric label, the log line, the command line and docs/reasons.md.
type Reason string

// Reasons for which a pod is left alone.
const (
	ReasonNotAsked          Reason = "NotAsked"
	ReasonSubResource       Reason = "SubResource"
	ReasonNotCreate         Reason = "NotCreate"
	ReasonNotAPod           Reason = "NotAPod"
	ReasonMirrorPod         Reason = "MirrorPod"
	ReasonInjectionDisabled Reason = "InjectionDisabled"
)

// Reasons for which a pod is allowed with what it needs.
const (
	ReasonInjected        Reason = "Injected"
	ReasonAlreadyInjected Reason = "AlreadyInjected"
	ReasonOutdated        Reason = "Outdated"
)

// ReasonNoSnapshot is the reason for an answer that must be asked for again.
const ReasonNoSnapshot Reason = "NoSnapshot"

// Reasons for which a pod is refused.
const (
	ReasonInvalidAnnotation    Reason = "InvalidAnnotation"
	ReasonUnreadablePod        Reason = "UnreadablePod"
	ReasonUnknownRole          Reason = "UnknownRole"
	ReasonRoleIsColocated      Reason = "RoleIsColocated"
	ReasonWindowsPod           Reason = "WindowsPod"
	ReasonUnknownMainContainer Reason = "UnknownMainContainer"
	ReasonPersistentState      Reason = "PersistentState"
	ReasonContainerClash       Reason = "ContainerClash"
	ReasonVolumeClash          Reason = "VolumeClash"
	ReasonMountClash           Reason = "MountClash"
	ReasonPortClash            Reason = "PortClash"
	ReasonUnsuitablePod        Reason = "UnsuitablePod"
	ReasonNoRoom               Reason = "NoRoom"
)

// Reasons for which a definition is rejected when it is loaded; pods of its
// role are refused with the same reason. PersistentState, VolumeClash,
// MountClash, PortClash and ContainerClash are used here too.
const (
	ReasonUnreadableDefinition Reason = "UnreadableDefinition"
	ReasonInvalidDefinition    Reason = "InvalidDefinition"
	ReasonDuplicateDefinition  Reason = "DuplicateDefinition"
	ReasonUnknownColocated     Reason = "UnknownColocated"
	ReasonUndeclaredVolume     Reason = "UndeclaredVolume"
)

// ReasonInfo explains a Reason to people.
type ReasonInfo struct {
	Code Reason
	// Means is one sentence without the particulars of a pod.
	Means string
	// Remedy says what to do; "" where there is nothing to do.
	Remedy string
}

// Reasons is the one table of all reason codes, in the order of the rules.
// docs/reasons.md is generated from it.
func Reasons() []ReasonInfo { return append([]ReasonInfo(nil), reasonTable...) }

var reasonTable = []ReasonInfo{
	{ReasonNotAsked, "The pod has no " + RoleAnnotation + " annotation.", "Put the annotation on the pod (in a workload: on spec.template.metadata) if it should get colocated containers."},
	{ReasonSubResource, "The request is for a sub-resource of a pod, such as ephemeralcontainers.", ""},
	{ReasonNotCreate, "The request does not create a pod; colocated containers are added at creation only.", ""},
	{ReasonNotAPod, "The request is for a resource other than pods.", "Call the webhook for pods only, as the delivered MutatingWebhookConfiguration does."},
	{ReasonMirrorPod, "The pod is the API copy of a static pod, which the kubelet runs from a file.", "Static pods cannot get colocated containers; add the container to the static pod's file."},
	{ReasonInjectionDisabled, "The pod says " + InjectAnnotation + ": \"false\".", "Remove the annotation to have the pod injected again."},
	{ReasonInjected, "The pod gets the containers, volumes and mounts of its role.", ""},
	{ReasonAlreadyInjected, "The pod has everything that its role gives; nothing is added.", ""},
	{ReasonOutdated, "The pod carries containers of an earlier definition of its role; they stay as they are.", "Run colocate inject again over the file that the pod comes from, or remove the injected parts from it."},
	{ReasonNoSnapshot, "No definitions are loaded yet, so nothing can be decided; the API server tries again.", "Look at /readyz?verbose of the webhook if this lasts."},
	{ReasonInvalidAnnotation, "An annotation of ours has a value that it cannot have.", "Correct the value; the message says which values there are."},
	{ReasonUnreadablePod, "The pod cannot be read as a pod: a field that matters here has a wrong type or stands twice.", "Correct the field that the message names."},
	{ReasonUnknownRole, "No definition has the name that the pod's annotation gives.", "Correct the role's name, or apply the definitions that colocate build writes."},
	{ReasonRoleIsColocated, "The annotation names a colocated container, which never has a pod of its own.", "Name the main role; its definition lists the colocated containers."},
	{ReasonWindowsPod, "The pod is for Windows, the colocated containers are for Linux.", "Remove the annotation from Windows pods."},
	{ReasonPersistentState, "A colocated container would use storage that outlives the pod or belongs to it alone.", "Use an emptyDir tag, or give the container a pod of its own."},
	{ReasonContainerClash, "A container of the same name exists already and is not ours.", "Rename one of the two."},
	{ReasonUnknownMainContainer, "The pod names a main container that it does not have.", "Correct " + MainContainerAnnotation + "."},
	{ReasonVolumeClash, "A volume of the same name exists already and is not the same emptyDir.", "Rename one of the two, or make both the same emptyDir."},
	{ReasonMountClash, "A container has something else at the path of a mount.", "Change one of the two paths."},
	{ReasonPortClash, "Two containers of the pod use one port and protocol.", "Change the port of one of the two; containers of one pod share one network namespace."},
	{ReasonUnsuitablePod, "A colocated container has a field that Kubernetes does not allow beside one of the pod's.", "Change the field on the side that the message names."},
	{ReasonNoRoom, "The pod has resources of its own (spec.resources), and they leave no room for the colocated containers.", "Raise spec.resources, or leave it out."},
	{ReasonUnreadableDefinition, "The definition's document cannot be read and no earlier form of it is known.", "Correct the document; colocate validate says where."},
	{ReasonInvalidDefinition, "The definition can be read but breaks a rule.", "Correct the definition; the message says what is wrong."},
	{ReasonDuplicateDefinition, "Two documents define the same name.", "Remove one of the two."},
	{ReasonUnknownColocated, "The role lists a colocated container that no definition describes.", "Apply the definition of the colocated container, or take its name off the list."},
	{ReasonUndeclaredVolume, "A mount names a volume that neither the role nor its colocated containers define.", "Add the volume to the definition."},
}

// Describe returns the table's entry for a code, and false where there is none.
func Describe(code Reason) (ReasonInfo, bool) {
	for _, info := range reasonTable {
		if info.Code == code {
			return info, true
		}
	}
	return ReasonInfo{}, false
}
