package rolemanifest

import (
	"slices"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

// Code is a stable word for a kind of finding.
type Code string

// Codes of findings about the text of the file.
const (
	CodeEncoding     Code = yamldoc.CodeEncoding
	CodeSyntax       Code = yamldoc.CodeSyntax
	CodeTab          Code = yamldoc.CodeTab
	CodeEmpty        Code = yamldoc.CodeEmpty
	CodeDocuments    Code = yamldoc.CodeDocuments
	CodeDuplicateKey Code = yamldoc.CodeDuplicateKey
	CodeKey          Code = yamldoc.CodeKey
	CodeTag          Code = yamldoc.CodeTag
	CodeAlias        Code = yamldoc.CodeAlias
	CodeMerge        Code = yamldoc.CodeMerge
	CodeDepth        Code = yamldoc.CodeDepth
	CodeSize         Code = yamldoc.CodeSize
	CodeNull         Code = yamldoc.CodeNull
)

// Codes of findings about keys and values.
const (
	CodeNoRoles       Code = "NoRoles"
	CodeMixedLayouts  Code = "MixedLayouts"
	CodeUnknownKey    Code = "UnknownKey"
	CodeMisplacedKey  Code = "MisplacedKey"
	CodeSuperseded    Code = "Superseded"
	CodeTwoSpellings  Code = "TwoSpellings"
	CodeWrongType     Code = "WrongType"
	CodeInvalidValue  Code = "InvalidValue"
	CodeMissingKey    Code = "MissingKey"
	CodeInvalidName   Code = "InvalidName"
	CodeUnknownField  Code = "UnknownField"
	CodeNoRun         Code = "NoRun"
	CodeRepeatedInJob Code = "RepeatedInJobs"
	CodeNoEffect      Code = "NoEffect"
)

// Codes of findings about roles and what they refer to.
const (
	CodeDuplicateRole      Code = "DuplicateRole"
	CodeUnknownColocated   Code = "UnknownColocated"
	CodeNotColocated       Code = "NotColocated"
	CodeSelfReference      Code = "SelfReference"
	CodeNestedColocation   Code = "NestedColocation"
	CodeColocationCycle    Code = "ColocationCycle"
	CodeDuplicateReference Code = "DuplicateReference"
	CodeUnusedColocated    Code = "UnusedColocated"
	CodeTaskSidecar        Code = "TaskSidecar"
)

// Codes of findings about what would be in a pod.
const (
	CodePersistentState  Code = "PersistentState"
	CodeVolumeClash      Code = "VolumeClash"
	CodeMountClash       Code = "MountClash"
	CodeTwoPaths         Code = "TagAtTwoPaths"
	CodeUnshared         Code = "UnsharedVolume"
	CodeUndeclaredVolume Code = "UndeclaredVolume"
	CodeOctalMode        Code = "OctalMode"
	CodeInvalidPort      Code = "InvalidPort"
	CodePortClash        Code = "PortClash"
	CodeExternalPort     Code = "ExternalPortTwice"
	CodePortName         Code = "PortNameTwice"
	CodeNoImage          Code = "NoImage"
	CodeInvalidImage     Code = "InvalidImage"
	CodeUnknownImageRole Code = "UnknownImageRole"
	CodeInvalidResources Code = "InvalidResources"
	CodeMissingResources Code = "MissingResources"
	CodeCapabilityAll    Code = "CapabilityAll"
	CodePodSecurity      Code = "PodSecurity"
	CodeProbeShell       Code = "ProbeShell"
	CodeProbeHost        Code = "ProbeHost"
	CodeInvalidContainer Code = "InvalidContainer"
)

// CodeInfo explains a code to people.
type CodeInfo struct {
	Code Code
	// Severity is the usual one; some findings are milder where they concern main
	// roles only, or a key without a value.
	Severity Severity
	// Means is one sentence without the particulars of a manifest.
	Means string
	// Remedy says what to do.
	Remedy string
}

// Codes is the one table of all codes, in the order of the rules.
func Codes() []CodeInfo { return slices.Clone(codeTable) }

// remedyOf is the general remedy of a code.
func remedyOf(code Code) string {
	for _, info := range codeTable {
		if info.Code == code {
			return info.Remedy
		}
	}
	return ""
}

var codeTable = []CodeInfo{
	{CodeEncoding, Error, "The file is not UTF-8.", "Save the file as UTF-8."},
	{CodeSyntax, Error, "The file is not YAML.", "Correct the syntax; the message says what the parser met."},
	{CodeTab, Error, "A tab stands where YAML wants spaces.", "Indent with spaces."},
	{CodeEmpty, Error, "The file has no document.", "Write a list of roles, or remove the file."},
	{CodeDocuments, Error, "The file has more than one document.", "Keep exactly one."},
	{CodeDuplicateKey, Error, "One key stands twice in a mapping.", "Remove one of the two."},
	{CodeKey, Error, "A key is null, a list or a mapping.", "Use a plain word."},
	{CodeTag, Error, "A value has a YAML tag that means nothing here.", "Remove the tag."},
	{CodeAlias, Error, "An alias stands for nothing, or for what contains it.", "Define the anchor before its alias, outside of it."},
	{CodeMerge, Error, "The value of a merge key is no mapping.", "Name an anchor of a mapping."},
	{CodeDepth, Error, "Values are nested too deeply.", "Write the file flatter."},
	{CodeSize, Error, "The file has too many values once its aliases are expanded.", "Write less, or use fewer aliases."},
	{CodeNull, Error, "A null stands where Kubernetes would take it for a zero.", "Give it a value, or remove the key."},
	{CodeNoRoles, Error, "No role was recognised in the file.", "Write the roles as a list under `instance_groups` (or `roles`)."},
	{CodeMixedLayouts, Error, "Keys of two layouts stand in one file; readers of either layout would drop a part.", "Use one layout throughout."},
	{CodeUnknownKey, Warning, "Nothing reads this key.", "Correct its spelling, or remove it."},
	{CodeMisplacedKey, Error, "The key is known, but not in this place, where nothing reads it.", "Move it to the place that the message names."},
	{CodeSuperseded, Warning, "The spelling is an old one; it is understood.", "Use today's spelling."},
	{CodeTwoSpellings, Error, "One key is given in two spellings.", "Keep one of the two."},
	{CodeWrongType, Error, "The value has another type than the key wants.", "Write it as the message says."},
	{CodeInvalidValue, Error, "The value is none of those that the key takes.", "Use one of the values that the message lists."},
	{CodeMissingKey, Error, "A key that is needed is missing.", "Add the key."},
	{CodeInvalidName, Error, "Kubernetes refuses the name.", "Use the name that the message suggests."},
	{CodeUnknownField, Error, "Kubernetes has no such field; it would vanish without a word.", "Correct its spelling, or remove it."},
	{CodeNoRun, Error, "In layout 3 a colocated container needs a `run` in at least one of its jobs.", "Add `run: {}`, with what the container needs."},
	{CodeRepeatedInJob, Error, "Two jobs of one role give what only one may give.", "Keep it in one job."},
	{CodeNoEffect, Note, "The key has no effect on a colocated container.", "Remove it, or set it on the main role."},
	{CodeDuplicateRole, Error, "Two roles have one name.", "Rename one of the two."},
	{CodeUnknownColocated, Error, "A role lists a colocated container that is not there.", "Correct the name, or add the role."},
	{CodeNotColocated, Error, "A role lists a role of another type than `colocated-container`.", "Set its type to `colocated-container`, or take it off the list."},
	{CodeSelfReference, Error, "A role lists itself.", "Take it off its own list."},
	{CodeNestedColocation, Error, "A colocated container lists colocated containers of its own; there is one level only.", "List them on the main role."},
	{CodeColocationCycle, Error, "Colocated containers list each other in a circle.", "List them on the main role."},
	{CodeDuplicateReference, Error, "A role lists one colocated container twice.", "Keep one of the two."},
	{CodeUnusedColocated, Warning, "No role lists the colocated container.", "List it on the roles that need it, or remove it."},
	{CodeTaskSidecar, Note, "The main role is a task: the colocated container becomes a native sidecar, so that the task can end.", ""},
	{CodePersistentState, Error, "A colocated container would need persistent state.", "Use an emptyDir tag, or give the container a pod of its own."},
	{CodeVolumeClash, Error, "Two volumes of one pod have one name and are not the same.", "Make them equal, or rename one of the two."},
	{CodeMountClash, Error, "Two volumes are mounted at one path of a container.", "Change one of the paths."},
	{CodeTwoPaths, Warning, "One tag is mounted at different paths.", "Use one path, if the containers expect the same."},
	{CodeUnshared, Warning, "No colocated container mounts the main role's emptyDir.", "Mount it in a colocated container, or remove it."},
	{CodeUndeclaredVolume, Error, "A mount names a volume that nobody defines.", "Define the volume, or correct the name."},
	{CodeOctalMode, Warning, "A file mode looks like an octal number but is a decimal one.", "Write it with a leading zero."},
	{CodeInvalidPort, Error, "The port breaks a rule of the format or of Kubernetes.", "Correct the port as the message says."},
	{CodePortClash, Error, "Two containers of one pod would listen on one port.", "Change one of the ports."},
	{CodeExternalPort, Warning, "Roles of one pod give one external port twice.", "Change one of the external ports."},
	{CodePortName, Error, "One port name stands twice.", "Rename one of the two."},
	{CodeNoImage, Error, "A colocated container has no image.", "Set `container.image`, or pass --image, --images or --image-template."},
	{CodeInvalidImage, Error, "The image reference cannot be one.", "Write it as registry/path:tag, without spaces."},
	{CodeUnknownImageRole, Warning, "An image is given for a role that is not there or not colocated.", "Correct the role's name."},
	{CodeInvalidResources, Error, "An amount of memory or CPU cannot be, or a request is above its limit.", "Correct the amount."},
	{CodeMissingResources, Note, "Requests or limits are missing; quotas refuse such containers and autoscalers cannot count them.", ""},
	{CodeCapabilityAll, Warning, "The capability `ALL` gives every capability; older tools took it for `privileged`.", "List the capabilities that are needed, or write `privileged: true`."},
	{CodePodSecurity, Note, "The container needs a namespace that allows this Pod Security level.", ""},
	{CodeProbeShell, Note, "The probe's commands contain spaces, so they run through a shell.", ""},
	{CodeProbeHost, Warning, "The probe's host is not the pod.", "Leave the host out; the pod's own address is the default."},
	{CodeInvalidContainer, Error, "Kubernetes refuses the container or volume as it stands.", "Correct the field as the message says."},
}
