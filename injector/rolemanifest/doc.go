// Package rolemanifest turns a role manifest into definitions, or says exactly
// what is wrong with it and where.
//
// A role manifest is the YAML file in which a team lists its roles. It comes in
// three layouts, which this package tells apart by their keys; docs/role-manifest.md
// describes them, and is generated from the same table of keys that the reader
// uses. The package is pure: bytes and options in, a [Result] out. It opens no
// file, and the same input gives the same output.
//
// The way of a manifest through this package:
//
//	yamldoc            bytes → nodes with positions
//	layout.go          which of the layouts, and whether two are mixed
//	object.go          one mapping against keytable.go: known, unknown, misplaced keys
//	role.go, run.go    nodes → roles, the run of several jobs merged
//	check_*.go         the rules, one kind of fault a file
//	container.go       run → generated container; overlay.go lays `container` over it
//	emit.go            roles → []injector.Definition
package rolemanifest

//go:generate go run ./internal/gen -docs ../../docs
