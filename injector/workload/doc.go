// Package workload injects into pods and pod templates that stand in YAML or
// JSON streams: it finds them, asks for a decision and writes the additions into
// the text. Whatever is not added to stays as it is, byte for byte: comments,
// key order, quoting, line ends, documents of other kinds.
//
// The way of a stream through this package:
//
//	split.go             bytes → chunks, one document each; together they are the stream
//	parse.go, span.go    chunk → nodes and where each begins and ends
//	value.go             nodes → JSON, aliases and merge keys expanded
//	object.go, kinds.go  the pod template of each object that has one
//	edit.go              the additions, applied to the nodes
//	render*.go, emit.go  changed nodes → insertions into the text
//	check.go             the edited text against the patched JSON
//	inject.go            all of it, on several cores and in order
//
// Every edit is checked before it is given out: the edited text is parsed again
// and must mean exactly what the JSON patch makes of the original. Nothing here
// opens a file or prints.
package workload
