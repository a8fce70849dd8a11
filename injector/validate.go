package injector

import (
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateColocated finds what the API server would refuse in a pod because of
// this colocated container. The paths of the errors start at "spec". Persistent
// state is not its business; see [Compile].
//
// The rules are those of the Kubernetes API reference for v1.Container; they are
// repeated here because the API server would otherwise refuse the pod of somebody
// who has never seen the definition.
func ValidateColocated(name string, s *ColocatedContainer) field.ErrorList {
	at := field.NewPath("spec")
	var errs field.ErrorList
	if !validPlacement(s.Placement) {
		errs = append(errs, field.NotSupported(at.Child("placement"), s.Placement, Placements))
	}
	c := at.Child("container")
	if s.Container.Name != name {
		errs = append(errs, field.Invalid(c.Child("name"), s.Container.Name, "must be the definition's name"))
	}
	if s.Container.RestartPolicy != nil || len(s.Container.RestartPolicyRules) > 0 {
		errs = append(errs, field.Forbidden(c.Child("restartPolicy"), "placement says when the container runs"))
	}
	errs = append(errs, validateContainer(&s.Container, s.Placement, c)...)
	errs = append(errs, validateVolumes(s.Volumes, at.Child("volumes"))...)
	errs = append(errs, validateFileRefs(s, c.Child("env"))...)
	for i, ref := range s.ImagePullSecrets {
		for _, msg := range validation.IsDNS1123Subdomain(ref.Name) {
			errs = append(errs, field.Invalid(at.Child("imagePullSecrets").Index(i).Child("name"), ref.Name, msg))
		}
	}
	return sorted(errs)
}

// sorted brings errors into an order that does not depend on maps.
func sorted(errs field.ErrorList) field.ErrorList {
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Error(), b.Error()) })
	return errs
}

// ValidateRole is ValidateColocated for a main role.
func ValidateRole(r *Role) field.ErrorList {
	at := field.NewPath("spec")
	errs := validateMounts(r.VolumeMounts, nil, at.Child("volumeMounts"))
	return sorted(append(errs, validateVolumes(r.Volumes, at.Child("volumes"))...))
}

func validPlacement(p Placement) bool {
	for _, known := range Placements {
		if p == known {
			return true
		}
	}
	return p == ""
}

func validateContainer(c *corev1.Container, p Placement, at *field.Path) (errs field.ErrorList) {
	switch trimmed := strings.TrimSpace(c.Image); {
	case trimmed == "":
		errs = append(errs, field.Required(at.Child("image"), "give the container an image"))
	case trimmed != c.Image:
		errs = append(errs, field.Invalid(at.Child("image"), c.Image, "must not have leading or trailing whitespace"))
	}
	errs = append(errs, oneOf(string(c.ImagePullPolicy), at.Child("imagePullPolicy"), "Always", "IfNotPresent", "Never")...)
	errs = append(errs, oneOf(string(c.TerminationMessagePolicy), at.Child("terminationMessagePolicy"), "File", "FallbackToLogsOnError")...)
	errs = append(errs, validatePorts(c.Ports, at.Child("ports"))...)
	errs = append(errs, validateEnv(c.Env, at.Child("env"))...)
	errs = append(errs, validateEnvFrom(c.EnvFrom, at.Child("envFrom"))...)
	errs = append(errs, validateMounts(c.VolumeMounts, c, at.Child("volumeMounts"))...)
	errs = append(errs, validateResources(&c.Resources, at.Child("resources"))...)
	errs = append(errs, validateSecurity(c.SecurityContext, at.Child("securityContext"))...)
	errs = append(errs, validateProbes(c, p, at)...)
	errs = append(errs, validateLifecycle(c.Lifecycle, p, at.Child("lifecycle"))...)
	errs = append(errs, validateResize(c.ResizePolicy, p, at.Child("resizePolicy"))...)
	return errs
}

func oneOf(value string, at *field.Path, allowed ...string) field.ErrorList {
	if value == "" {
		return nil
	}
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return field.ErrorList{field.NotSupported(at, value, allowed)}
}

func validatePorts(ports []corev1.ContainerPort, at *field.Path) (errs field.ErrorList) {
	names := map[string]bool{}
	numbers, hosts := map[string]bool{}, map[string]bool{}
	for i, p := range ports {
		here := at.Index(i)
		for _, msg := range validation.IsValidPortNum(int(p.ContainerPort)) {
			errs = append(errs, field.Invalid(here.Child("containerPort"), p.ContainerPort, msg))
		}
		if p.HostPort != 0 {
			for _, msg := range validation.IsValidPortNum(int(p.HostPort)) {
				errs = append(errs, field.Invalid(here.Child("hostPort"), p.HostPort, msg))
			}
		}
		errs = append(errs, oneOf(string(p.Protocol), here.Child("protocol"), "TCP", "UDP", "SCTP")...)
		if p.Name != "" {
			for _, msg := range validation.IsValidPortName(p.Name) {
				errs = append(errs, field.Invalid(here.Child("name"), p.Name, msg))
			}
			if names[p.Name] {
				errs = append(errs, field.Duplicate(here.Child("name"), p.Name))
			}
			names[p.Name] = true
		}
		key := fmt.Sprint(protocolOf(string(p.Protocol)), p.ContainerPort)
		if numbers[key] {
			errs = append(errs, field.Duplicate(here.Child("containerPort"), p.ContainerPort))
		}
		numbers[key] = true
		if p.HostPort == 0 {
			continue
		}
		host := fmt.Sprint(protocolOf(string(p.Protocol)), "/", p.HostIP, "/", p.HostPort)
		if hosts[host] {
			errs = append(errs, field.Duplicate(here.Child("hostPort"), p.HostPort))
		}
		hosts[host] = true
	}
	return errs
}

// validateMounts takes the container that mounts, nil for the role's own, of which
// nothing is known.
func validateMounts(mounts []corev1.VolumeMount, c *corev1.Container, at *field.Path) (errs field.ErrorList) {
	taken := map[string]bool{}
	for i := range mounts {
		m := &mounts[i]
		here := at.Index(i)
		if m.Name == "" {
			errs = append(errs, field.Required(here.Child("name"), "name the volume"))
		}
		switch {
		case m.MountPath == "":
			errs = append(errs, field.Required(here.Child("mountPath"), "give the path in the container"))
		case !path.IsAbs(m.MountPath) || strings.Contains(m.MountPath, ":"):
			errs = append(errs, field.Invalid(here.Child("mountPath"), m.MountPath, "must be an absolute path without a colon"))
		case taken[path.Clean(m.MountPath)]:
			errs = append(errs, field.Duplicate(here.Child("mountPath"), m.MountPath))
		}
		taken[path.Clean(m.MountPath)] = true
		errs = append(errs, localPath(m.SubPath, here.Child("subPath"))...)
		errs = append(errs, localPath(m.SubPathExpr, here.Child("subPathExpr"))...)
		if m.SubPath != "" && m.SubPathExpr != "" {
			errs = append(errs, field.Invalid(here.Child("subPathExpr"), m.SubPathExpr, "may not be given beside subPath"))
		}
		errs = append(errs, validateMountOptions(m, c, here)...)
	}
	return errs
}

func validateMountOptions(m *corev1.VolumeMount, c *corev1.Container, at *field.Path) (errs field.ErrorList) {
	propagates := false
	if p := m.MountPropagation; p != nil {
		here := at.Child("mountPropagation")
		errs = append(errs, oneOf(string(*p), here, "None", "HostToContainer", "Bidirectional")...)
		propagates = *p != corev1.MountPropagationNone
		if *p == corev1.MountPropagationBidirectional && !privileged(c) {
			errs = append(errs, field.Forbidden(here, "Bidirectional is for privileged colocated containers only"))
		}
	}
	if r := m.RecursiveReadOnly; r != nil {
		here := at.Child("recursiveReadOnly")
		errs = append(errs, oneOf(string(*r), here, "Disabled", "IfPossible", "Enabled")...)
		if *r != corev1.RecursiveReadOnlyDisabled && (!m.ReadOnly || propagates) {
			errs = append(errs, field.Forbidden(here, "is for mounts that are readOnly and have no mountPropagation"))
		}
	}
	seen := map[string]bool{}
	for i, o := range m.BindMountOptions {
		here := at.Child("bindMountOptions").Index(i)
		errs = append(errs, oneOf(o, here, "noexec", "nodev", "nosuid")...)
		if seen[o] {
			errs = append(errs, field.Duplicate(here, o))
		}
		seen[o] = true
	}
	return errs
}

func privileged(c *corev1.Container) bool {
	return c != nil && c.SecurityContext != nil && c.SecurityContext.Privileged != nil && *c.SecurityContext.Privileged
}

// localPath holds a path below a volume to what the API server allows.
func localPath(p string, at *field.Path) field.ErrorList {
	if path.IsAbs(p) || strings.Contains("/"+p+"/", "/../") {
		return field.ErrorList{field.Invalid(at, p, "must be a relative path without \"..\"")}
	}
	return nil
}
