package injector

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
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
	for _, list := range []struct {
		name   string
		values corev1.ResourceList
	}{{"limits", r.Limits}, {"requests", r.Requests}} {
		for name, q := range list.values {
			here := at.Child(list.name).Key(string(name))
			if msgs := validation.IsQualifiedName(string(name)); len(msgs) > 0 {
				errs = append(errs, field.Invalid(here, string(name), msgs[0]))
			} else if !strings.Contains(string(name), "/") && !standardResource(name) {
				errs = append(errs, field.Invalid(here, string(name), "must be cpu, memory, ephemeral-storage, hugepages-<size>, or a name with a domain"))
			}
			if q.Sign() < 0 {
				errs = append(errs, field.Invalid(here, q.String(), "must not be negative"))
			}
		}
	}
	for name, request := range r.Requests {
		if limit, ok := r.Limits[name]; ok && request.Cmp(limit) > 0 {
			errs = append(errs, field.Invalid(at.Child("requests").Key(string(name)), request.String(), "must not be more than the limit "+limit.String()))
		}
	}
	if len(r.Claims) > 0 {
		errs = append(errs, field.Forbidden(at.Child("claims"), "the pod's own resource claims are not for colocated containers"))
	}
	return errs
}

func standardResource(name corev1.ResourceName) bool {
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return true
	}
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

func validateSecurity(s *corev1.SecurityContext, at *field.Path) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	if no := s.AllowPrivilegeEscalation; no != nil && !*no {
		if s.Privileged != nil && *s.Privileged {
			errs = append(errs, field.Invalid(at, "", "allowPrivilegeEscalation cannot be false for a privileged container"))
		}
		if s.Capabilities != nil {
			for _, c := range s.Capabilities.Add {
				if strings.TrimPrefix(strings.ToUpper(string(c)), "CAP_") == "SYS_ADMIN" {
					errs = append(errs, field.Invalid(at, "", "allowPrivilegeEscalation cannot be false beside capability SYS_ADMIN"))
				}
			}
		}
	}
	for name, id := range map[string]*int64{"runAsUser": s.RunAsUser, "runAsGroup": s.RunAsGroup} {
		if id != nil && (*id < 0 || *id > 1<<31-1) {
			errs = append(errs, field.Invalid(at.Child(name), *id, "must be between 0 and 2147483647"))
		}
	}
	if p := s.SeccompProfile; p != nil {
		errs = append(errs, oneOf(string(p.Type), at.Child("seccompProfile", "type"), "Unconfined", "RuntimeDefault", "Localhost")...)
		if (p.Type == corev1.SeccompProfileTypeLocalhost) != (p.LocalhostProfile != nil) {
			errs = append(errs, field.Invalid(at.Child("seccompProfile", "localhostProfile"), "", "must be given for type Localhost, and for no other"))
		}
	}
	return errs
}

// validateProbes also holds plain init containers to what they may have.
func validateProbes(c *corev1.Container, p Placement, at *field.Path) (errs field.ErrorList) {
	for _, probe := range []struct {
		name  string
		probe *corev1.Probe
	}{{"livenessProbe", c.LivenessProbe}, {"readinessProbe", c.ReadinessProbe}, {"startupProbe", c.StartupProbe}} {
		if probe.probe == nil {
			continue
		}
		here := at.Child(probe.name)
		if p == PlacementInit {
			errs = append(errs, field.Forbidden(here, "an init container has no probes; choose another placement"))
			continue
		}
		errs = append(errs, validateProbe(probe.probe, probe.name == "readinessProbe", here)...)
	}
	if c.Lifecycle == nil {
		return errs
	}
	if p == PlacementInit {
		return append(errs, field.Forbidden(at.Child("lifecycle"), "an init container has no lifecycle; choose another placement"))
	}
	for name, h := range map[string]*corev1.LifecycleHandler{"postStart": c.Lifecycle.PostStart, "preStop": c.Lifecycle.PreStop} {
		if h != nil && sources(h) != 1 {
			errs = append(errs, field.Invalid(at.Child("lifecycle", name), "", "must have exactly one handler"))
		}
	}
	return errs
}

func validateProbe(p *corev1.Probe, readiness bool, at *field.Path) (errs field.ErrorList) {
	if sources(&p.ProbeHandler) != 1 {
		errs = append(errs, field.Invalid(at, "", "must have exactly one of exec, httpGet, tcpSocket and grpc"))
	}
	for _, n := range []struct {
		name  string
		value int32
	}{{"initialDelaySeconds", p.InitialDelaySeconds}, {"timeoutSeconds", p.TimeoutSeconds}, {"periodSeconds", p.PeriodSeconds}, {"successThreshold", p.SuccessThreshold}, {"failureThreshold", p.FailureThreshold}} {
		if n.value < 0 {
			errs = append(errs, field.Invalid(at.Child(n.name), n.value, "must not be negative"))
		}
	}
	if !readiness && p.SuccessThreshold > 1 {
		errs = append(errs, field.Invalid(at.Child("successThreshold"), p.SuccessThreshold, "must be 1"))
	}
	if p.Exec != nil && len(p.Exec.Command) == 0 {
		errs = append(errs, field.Required(at.Child("exec", "command"), "give the command"))
	}
	if p.HTTPGet != nil {
		errs = append(errs, validatePortRef(p.HTTPGet.Port, at.Child("httpGet", "port"))...)
		errs = append(errs, oneOf(string(p.HTTPGet.Scheme), at.Child("httpGet", "scheme"), "HTTP", "HTTPS")...)
	}
	if p.TCPSocket != nil {
		errs = append(errs, validatePortRef(p.TCPSocket.Port, at.Child("tcpSocket", "port"))...)
	}
	return errs
}

func validatePortRef(p intstr.IntOrString, at *field.Path) (errs field.ErrorList) {
	msgs := validation.IsValidPortNum(p.IntValue())
	if p.Type == intstr.String {
		msgs = validation.IsValidPortName(p.StrVal)
	}
	for _, msg := range msgs {
		errs = append(errs, field.Invalid(at, p.String(), msg))
	}
	return errs
}
