// Package yamldoc turns YAML bytes into checked nodes.
//
// It is the one place that knows what a YAML library lets through: duplicate
// keys, tabs, nulls, merge keys, alias bombs, custom tags, a second document and
// text that is not UTF-8 are found here, each with its line and column, so that
// readers of role manifests and of definitions walk a plain tree.
//
// The way of a document through this package:
//
//	encoding.go   bytes → UTF-8 text, or why not
//	parse.go      text → documents; syntax.go says where the syntax is wrong
//	expand.go     document → tree without aliases and merge keys; merge.go
//	scalar.go     what a scalar means: text, number, truth value, null
//	json.go       tree → canonical JSON
//	path.go       a path such as spec.container.ports[0].name → node
package yamldoc
