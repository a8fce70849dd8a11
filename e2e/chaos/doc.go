// Package chaos breaks an installation of three replicas while pods are created,
// and counts what that does to them.
//
// The API server, etcd and the replicas are real. What kubelet and the endpoint
// controllers do is done by a poller: it asks each replica's /readyz and writes
// the answer into an EndpointSlice, which the API server follows
// (--enable-aggregator-routing).
package chaos
