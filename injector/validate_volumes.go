package injector

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

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

// validateSource looks at the kinds that are allowed; others are refused before.
func validateSource(v *corev1.Volume, at *field.Path) (errs field.ErrorList) {
	if s := v.EmptyDir; s != nil {
		errs = append(errs, validateEmptyDir(s, at.Child(emptyDirSource))...)
	}
	if s := v.ConfigMap; s != nil {
		here := at.Child("configMap")
		if s.Name == "" {
			errs = append(errs, field.Required(here.Child("name"), "name the ConfigMap"))
		}
		errs = append(errs, validateFiles(s.DefaultMode, s.DefaultUser, s.Items, here)...)
	}
	if s := v.Secret; s != nil {
		here := at.Child("secret")
		if s.SecretName == "" {
			errs = append(errs, field.Required(here.Child("secretName"), "name the Secret"))
		}
		errs = append(errs, validateFiles(s.DefaultMode, s.DefaultUser, s.Items, here)...)
	}
	if s := v.DownwardAPI; s != nil {
		here := at.Child("downwardAPI")
		errs = append(errs, validateFiles(s.DefaultMode, s.DefaultUser, nil, here)...)
		errs = append(errs, validateDownward(s.Items, here.Child("items"))...)
	}
	if s := v.Projected; s != nil {
		here := at.Child("projected")
		errs = append(errs, validateFiles(s.DefaultMode, s.DefaultUser, nil, here)...)
		errs = append(errs, validateProjected(s, here)...)
	}
	if s := v.Image; s != nil {
		if s.Reference == "" {
			errs = append(errs, field.Required(at.Child("image", "reference"), "name the image"))
		}
		errs = append(errs, oneOf(string(s.PullPolicy), at.Child("image", "pullPolicy"), "Always", "IfNotPresent", "Never")...)
	}
	return errs
}

func validateEmptyDir(s *corev1.EmptyDirVolumeSource, at *field.Path) (errs field.ErrorList) {
	if s.SizeLimit != nil && s.SizeLimit.Sign() < 0 {
		errs = append(errs, field.Invalid(at.Child("sizeLimit"), s.SizeLimit.String(), "must not be negative"))
	}
	if m := string(s.Medium); !strings.HasPrefix(m, string(corev1.StorageMediumHugePagesPrefix)) {
		errs = append(errs, oneOf(m, at.Child("medium"), "Memory", "HugePages")...)
	}
	if s.Mode != nil && (*s.Mode < 0 || *s.Mode > 0o1777) {
		errs = append(errs, field.Invalid(at.Child("mode"), *s.Mode, "must be between 0 and 01777 (octal)"))
	}
	return errs
}

func fileMode(mode *int32, at *field.Path) field.ErrorList {
	if mode != nil && (*mode < 0 || *mode > 0o777) {
		return field.ErrorList{field.Invalid(at, *mode, "must be between 0 and 0777 (octal)")}
	}
	return nil
}

func fileUser(user *int64, at *field.Path) (errs field.ErrorList) {
	if user == nil {
		return nil
	}
	for _, msg := range validation.IsValidUserID(*user) {
		errs = append(errs, field.Invalid(at, *user, msg))
	}
	return errs
}

// validateFiles is what the kinds that project files have in common.
func validateFiles(mode *int32, user *int64, items []corev1.KeyToPath, at *field.Path) (errs field.ErrorList) {
	errs = append(fileMode(mode, at.Child("defaultMode")), fileUser(user, at.Child("defaultUser"))...)
	for i := range items {
		item := &items[i]
		here := at.Child("items").Index(i)
		if item.Key == "" {
			errs = append(errs, field.Required(here.Child("key"), "name the key"))
		}
		errs = append(errs, filePath(item.Path, here.Child("path"))...)
		errs = append(errs, fileMode(item.Mode, here.Child("mode"))...)
		errs = append(errs, fileUser(item.User, here.Child("user"))...)
	}
	return errs
}

// filePath holds the path of a projected file to what the API server allows.
func filePath(p string, at *field.Path) field.ErrorList {
	switch {
	case p == "":
		return field.ErrorList{field.Required(at, "give the path in the volume")}
	case strings.HasPrefix(p, ".."):
		return field.ErrorList{field.Invalid(at, p, "must not start with \"..\"")}
	}
	return localPath(p, at)
}

func validateDownward(items []corev1.DownwardAPIVolumeFile, at *field.Path) (errs field.ErrorList) {
	for i := range items {
		item := &items[i]
		here := at.Index(i)
		errs = append(errs, filePath(item.Path, here.Child("path"))...)
		errs = append(errs, fileMode(item.Mode, here.Child("mode"))...)
		errs = append(errs, fileUser(item.User, here.Child("user"))...)
		if (item.FieldRef == nil) == (item.ResourceFieldRef == nil) {
			errs = append(errs, field.Invalid(here, item.Path, "must have exactly one of fieldRef and resourceFieldRef"))
		}
		if r := item.FieldRef; r != nil {
			errs = append(errs, validateFieldRef(r, here.Child("fieldRef"), "metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations", "metadata.uid")...)
		}
		if r := item.ResourceFieldRef; r != nil {
			if r.ContainerName == "" {
				errs = append(errs, field.Required(here.Child("resourceFieldRef", "containerName"), "name the container"))
			}
			errs = append(errs, validateResourceRef(r, here.Child("resourceFieldRef"))...)
		}
	}
	return errs
}
