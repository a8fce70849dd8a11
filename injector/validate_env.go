package injector

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateEnv(env []corev1.EnvVar, at *field.Path) (errs field.ErrorList) {
	for i := range env {
		e := &env[i]
		here := at.Index(i)
		for _, msg := range validation.IsRelaxedEnvVarName(e.Name) {
			errs = append(errs, field.Invalid(here.Child("name"), e.Name, msg))
		}
		if e.ValueFrom == nil {
			continue
		}
		here = here.Child("valueFrom")
		if e.Value != "" {
			errs = append(errs, field.Invalid(here, "", "may not be given beside value"))
		}
		if n := sources(e.ValueFrom); n != 1 {
			errs = append(errs, field.Invalid(here, "", "must name exactly one source"))
		}
		errs = append(errs, validateEnvSource(e.ValueFrom, here)...)
	}
	return errs
}

func validateEnvSource(s *corev1.EnvVarSource, at *field.Path) (errs field.ErrorList) {
	if r := s.FieldRef; r != nil {
		errs = append(errs, validateFieldRef(r, at.Child("fieldRef"), "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs")...)
	}
	if r := s.ResourceFieldRef; r != nil {
		errs = append(errs, validateResourceRef(r, at.Child("resourceFieldRef"))...)
	}
	if r := s.ConfigMapKeyRef; r != nil {
		errs = append(errs, validateKeyRef(r.Name, r.Key, at.Child("configMapKeyRef"))...)
	}
	if r := s.SecretKeyRef; r != nil {
		errs = append(errs, validateKeyRef(r.Name, r.Key, at.Child("secretKeyRef"))...)
	}
	if r := s.FileKeyRef; r != nil {
		here := at.Child("fileKeyRef")
		for _, msg := range validation.IsRelaxedEnvVarName(r.Key) {
			errs = append(errs, field.Invalid(here.Child("key"), r.Key, msg))
		}
		for _, msg := range validation.IsDNS1123Label(r.VolumeName) {
			errs = append(errs, field.Invalid(here.Child("volumeName"), r.VolumeName, msg))
		}
		if r.Path == "" {
			errs = append(errs, field.Required(here.Child("path"), "give the path in the volume"))
		}
		errs = append(errs, localPath(r.Path, here.Child("path"))...)
	}
	return errs
}

func validateKeyRef(name, key string, at *field.Path) (errs field.ErrorList) {
	errs = objectName(name, at.Child("name"))
	for _, msg := range validation.IsConfigMapKey(key) {
		errs = append(errs, field.Invalid(at.Child("key"), key, msg))
	}
	return errs
}

// objectName is for names of ConfigMaps and Secrets.
func objectName(name string, at *field.Path) (errs field.ErrorList) {
	for _, msg := range validation.IsDNS1123Subdomain(name) {
		errs = append(errs, field.Invalid(at, name, msg))
	}
	return errs
}

func validateEnvFrom(list []corev1.EnvFromSource, at *field.Path) (errs field.ErrorList) {
	for i, e := range list {
		here := at.Index(i)
		if e.Prefix != "" {
			for _, msg := range validation.IsRelaxedEnvVarName(e.Prefix) {
				errs = append(errs, field.Invalid(here.Child("prefix"), e.Prefix, msg))
			}
		}
		if n := sources(&e); n != 1 {
			errs = append(errs, field.Invalid(here, "", "must name exactly one source"))
		}
		if e.ConfigMapRef != nil {
			errs = append(errs, objectName(e.ConfigMapRef.Name, here.Child("configMapRef", "name"))...)
		}
		if e.SecretRef != nil {
			errs = append(errs, objectName(e.SecretRef.Name, here.Child("secretRef", "name"))...)
		}
	}
	return errs
}

// validateFieldRef takes the fields that may stand without a subscript; a label
// or an annotation may always be named by one.
func validateFieldRef(r *corev1.ObjectFieldSelector, at *field.Path, known ...string) (errs field.ErrorList) {
	if r.APIVersion != "" && r.APIVersion != "v1" {
		errs = append(errs, field.NotSupported(at.Child("apiVersion"), r.APIVersion, []string{"v1"}))
	}
	for _, prefix := range []string{"metadata.labels['", "metadata.annotations['"} {
		if inner, ok := strings.CutPrefix(r.FieldPath, prefix); ok && strings.HasSuffix(inner, "']") {
			key := strings.TrimSuffix(inner, "']")
			if strings.HasPrefix(prefix, "metadata.annotations") {
				key = strings.ToLower(key)
			}
			for _, msg := range validation.IsQualifiedName(key) {
				errs = append(errs, field.Invalid(at.Child("fieldPath"), r.FieldPath, msg))
			}
			return errs
		}
	}
	if !slices.Contains(known, r.FieldPath) {
		errs = append(errs, field.NotSupported(at.Child("fieldPath"), r.FieldPath, known))
	}
	return errs
}

func validateResourceRef(r *corev1.ResourceFieldSelector, at *field.Path) (errs field.ErrorList) {
	kind, resource, _ := strings.Cut(r.Resource, ".")
	divisors := []string{"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"}
	switch {
	case kind != "limits" && kind != "requests", !standardResource(corev1.ResourceName(resource)):
		return field.ErrorList{field.NotSupported(at.Child("resource"), r.Resource, []string{"limits.cpu", "limits.memory", "limits.ephemeral-storage", "requests.cpu", "requests.memory", "requests.ephemeral-storage"})}
	case resource == string(corev1.ResourceCPU):
		divisors = []string{"1m", "1"}
	}
	if !r.Divisor.IsZero() && !slices.Contains(divisors, r.Divisor.String()) {
		errs = append(errs, field.NotSupported(at.Child("divisor"), r.Divisor.String(), divisors))
	}
	return errs
}

// validateFileRefs finds variables that are read from something else than an
// emptyDir. Volumes of the role are not known here.
func validateFileRefs(s *ColocatedContainer, at *field.Path) (errs field.ErrorList) {
	for i, e := range s.Container.Env {
		if e.ValueFrom == nil || e.ValueFrom.FileKeyRef == nil {
			continue
		}
		for j := range s.Volumes {
			if v := &s.Volumes[j]; v.Name == e.ValueFrom.FileKeyRef.VolumeName && v.EmptyDir == nil {
				errs = append(errs, field.Invalid(at.Index(i).Child("valueFrom", "fileKeyRef", "volumeName"), v.Name, "must be an emptyDir"))
			}
		}
	}
	return errs
}
