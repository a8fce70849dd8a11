// Package injector decides what a pod gets from the role that it names.
//
// It is the pure core of colocate: definitions are checked and compiled into an
// immutable [Snapshot]; [Snapshot.Plan] compares one pod with it and returns a
// [Decision], which is either a JSON patch of additions or a refusal with a
// [Reason]. Nothing here reads a clock, a file, an environment variable or an
// API server, so the webhook and the command line come to the same bytes.
//
// The way of a pod through this package:
//
//	review.go, podread.go   bytes → Request and Pod (views into the bytes)
//	plan.go                 the order of the rules
//	rule_*.go               one rule a file
//	patch.go                the additions, marshalled when the snapshot is compiled
package injector
