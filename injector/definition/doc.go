// Package definition reads and writes definitions as they are stored: one
// document a key in ConfigMaps.
//
// Reading is strict. Unknown fields, duplicate keys, nulls, a second document and
// scalars of another type are refused with their line and column, all of them at
// once where the text can be read at all. What is read is kept as canonical JSON,
// so that what is injected later is what was written and not what this version
// of the Kubernetes types knows.
//
//	document.go   bytes of a key ⇄ Definition; rules.go, mode.go what only we ask
//	schema.go     the fields that a document may have, from the Go types
//	explain.go    why a document does not fit them, and where
//	build.go      typed values or JSON → Definition
//	encode.go     Definition → readable YAML; block.go, quote.go, order.go
//	configmap.go  definitions → ConfigMaps, sharded; write.go → YAML
//	load.go       ConfigMap → definitions
//	file.go       YAML of ConfigMaps → definitions
package definition
