package rolemanifest

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// resourceNotes says which requests and limits a container lacks.
func (r *reader) resourceNotes(ro *role) {
	res := ro.spec.typed.Container.Resources
	var missing []string
	for _, side := range []struct {
		name string
		list corev1.ResourceList
	}{{"request", res.Requests}, {"limit", res.Limits}} {
		for _, name := range []corev1.ResourceName{corev1.ResourceMemory, corev1.ResourceCPU} {
			_, limited := res.Limits[name]
			if _, given := side.list[name]; !given && !limited {
				missing = append(missing, string(name)+" "+side.name)
			}
		}
	}
	if len(missing) > 0 {
		r.add(ro.at, Note, CodeMissingResources, fmt.Sprintf("role %q has no %s: namespaces with a quota on them refuse its pods, and autoscalers cannot count it", ro.name, strings.Join(missing, ", ")), "")
	}
}

// securityNotes says which Pod Security level the container needs, by the
// standards of Kubernetes, where it is not the strictest.
func (r *reader) securityNotes(ro *role) {
	c := &ro.spec.typed.Container
	if why := beyondBaseline(c); why != "" {
		r.add(ro.at, Note, CodePodSecurity, fmt.Sprintf("role %q needs a namespace of Pod Security level privileged: %s", ro.name, why), "")
	} else if why := beyondRestricted(c); why != "" {
		r.add(ro.at, Note, CodePodSecurity, fmt.Sprintf("role %q needs a namespace of Pod Security level baseline: %s", ro.name, why), "")
	}
}

// baselineCapabilities may be added under the level baseline.
var baselineCapabilities = []corev1.Capability{
	"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE",
	"SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
}

// beyondBaseline says what the level baseline forbids in a container, "" for nothing.
func beyondBaseline(c *corev1.Container) string {
	for _, p := range c.Ports {
		if p.HostPort != 0 {
			return fmt.Sprintf("it has the host port %d", p.HostPort)
		}
	}
	for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		if p != nil && (p.HTTPGet != nil && p.HTTPGet.Host != "" || p.TCPSocket != nil && p.TCPSocket.Host != "") {
			return "a probe of it goes to another host"
		}
	}
	s := c.SecurityContext
	switch {
	case s == nil:
		return ""
	case s.Privileged != nil && *s.Privileged:
		return "it is privileged"
	case s.ProcMount != nil && *s.ProcMount != corev1.DefaultProcMount:
		return "it changes procMount"
	case s.SeccompProfile != nil && s.SeccompProfile.Type == corev1.SeccompProfileTypeUnconfined:
		return "its seccomp profile is Unconfined"
	case s.AppArmorProfile != nil && s.AppArmorProfile.Type == corev1.AppArmorProfileTypeUnconfined:
		return "its AppArmor profile is Unconfined"
	case s.SELinuxOptions != nil && (s.SELinuxOptions.User != "" || s.SELinuxOptions.Role != ""):
		return "it sets a user or role of SELinux"
	}
	if s.Capabilities != nil {
		for _, name := range s.Capabilities.Add {
			if !slices.Contains(baselineCapabilities, name) {
				return fmt.Sprintf("it adds the capability %s", name)
			}
		}
	}
	return ""
}

// beyondRestricted says what the level restricted asks for and the container does
// not say itself; the pod may say a part of it.
func beyondRestricted(c *corev1.Container) string {
	s := c.SecurityContext
	if s == nil {
		s = &corev1.SecurityContext{}
	}
	var missing []string
	if s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation {
		missing = append(missing, "allowPrivilegeEscalation: false")
	}
	if s.Capabilities == nil || !slices.Contains(s.Capabilities.Drop, "ALL") {
		missing = append(missing, "capabilities.drop: [ALL]")
	} else if extra := slices.IndexFunc(s.Capabilities.Add, func(n corev1.Capability) bool { return n != "NET_BIND_SERVICE" }); extra >= 0 {
		return fmt.Sprintf("it adds the capability %s", s.Capabilities.Add[extra])
	}
	if s.RunAsUser != nil && *s.RunAsUser == 0 {
		return "it runs as root"
	}
	if s.RunAsNonRoot == nil || !*s.RunAsNonRoot {
		missing = append(missing, "runAsNonRoot: true")
	}
	if s.SeccompProfile == nil {
		missing = append(missing, "seccompProfile: {type: RuntimeDefault}")
	}
	if len(missing) == 0 {
		return ""
	}
	return "its securityContext lacks " + strings.Join(missing, ", ")
}
