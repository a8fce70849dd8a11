// Package certs is where the serving certificate of a webhook comes from. It
// knows nothing of what the webhook does: every name comes in through options.
//
// There are three sources:
//
//   - [Authority], the default in a cluster: a certificate authority in a Secret
//     that all replicas share. Each replica signs a short-lived serving
//     certificate in memory, so that no file and no mount is waited for, and
//     keeps the caBundle of the webhook configurations.
//   - [Files]: a certificate and key that somebody else (cert-manager) writes.
//   - [SelfSigned]: an authority in memory, for serving without a cluster.
//
// # No leader
//
// Every replica does the same work on what it sees; the Secret's
// resourceVersion settles who was first, and the others take over what the
// first one wrote. Before each write the Secret is read again, and a caBundle is
// patched on condition that the webhook configuration is still at the version
// that was looked at before that reading. So a replica that lags behind can
// never put an older bundle in the place of a newer one.
//
// # The Secret
//
//	tls.crt, tls.key    the authority that signs now
//	next.crt, next.key  the authority that will sign next; absent outside a rotation
//	previous.crt        authorities that no longer sign, and are still trusted
//	previous-until      RFC 3339 time at which previous.crt is given up
//	ca.crt              all of these certificates: what every caBundle carries
//	rotate              any value, set by a person: start a rotation now
//
// # Rotation
//
// A rotation begins when two thirds of the authority's life have passed, or on
// request. Each step is one update of the Secret:
//
//  1. stage: next.* is made. Every caBundle gets both certificates.
//  2. promote: one replica has seen every caBundle carry the new certificate
//     without interruption for the rotation delay (each API server learns of a
//     caBundle in its own time). next.* becomes tls.*, the old certificate
//     becomes previous.crt, and each replica signs itself a new certificate.
//  3. drop: after twice the life of a serving certificate, when the last one that
//     the old authority signed has expired, previous.crt goes, and leaves the
//     caBundles.
//
// How long a caBundle has carried a certificate is counted by each replica for
// itself, on the monotonic clock: neither a restart nor a clock that jumps can
// shorten the delay. At once, and without overlap, an authority is replaced only
// where it is lost (and no replica has it in memory), expired or unusable.
//
// A Secret that is deleted or damaged is written again from memory. A Secret
// that somebody replaced by another valid one is not obeyed at once: the
// authority in use is put back, and the new one becomes the next. So a deletion
// does not make a new authority; the key rotate does. Where the old one must not
// be trusted any longer, for its key is known, put previous-until into the past
// after the promotion.
//
// # Time
//
// Certificates are judged by the API server, by its clock. So validity is
// reckoned in the API server's time (see [Connect]), not the node's.
//
// # Rights
//
// The Secret and the webhook configurations are read by name, one by one:
//
//	# Role, in the namespace of the Secret. create cannot be limited by name.
//	- apiGroups: [""]
//	  resources: [secrets]
//	  verbs: [create]
//	- apiGroups: [""]
//	  resources: [secrets]
//	  resourceNames: [<secret>]
//	  verbs: [get, list, watch, update]
//
//	# ClusterRole
//	- apiGroups: [admissionregistration.k8s.io]
//	  resources: [mutatingwebhookconfigurations, validatingwebhookconfigurations]
//	  resourceNames: [<configurations>]
//	  verbs: [get, list, watch, patch]
package certs
