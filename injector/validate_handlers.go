package injector

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateProbes also holds plain init containers to what they may have.
func validateProbes(c *corev1.Container, p Placement, at *field.Path) (errs field.ErrorList) {
	for _, probe := range []struct {
		name  string
		probe *corev1.Probe
	}{{"livenessProbe", c.LivenessProbe}, {"readinessProbe", c.ReadinessProbe}, {"startupProbe", c.StartupProbe}} {
		here := at.Child(probe.name)
		switch {
		case probe.probe == nil:
		case p == PlacementInit:
			errs = append(errs, field.Forbidden(here, "an init container has no probes; choose another placement"))
		default:
			errs = append(errs, validateProbe(probe.probe, probe.name == "readinessProbe", here)...)
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
	if grace := p.TerminationGracePeriodSeconds; grace != nil && (readiness || *grace <= 0) {
		errs = append(errs, field.Invalid(at.Child("terminationGracePeriodSeconds"), *grace, "must be more than 0, and is not for readiness probes"))
	}
	if g := p.GRPC; g != nil {
		errs = append(errs, validatePortRef(intstr.FromInt32(g.Port), at.Child("grpc", "port"))...)
		if g.Mode != nil {
			errs = append(errs, oneOf(string(*g.Mode), at.Child("grpc", "mode"), "Plaintext", "TLS")...)
		}
	}
	return append(errs, validateActions(p.Exec, p.HTTPGet, p.TCPSocket, at)...)
}

// validateActions is what probes and lifecycle handlers have in common.
func validateActions(exec *corev1.ExecAction, get *corev1.HTTPGetAction, tcp *corev1.TCPSocketAction, at *field.Path) (errs field.ErrorList) {
	if exec != nil && len(exec.Command) == 0 {
		errs = append(errs, field.Required(at.Child("exec", "command"), "give the command"))
	}
	if tcp != nil {
		errs = append(errs, validatePortRef(tcp.Port, at.Child("tcpSocket", "port"))...)
	}
	if get == nil {
		return errs
	}
	here := at.Child("httpGet")
	errs = append(errs, validatePortRef(get.Port, here.Child("port"))...)
	errs = append(errs, oneOf(string(get.Scheme), here.Child("scheme"), "HTTP", "HTTPS")...)
	for i, h := range get.HTTPHeaders {
		for _, msg := range validation.IsHTTPHeaderName(h.Name) {
			errs = append(errs, field.Invalid(here.Child("httpHeaders").Index(i).Child("name"), h.Name, msg))
		}
	}
	if get.Protocol != nil {
		errs = append(errs, oneOf(string(*get.Protocol), here.Child("protocol"), "HTTP1", "HTTP2")...)
		if *get.Protocol == corev1.HTTPProtocolHTTP2 && (get.Scheme == corev1.URISchemeHTTPS || get.Host != "") {
			errs = append(errs, field.Invalid(here.Child("protocol"), *get.Protocol, "is for scheme HTTP without a host only"))
		}
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

// validateLifecycle leaves what depends on the pod to [ruleSuits].
func validateLifecycle(l *corev1.Lifecycle, p Placement, at *field.Path) (errs field.ErrorList) {
	if l == nil {
		return nil
	}
	if p == PlacementInit {
		return field.ErrorList{field.Forbidden(at, "an init container has no lifecycle; choose another placement")}
	}
	for name, h := range map[string]*corev1.LifecycleHandler{"postStart": l.PostStart, "preStop": l.PreStop} {
		if h == nil {
			continue
		}
		here := at.Child(name)
		if sources(h) != 1 {
			errs = append(errs, field.Invalid(here, "", "must have exactly one handler"))
		}
		if h.Sleep != nil && h.Sleep.Seconds < 0 {
			errs = append(errs, field.Invalid(here.Child("sleep", "seconds"), h.Sleep.Seconds, "must not be negative"))
		}
		errs = append(errs, validateActions(h.Exec, h.HTTPGet, h.TCPSocket, here)...)
	}
	if l.StopSignal != nil && !signal(string(*l.StopSignal)) {
		errs = append(errs, field.Invalid(at.Child("stopSignal"), *l.StopSignal, "must be a signal of Linux, such as SIGTERM"))
	}
	return errs
}

// signal reports whether Linux has a signal of that name.
func signal(name string) bool {
	const plain = "ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX"
	const numbers = " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 "
	short, ok := strings.CutPrefix(name, "SIG")
	if !ok {
		return false
	}
	if n, ok := strings.CutPrefix(short, "RTMIN+"); ok {
		return n != "" && strings.Contains(numbers, " "+n+" ")
	}
	if n, ok := strings.CutPrefix(short, "RTMAX-"); ok {
		return n != "" && n != "15" && strings.Contains(numbers, " "+n+" ")
	}
	return slices.Contains(strings.Fields(plain), short)
}
