package injector

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// sources counts the pointers of a union that are set.
func sources[T any](union *T) (n int) {
	v := reflect.ValueOf(union).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
			n++
		}
	}
	return n
}

func validateResources(r *corev1.ResourceRequirements, at *field.Path) (errs field.ErrorList) {
	pages := false
	for _, list := range []struct {
		name   string
		values corev1.ResourceList
	}{{"limits", r.Limits}, {"requests", r.Requests}} {
		for name, q := range list.values {
			errs = append(errs, validateQuantity(name, q, at.Child(list.name).Key(string(name)))...)
			pages = pages || hugePages(name)
		}
	}
	for name, request := range r.Requests {
		here := at.Child("requests").Key(string(name))
		switch limit, ok := r.Limits[name]; {
		case !ok && !overcommits(name):
			errs = append(errs, field.Required(at.Child("limits").Key(string(name)), "a resource that cannot be overcommitted needs a limit"))
		case ok && request.Cmp(limit) != 0 && !overcommits(name):
			errs = append(errs, field.Invalid(here, request.String(), "must be the limit "+limit.String()))
		case ok && request.Cmp(limit) > 0:
			errs = append(errs, field.Invalid(here, request.String(), "must not be more than the limit "+limit.String()))
		}
	}
	if pages && !names(r, corev1.ResourceCPU) && !names(r, corev1.ResourceMemory) {
		errs = append(errs, field.Forbidden(at, "huge pages need cpu or memory beside them"))
	}
	if len(r.Claims) > 0 {
		errs = append(errs, field.Forbidden(at.Child("claims"), "the pod's own resource claims are not for colocated containers"))
	}
	return errs
}

func names(r *corev1.ResourceRequirements, name corev1.ResourceName) bool {
	_, limit := r.Limits[name]
	_, request := r.Requests[name]
	return limit || request
}

func validateQuantity(name corev1.ResourceName, q resource.Quantity, at *field.Path) (errs field.ErrorList) {
	msgs := validation.IsQualifiedName(string(name))
	if extended(name) {
		// A quota for it is called so.
		msgs = append(msgs, validation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+string(name))...)
	}
	switch {
	case len(msgs) > 0:
		errs = append(errs, field.Invalid(at, string(name), msgs[0]))
	case strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix), !strings.Contains(string(name), "/") && !standardResource(name):
		errs = append(errs, field.Invalid(at, string(name), "must be cpu, memory, ephemeral-storage, hugepages-<size>, or a name with a domain"))
	}
	switch {
	case q.Sign() < 0:
		errs = append(errs, field.Invalid(at, q.String(), "must not be negative"))
	case extended(name) && q.MilliValue()%1000 != 0:
		errs = append(errs, field.Invalid(at, q.String(), "must be an integer"))
	case hugePages(name):
		size, err := resource.ParseQuantity(strings.TrimPrefix(string(name), corev1.ResourceHugePagesPrefix))
		if err != nil || size.Sign() <= 0 || q.Value()%size.Value() != 0 {
			errs = append(errs, field.Invalid(at, q.String(), "must be a multiple of the page size"))
		}
	}
	return errs
}

func hugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// extended resources are those of device plugins.
func extended(name corev1.ResourceName) bool {
	return strings.Contains(string(name), "/") && !strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

func overcommits(name corev1.ResourceName) bool { return !extended(name) && !hugePages(name) }

func standardResource(name corev1.ResourceName) bool {
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return true
	}
	return hugePages(name)
}

func validateResize(list []corev1.ContainerResizePolicy, p Placement, at *field.Path) (errs field.ErrorList) {
	seen := map[corev1.ResourceName]bool{}
	for i, r := range list {
		here := at.Index(i)
		if r.ResourceName != corev1.ResourceCPU && r.ResourceName != corev1.ResourceMemory {
			errs = append(errs, field.NotSupported(here.Child("resourceName"), r.ResourceName, []string{"cpu", "memory"}))
		}
		if seen[r.ResourceName] {
			errs = append(errs, field.Duplicate(here.Child("resourceName"), r.ResourceName))
		}
		seen[r.ResourceName] = true
		switch r.RestartPolicy {
		case corev1.NotRequired:
		case corev1.RestartContainer:
			if p == PlacementInit {
				errs = append(errs, field.Forbidden(here.Child("restartPolicy"), "an init container is not restarted; choose NotRequired"))
			}
		default:
			errs = append(errs, field.NotSupported(here.Child("restartPolicy"), r.RestartPolicy, []string{"NotRequired", "RestartContainer"}))
		}
	}
	return errs
}

func validateSecurity(s *corev1.SecurityContext, at *field.Path) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	errs = append(errs, validateEscalation(s, at)...)
	for name, id := range map[string]*int64{"runAsUser": s.RunAsUser, "runAsGroup": s.RunAsGroup} {
		if id != nil && (*id < 0 || *id > 1<<31-1) {
			errs = append(errs, field.Invalid(at.Child(name), *id, "must be between 0 and 2147483647"))
		}
	}
	if s.ProcMount != nil {
		errs = append(errs, oneOf(string(*s.ProcMount), at.Child("procMount"), "Default", "Unmasked")...)
	}
	if s.WindowsOptions != nil {
		errs = append(errs, field.Forbidden(at.Child("windowsOptions"), "colocated containers are for Linux"))
	}
	if p := s.SeccompProfile; p != nil {
		here := at.Child("seccompProfile")
		errs = append(errs, validateProfile(string(p.Type), p.LocalhostProfile, here)...)
		if p.LocalhostProfile != nil {
			errs = append(errs, localPath(*p.LocalhostProfile, here.Child("localhostProfile"))...)
		}
	}
	if p := s.AppArmorProfile; p != nil {
		here := at.Child("appArmorProfile")
		errs = append(errs, validateProfile(string(p.Type), p.LocalhostProfile, here)...)
		if l := p.LocalhostProfile; l != nil && (strings.TrimSpace(*l) != *l || *l == "" || len(*l) > 4095) {
			errs = append(errs, field.Invalid(here.Child("localhostProfile"), *l, "must be 1 to 4095 bytes without leading or trailing whitespace"))
		}
	}
	return errs
}

// validateEscalation finds privileges that cannot be had without escalation.
func validateEscalation(s *corev1.SecurityContext, at *field.Path) (errs field.ErrorList) {
	if s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation {
		return nil
	}
	if s.Privileged != nil && *s.Privileged {
		errs = append(errs, field.Invalid(at, "", "allowPrivilegeEscalation cannot be false for a privileged container"))
	}
	if s.Capabilities == nil {
		return errs
	}
	for _, c := range s.Capabilities.Add {
		if strings.TrimPrefix(strings.ToUpper(string(c)), "CAP_") == "SYS_ADMIN" {
			errs = append(errs, field.Invalid(at, "", "allowPrivilegeEscalation cannot be false beside capability SYS_ADMIN"))
		}
	}
	return errs
}

// validateProfile is what seccomp and AppArmor profiles have in common.
func validateProfile(kind string, localhost *string, at *field.Path) (errs field.ErrorList) {
	if kind == "" {
		errs = append(errs, field.Required(at.Child("type"), "give the type"))
	}
	errs = append(errs, oneOf(kind, at.Child("type"), "Unconfined", "RuntimeDefault", "Localhost")...)
	if (kind == "Localhost") != (localhost != nil) {
		errs = append(errs, field.Invalid(at.Child("localhostProfile"), "", "must be given for type Localhost, and for no other"))
	}
	return errs
}
