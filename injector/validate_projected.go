package injector

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateProjected also finds two sources that write one file.
func validateProjected(p *corev1.ProjectedVolumeSource, at *field.Path) (errs field.ErrorList) {
	taken := map[string]bool{}
	for i := range p.Sources {
		s := &p.Sources[i]
		here := at.Child("sources").Index(i)
		if sources(s) > 1 {
			errs = append(errs, field.Forbidden(here, "must have one source; make each an element of its own"))
		}
		paths, more := validateProjection(s, here)
		errs = append(errs, more...)
		for _, file := range paths {
			if file != "" && taken[file] {
				errs = append(errs, field.Duplicate(here, file))
			}
			taken[file] = true
		}
	}
	return errs
}

// validateProjection returns the files that a source writes.
func validateProjection(s *corev1.VolumeProjection, at *field.Path) (paths []string, errs field.ErrorList) {
	keys := func(kind, name string, items []corev1.KeyToPath) {
		here := at.Child(kind)
		if name == "" {
			errs = append(errs, field.Required(here.Child("name"), "name the object"))
		}
		errs = append(errs, validateFiles(nil, nil, items, here)...)
		for _, item := range items {
			paths = append(paths, item.Path)
		}
	}
	if x := s.Secret; x != nil {
		keys("secret", x.Name, x.Items)
	}
	if x := s.ConfigMap; x != nil {
		keys("configMap", x.Name, x.Items)
	}
	if x := s.DownwardAPI; x != nil {
		errs = append(errs, validateDownward(x.Items, at.Child("downwardAPI", "items"))...)
		for _, item := range x.Items {
			paths = append(paths, item.Path)
		}
	}
	if x := s.ServiceAccountToken; x != nil {
		here := at.Child("serviceAccountToken")
		errs = append(errs, filePath(x.Path, here.Child("path"))...)
		errs = append(errs, fileUser(x.User, here.Child("user"))...)
		if e := x.ExpirationSeconds; e != nil && (*e < 600 || *e > 1<<32) {
			errs = append(errs, field.Invalid(here.Child("expirationSeconds"), *e, "must be between 600 and 4294967296"))
		}
	}
	if x := s.ClusterTrustBundle; x != nil {
		errs = append(errs, validateTrustBundle(x, at.Child("clusterTrustBundle"))...)
		paths = append(paths, x.Path)
	}
	if x := s.PodCertificate; x != nil {
		errs = append(errs, validatePodCertificate(x, at.Child("podCertificate"))...)
		paths = append(paths, x.CredentialBundlePath, x.KeyPath, x.CertificateChainPath)
	}
	return paths, errs
}

func validateTrustBundle(x *corev1.ClusterTrustBundleProjection, at *field.Path) (errs field.ErrorList) {
	byName, bySigner := x.Name != nil && *x.Name != "", x.SignerName != nil && *x.SignerName != ""
	if byName == bySigner {
		errs = append(errs, field.Invalid(at, "", "must have exactly one of name and signerName"))
	}
	if byName && x.LabelSelector != nil {
		errs = append(errs, field.Invalid(at.Child("labelSelector"), "", "may not be given beside name"))
	}
	if bySigner && !strings.Contains(*x.SignerName, "/") {
		errs = append(errs, field.Invalid(at.Child("signerName"), *x.SignerName, "must be a domain and a name, separated by a slash"))
	}
	errs = append(errs, fileUser(x.User, at.Child("user"))...)
	return append(errs, filePath(x.Path, at.Child("path"))...)
}

func validatePodCertificate(x *corev1.PodCertificateProjection, at *field.Path) (errs field.ErrorList) {
	if !strings.Contains(x.SignerName, "/") {
		errs = append(errs, field.Invalid(at.Child("signerName"), x.SignerName, "must be a domain and a name, separated by a slash"))
	}
	if kinds := []string{"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"}; !slices.Contains(kinds, x.KeyType) {
		errs = append(errs, field.NotSupported(at.Child("keyType"), x.KeyType, kinds))
	}
	if m := x.MaxExpirationSeconds; m != nil && (*m < 3600 || *m > 91*24*3600) {
		errs = append(errs, field.Invalid(at.Child("maxExpirationSeconds"), *m, "must be between 3600 and 7862400"))
	}
	errs = append(errs, fileUser(x.User, at.Child("user"))...)
	given := 0
	for name, p := range map[string]string{"credentialBundlePath": x.CredentialBundlePath, "keyPath": x.KeyPath, "certificateChainPath": x.CertificateChainPath} {
		if p != "" {
			given++
			errs = append(errs, filePath(p, at.Child(name))...)
		}
	}
	if given == 0 {
		errs = append(errs, field.Required(at, "give at least one of credentialBundlePath, keyPath and certificateChainPath"))
	}
	return errs
}
