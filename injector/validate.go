package injector

import (
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
	errs = append(errs, validateEnv(c, at)...)
	errs = append(errs, validateMounts(c.VolumeMounts, c.VolumeDevices, at.Child("volumeMounts"))...)
	errs = append(errs, validateResources(&c.Resources, at.Child("resources"))...)
	errs = append(errs, validateSecurity(c.SecurityContext, at.Child("securityContext"))...)
	errs = append(errs, validateProbes(c, p, at)...)
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
	numbers := map[string]bool{}
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
		key := protocolOf(string(p.Protocol)) + string(rune(p.ContainerPort))
		if numbers[key] {
			errs = append(errs, field.Duplicate(here.Child("containerPort"), p.ContainerPort))
		}
		numbers[key] = true
	}
	return errs
}

func validateEnv(c *corev1.Container, at *field.Path) (errs field.ErrorList) {
	for i, e := range c.Env {
		here := at.Child("env").Index(i)
		for _, msg := range validation.IsRelaxedEnvVarName(e.Name) {
			errs = append(errs, field.Invalid(here.Child("name"), e.Name, msg))
		}
		if e.ValueFrom == nil {
			continue
		}
		if e.Value != "" {
			errs = append(errs, field.Invalid(here.Child("valueFrom"), "", "may not be given beside value"))
		}
		if n := sources(e.ValueFrom); n != 1 {
			errs = append(errs, field.Invalid(here.Child("valueFrom"), "", "must name exactly one source"))
		}
	}
	for i, e := range c.EnvFrom {
		if n := sources(&corev1.EnvVarSource{ConfigMapKeyRef: present[corev1.ConfigMapKeySelector](e.ConfigMapRef != nil), SecretKeyRef: present[corev1.SecretKeySelector](e.SecretRef != nil)}); n != 1 {
			errs = append(errs, field.Invalid(at.Child("envFrom").Index(i), "", "must name exactly one source"))
		}
	}
	return errs
}

func present[T any](yes bool) *T {
	if yes {
		return new(T)
	}
	return nil
}

func validateMounts(mounts []corev1.VolumeMount, devices []corev1.VolumeDevice, at *field.Path) (errs field.ErrorList) {
	taken := map[string]bool{}
	for _, d := range devices {
		taken[path.Clean(d.DevicePath)] = true
	}
	for i, m := range mounts {
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
		for name, sub := range map[string]string{"subPath": m.SubPath, "subPathExpr": m.SubPathExpr} {
			if path.IsAbs(sub) || strings.Contains("/"+sub+"/", "/../") {
				errs = append(errs, field.Invalid(here.Child(name), sub, "must be a relative path without \"..\""))
			}
		}
		if m.SubPath != "" && m.SubPathExpr != "" {
			errs = append(errs, field.Invalid(here.Child("subPathExpr"), m.SubPathExpr, "may not be given beside subPath"))
		}
	}
	return errs
}

func validateVolumes(volumes []corev1.Volume, at *field.Path) (errs field.ErrorList) {
	names := map[string]bool{}
	for i := range volumes {
		v := &volumes[i]
		here := at.Index(i)
		for _, msg := range validation.IsDNS1123Label(v.Name) {
			errs = append(errs, field.Invalid(here.Child("name"), v.Name, msg))
		}
		if names[v.Name] {
			errs = append(errs, field.Duplicate(here.Child("name"), v.Name))
		}
		names[v.Name] = true
		if len(sourcesOf(v)) > 1 {
			errs = append(errs, field.Invalid(here, v.Name, "must have exactly one source"))
		}
		errs = append(errs, validateSource(v, here)...)
	}
	return errs
}

func validateSource(v *corev1.Volume, at *field.Path) (errs field.ErrorList) {
	switch {
	case v.EmptyDir != nil && v.EmptyDir.SizeLimit != nil && v.EmptyDir.SizeLimit.Sign() < 0:
		errs = append(errs, field.Invalid(at.Child(emptyDirSource, "sizeLimit"), v.EmptyDir.SizeLimit.String(), "must not be negative"))
	case v.EmptyDir != nil:
		if m := v.EmptyDir.Medium; !strings.HasPrefix(string(m), string(corev1.StorageMediumHugePagesPrefix)) {
			errs = append(errs, oneOf(string(m), at.Child(emptyDirSource, "medium"), "Memory", "HugePages")...)
		}
	case v.ConfigMap != nil && v.ConfigMap.Name == "":
		errs = append(errs, field.Required(at.Child("configMap", "name"), "name the ConfigMap"))
	case v.Secret != nil && v.Secret.SecretName == "":
		errs = append(errs, field.Required(at.Child("secret", "secretName"), "name the Secret"))
	case v.Image != nil && v.Image.Reference == "":
		errs = append(errs, field.Required(at.Child("image", "reference"), "name the image"))
	}
	return errs
}
