package injector

import "fmt"

// A volume of the pod may share its name with one of ours only where it is the
// same emptyDir (or other stateless volume): then the containers share it, which
// is what a tag is for. Volumes are never merged or replaced.
func ruleVolumes(t *situation) verdict {
	for i := range t.role.volumes {
		v := &t.role.volumes[i]
		for j := range t.pod.volumes {
			have := &t.pod.volumes[j]
			if string(have.name) == v.name && !t.holdsVolume(v, have) {
				return t.volumeClash(v, have)
			}
		}
	}
	return pass
}

func (t *situation) volumeClash(v *volume, have *podVolume) verdict {
	theirs := sourceKind(have.source)
	switch {
	case have.template:
		theirs = "a volumeClaimTemplate of the StatefulSet"
	case have.source == v.source:
		theirs = "another " + have.source
	case have.allowed:
		theirs = "of the kind " + have.source
	}
	return refuse(ReasonVolumeClash, fmt.Sprintf("role %q: volume %q of this pod is %s, but the role defines it as %s. Rename one of the two.", t.role.name, v.name, theirs, clip(v.raw)))
}
