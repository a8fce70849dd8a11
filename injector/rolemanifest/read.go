package rolemanifest

import (
	"strings"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/internal/yamldoc"
)

// Options are what the caller knows beside the file.
type Options struct {
	// Images says where images come from besides `container.image`.
	Images Images
}

// Result is what a manifest comes to.
type Result struct {
	// Layout is that of the file; 0 where it cannot be told.
	Layout Layouts
	// Definitions are the roles in the order of the file; nil where there are errors.
	Definitions []injector.Definition
	// Images says for each colocated container which image it has and why, in the
	// order of the file; those without one are left out.
	Images []ImageChoice
	// Diagnostics are all findings, in the order of their positions.
	Diagnostics Diagnostics
}

// Read turns the bytes of a role manifest into definitions. The file name only
// serves messages and origins. Whatever is wrong is in the result's diagnostics;
// definitions are there exactly when none of them is an error.
func Read(file string, data []byte, o Options) Result {
	r := &reader{file: file, images: o.Images, index: newIndex()}
	root, faults := yamldoc.Parse(data, yamldoc.Options{AllowNull: true, KeepGoing: true, MaxNodes: yamldoc.DefaultMaxNodes + len(data)})
	for _, f := range faults {
		r.add(place{max(f.Line, 1), max(f.Column, 1), f.Path}, Error, Code(f.Code), f.Message, f.Remedy)
		r.unread(f.Line, f.Column)
	}
	var result Result
	if root != nil {
		r.manifest(root)
		r.check()
		result.Layout = r.layoutSeen
		result.Images = r.chosen
		if !r.failed {
			result.Definitions = r.definitions()
		}
	}
	if r.failed {
		result.Definitions = nil
	}
	result.Diagnostics = sorted(r.diagnostics)
	return result
}

// reader is the state of one Read.
type reader struct {
	file   string
	images Images
	index  *index
	types  kubeTypes

	// layout is what keys are held against: Layout3, or both others.
	layout     Layouts
	layoutSeen Layouts
	layout3At  place
	listAt     place

	// listsFaulty is set where a list of colocated containers could not be read, so
	// that it is not known which are unused.
	listsFaulty bool

	roles  []*role
	byName map[string]*role
	chosen []ImageChoice

	diagnostics Diagnostics
	said        map[finding]bool
	// faulty are the positions of YAML faults: what follows from them is not told.
	faulty   map[place]bool
	compared int
	circles  int
	failed   bool
}

// finding is what makes two diagnostics the same.
type finding struct {
	line, column int
	code         Code
	message      string
}

// unread notes that what stands at a place could not be read.
func (r *reader) unread(line, column int) {
	if r.faulty == nil {
		r.faulty = map[place]bool{}
	}
	r.faulty[place{line, column, ""}] = true
}

// add notes a finding; an empty remedy means the general one of the code.
func (r *reader) add(at place, s Severity, code Code, message, remedy string) {
	r.failed = r.failed || s == Error
	if r.faulty[place{at.line, at.column, ""}] {
		return
	}
	said := finding{at.line, at.column, code, message}
	if r.said[said] {
		return // an alias makes one place count several times
	}
	if r.said == nil {
		r.said = map[finding]bool{}
	}
	r.said[said] = true
	if remedy == "" && s != Note {
		remedy = lowerFirst(strings.TrimSuffix(remedyOf(code), "."))
	}
	r.diagnostics = append(r.diagnostics, Diagnostic{
		File: r.file, Line: at.line, Column: at.column, Path: at.path,
		Severity: s, Code: code, Message: message, Remedy: remedy,
	})
}
