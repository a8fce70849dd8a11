// Package webhook is the edge between Kubernetes and [injector]: it receives
// what the API server sends, keeps the definitions up to date, and says how it
// is doing. It decides nothing about pods itself.
//
//	server.go, cluster.go        wiring, start and stop
//	guard.go, pods.go, answer.go an admission request: limits, reading, answering
//	documents.go, settle.go      ConfigMaps → definitions, with the last good form of each
//	loader.go, reconcile.go      definitions → snapshot
//	announce.go                  what is said about it, in the log and in Events
//	definitions.go               the validating webhook for definitions ConfigMaps
//	workloads.go, template.go    warnings for workloads
//	metrics.go, ready.go         what operators see
//
// On the way of a request there is no call to the API server, no file and no
// lock that is held while definitions are loaded: a request reads one pointer to an immutable snapshot.
package webhook
