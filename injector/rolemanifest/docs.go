package rolemanifest

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed docs_intro.md
var docsIntro string

// Docs is docs/role-manifest.md: every key that the reader knows, from its own
// table, and every code of a finding.
func Docs() []byte {
	var b strings.Builder
	b.WriteString("<!-- Generated from injector/rolemanifest by make generate; edit there. -->\n")
	b.WriteString(docsIntro)
	b.WriteString("\n## Keys\n\nKeys that are not listed get a warning with the nearest known name. \"Not used\" means accepted silently.\n")
	for _, w := range places() {
		docsPlace(&b, w)
	}
	b.WriteString("\n## Findings\n\nThe severity is the usual one: faults in what main roles say about themselves, and keys without a value in a wrong place, are warnings.\n\n")
	b.WriteString("| Code | Severity | Means | What to do |\n|---|---|---|---|\n")
	for _, info := range codeTable {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", info.Code, info.Severity, cell(info.Means), cell(info.Remedy))
	}
	return []byte(b.String())
}

func docsPlace(b *strings.Builder, w Where) {
	fmt.Fprintf(b, "\n### In %s\n\n| Key | Layouts | Type | Unit | Default | Meaning | Example |\n|---|---|---|---|---|---|---|\n", w)
	for i := range keyTable {
		k := &keyTable[i]
		if !slices.Contains(k.In, w) || k.Handling == Misplaced {
			continue
		}
		means := k.Means
		switch {
		case k.Handling == Ignored:
			means = strings.TrimSpace("Not used. " + means)
		case k.Handling == Superseded:
			means = fmt.Sprintf("Old spelling of `%s`; understood with a warning.", k.Is)
		case len(k.Values) > 0:
			means += " One of `" + strings.Join(k.Values, "`, `") + "`."
		}
		example := ""
		if k.Example != "" {
			example = "`" + k.Example + "`"
		}
		kind := string(k.Type)
		if k.Of != "" {
			kind += ": " + string(k.Of)
		}
		layouts := k.layouts()
		if w == InContainerization {
			layouts = Layout3
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", k.Name, layouts, kind, cell(k.Unit), cell(k.Default), cell(means), cell(example))
	}
}

// cell makes text fit into a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "\n", " ")
}
