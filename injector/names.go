package injector

// Names that colocate uses in a cluster. They are an interface: a change here
// breaks installations.
const (
	// RoleAnnotation on a pod opts in: its value is the main role that the pod is.
	RoleAnnotation = "colocate.dev/role"
	// InjectAnnotation on a pod with the value "false" leaves the pod alone while
	// the role stays written down. Any value but "true" and "false" is refused.
	InjectAnnotation = "colocate.dev/inject"
	// MainContainerAnnotation on a pod names the role's own container.
	MainContainerAnnotation = "colocate.dev/main-container"
	// StatusAnnotation is written by colocate; see [Status] for its value.
	StatusAnnotation = "colocate.dev/status"
	// InjectedLabel is set to InjectedValue on every pod that carries a status.
	InjectedLabel = "colocate.dev/injected"
	// InjectedValue is the only value of InjectedLabel.
	InjectedValue = "true"
	// InjectionLabel on a namespace with the value InjectionDisabled keeps the
	// webhook away from it.
	InjectionLabel = "colocate.dev/injection"
	// InjectionDisabled is the value of InjectionLabel that has a meaning.
	InjectionDisabled = "disabled"
	// DefinitionsLabel on a ConfigMap in the webhook's namespace, with the value
	// DefinitionsVersion, marks it as one that holds definitions.
	DefinitionsLabel = "colocate.dev/definitions"
	// DefinitionsVersion is the value of DefinitionsLabel.
	DefinitionsVersion = "v1"

	// SourceAnnotation on a definitions ConfigMap names the role manifest that it
	// was built from.
	SourceAnnotation = "colocate.dev/source"
	// SourceHashAnnotation holds "sha256:" and the hash of that manifest's bytes.
	SourceHashAnnotation = "colocate.dev/source-sha256"

	// DefaultContainerAnnotation is kubectl's: the container that logs and exec
	// mean when none is named.
	DefaultContainerAnnotation = "kubectl.kubernetes.io/default-container"
	// MirrorAnnotation is the kubelet's mark on the API copy of a static pod.
	MirrorAnnotation = "kubernetes.io/config.mirror"

	// APIVersion and the kinds of the documents in a definitions ConfigMap.
	APIVersion    = "colocate.dev/v1"
	KindRole      = "Role"
	KindColocated = "ColocatedContainer"

	// Namespace is where colocate is installed unless told otherwise.
	Namespace = "colocate-system"
	// Name is that of the Service, the Deployment and both webhook configurations.
	Name = "colocate"
	// DefinitionsName is the ConfigMap that `colocate build` writes; further
	// shards append "-1", "-2" and so on.
	DefinitionsName = "colocate-definitions"
	// CASecretName is the Secret that holds the certificate authority.
	CASecretName = "colocate-ca"
	// PodsWebhook, DefinitionsWebhook, WorkloadsWebhook, WorkloadsLeftOutWebhook
	// and WorkloadsSystemWebhook are the entries of the webhook configurations.
	PodsWebhook             = "pods.colocate.dev"
	DefinitionsWebhook      = "definitions.colocate.dev"
	WorkloadsWebhook        = "workloads.colocate.dev"
	WorkloadsLeftOutWebhook = "left-out.workloads.colocate.dev"
	WorkloadsSystemWebhook  = "system.left-out.workloads.colocate.dev"
	// Paths under which the webhook answers.
	PathMutate           = "/mutate"
	PathDefinitions      = "/validate/definitions"
	PathWorkloads        = "/validate/workloads"
	PathWorkloadsLeftOut = "/validate/workloads-left-out"
)
