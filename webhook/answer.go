package webhook

import (
	"encoding/base64"
	"unicode/utf8"

	"colocate.dev/colocate/injector"
)

// appendAnswer appends the AdmissionReview that answers the request with that
// uid. scratch is memory for the patch; it is returned, perhaps grown.
//
// patch and patchType are there together or not at all, as the API server wants
// it. A refusal carries the reason's code as a cause: metav1.Status has no other
// place for it, since its own reason is one of HTTP.
func appendAnswer(dst, scratch, uid []byte, d *injector.Decision) (answer, patch []byte) {
	dst = append(dst, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":`...)
	dst = injector.AppendString(dst, uid)
	if d.Allowed() {
		dst = append(dst, `,"allowed":true`...)
	} else {
		dst = append(dst, `,"allowed":false,"status":{"status":"Failure","code":403,"reason":"Forbidden","message":`...)
		dst = injector.AppendString(dst, d.Message)
		dst = append(dst, `,"details":{"causes":[{"reason":`...)
		dst = injector.AppendString(dst, string(d.Reason))
		dst = append(dst, `}]}}`...)
	}
	if d.Patches() {
		scratch = d.AppendPatch(scratch[:0])
		dst = append(dst, `,"patchType":"JSONPatch","patch":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, scratch)
		dst = append(dst, '"')
	}
	for i, w := range d.Warnings {
		if i == 0 {
			dst = append(dst, `,"warnings":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = injector.AppendString(dst, w)
	}
	if len(d.Warnings) > 0 {
		dst = append(dst, ']')
	}
	// The API server puts the webhook's name and a slash before the keys.
	dst = append(dst, `,"auditAnnotations":{`...)
	dst = injector.AppendString(dst, auditKey(d.Reason))
	dst = append(dst, ':')
	dst = injector.AppendString(dst, string(d.Reason))
	dst = append(dst, `,"role":`...)
	dst = injector.AppendString(dst, roleForPeople(d.Role))
	return append(dst, `}}}`...), scratch
}

// auditKey is the audit annotation for a reason. An API server keeps the first
// value of a key and complains in its log about another one. It calls twice for
// one pod as a rule, since the token's mount is added to our container after the
// first call, so what the second call finds has a key of its own.
func auditKey(r injector.Reason) string {
	if r == injector.ReasonAlreadyInjected {
		return "reason-again"
	}
	return "reason"
}

// appendUnavailable appends a Status that tells an API server to try again.
func appendUnavailable(dst []byte, message string) []byte {
	dst = append(dst, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":503,"reason":"ServiceUnavailable","message":`...)
	dst = injector.AppendString(dst, message)
	return append(dst, '}')
}

// maxRole is the length in bytes to which a role is cut that a pod names: one
// that exists is a DNS label.
const maxRole = 63

// roleForPeople is what a pod gave as its role, fit for a log line.
func roleForPeople(role string) string {
	if len(role) <= maxRole {
		return role
	}
	cut := maxRole
	for cut > 0 && !utf8.RuneStart(role[cut]) {
		cut--
	}
	return role[:cut] + "…"
}
