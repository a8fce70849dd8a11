package injector

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkColocated finds what is wrong with a colocated container by itself.
func checkColocated(d *Definition) (faults []Fault) {
	if f := checkName(d, "colocated container"); f != nil {
		faults = append(faults, *f)
	}
	spec := d.Colocated
	if f := checkState(d, fmt.Sprintf("colocated container %q", d.Name), spec.Volumes, spec.Container.VolumeDevices); f != nil {
		faults = append(faults, *f)
	}
	for _, e := range ValidateColocated(d.Name, spec) {
		faults = append(faults, invalid(d, fmt.Sprintf("colocated container %q", d.Name), e))
	}
	return faults
}

// checkOwn finds what is wrong with a role by itself.
func checkOwn(d *Definition) (faults []Fault) {
	if f := checkName(d, "role"); f != nil {
		faults = append(faults, *f)
	}
	if f := checkState(d, fmt.Sprintf("role %q", d.Name), d.Role.Volumes, nil); f != nil {
		faults = append(faults, *f)
	}
	for _, e := range ValidateRole(d.Role) {
		faults = append(faults, invalid(d, fmt.Sprintf("role %q", d.Name), e))
	}
	return faults
}

func checkName(d *Definition, what string) *Fault {
	if msgs := validation.IsDNS1123Label(d.Name); len(msgs) > 0 {
		return &Fault{Origin: d.Origin, Name: d.Name, Reason: ReasonInvalidDefinition, Message: fmt.Sprintf("%s %q: the name cannot be that of a container: %s.", what, clip([]byte(d.Name)), msgs[0])}
	}
	return nil
}

// checkState refuses volumes that are not on the allow-list, and block devices.
func checkState(d *Definition, who string, volumes []corev1.Volume, devices []corev1.VolumeDevice) *Fault {
	for i := range volumes {
		for _, source := range sourcesOf(&volumes[i]) {
			if !allowedSource(source) {
				return &Fault{Origin: d.Origin, Name: d.Name, Reason: ReasonPersistentState, Message: fmt.Sprintf("%s has volume %q, which is %s; colocated containers cannot keep persistent state. Use an emptyDir tag, or give the container a pod of its own.", who, volumes[i].Name, sourceKind(source))}
			}
		}
	}
	for _, dev := range devices {
		return &Fault{Origin: d.Origin, Name: d.Name, Reason: ReasonPersistentState, Message: fmt.Sprintf("%s uses block device %q; colocated containers cannot keep persistent state. Use an emptyDir tag, or give the container a pod of its own.", who, dev.Name)}
	}
	return nil
}

func invalid(d *Definition, who string, e *field.Error) Fault {
	return Fault{Origin: d.Origin, Name: d.Name, Reason: ReasonInvalidDefinition, Message: fmt.Sprintf("%s: %s.", who, strings.TrimSuffix(e.Error(), "."))}
}
