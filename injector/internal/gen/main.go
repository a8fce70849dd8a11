// Command gen writes docs/reasons.md from the table of reasons.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"

	"colocate.dev/colocate/injector"
)

func main() {
	out := flag.String("o", "docs/reasons.md", "the file to write")
	flag.Parse()
	if err := os.WriteFile(*out, page(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// groups start at the reason that comes first in them.
var groups = map[injector.Reason][2]string{
	injector.ReasonNotAsked:             {"Left alone", "The pod is allowed as it is."},
	injector.ReasonInjected:             {"Injected", "The pod is allowed, with what its role gives."},
	injector.ReasonNoSnapshot:           {"Not yet", "The webhook answers 503 with `Retry-After: 1`, and the API server asks again."},
	injector.ReasonInvalidAnnotation:    {"Refused", "The pod is not created: status 403, reason Forbidden, and a message that names both sides of the conflict."},
	injector.ReasonUnreadableDefinition: {"Refused for the definition", "The definition was rejected when it was loaded; pods of its role are refused until it is corrected. A definition can also be rejected for `PersistentState`, `ContainerClash`, `VolumeClash`, `MountClash` or `PortClash`."},
}

func page() []byte {
	var b bytes.Buffer
	b.WriteString(`<!-- Generated from injector/reasons.go by "make generate"; do not edit. -->
# Reasons

Every decision about a pod has one of these codes. The same word stands in the
answer to the API server, in its audit annotation ` + "`reason`" + `, in the label ` + "`reason`" + `
of the metric ` + "`colocate_admissions_total`" + `, in the log line, and in what ` + "`colocate inject`" + `
and ` + "`colocate explain`" + ` print. Codes are stable: scripts and alerts may rely on them.
Within a group they stand in the order in which the rules are asked.
`)
	for _, r := range injector.Reasons() {
		if g, ok := groups[r.Code]; ok {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", g[0], g[1])
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", r.Code, r.Means)
		if r.Remedy != "" {
			fmt.Fprintf(&b, "\n*What to do:* %s\n", r.Remedy)
		}
	}
	return b.Bytes()
}
