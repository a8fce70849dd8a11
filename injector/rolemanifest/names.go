package rolemanifest

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

const maxLabel = validation.DNS1123LabelMaxLength

// checkLabel reports a name that Kubernetes refuses, with one that it takes.
func (r *reader) checkLabel(name, what string, at place) bool {
	if len(validation.IsDNS1123Label(name)) == 0 {
		return true
	}
	why := "Kubernetes wants lower-case letters, digits and hyphens, beginning and ending with a letter or digit"
	if len(name) > maxLabel {
		why = fmt.Sprintf("it has %d characters, Kubernetes allows %d", len(name), maxLabel)
	}
	r.add(at, Error, CodeInvalidName, fmt.Sprintf("%s %q cannot be a name: %s", what, clip(name), why), suggestion(suggestLabel(name, maxLabel)))
	return false
}

func suggestion(name string) string {
	if name == "" {
		return "choose another"
	}
	return fmt.Sprintf("write %q", name)
}

// suggestLabel makes a DNS label of most characters of a name, "" where nothing is left.
func suggestLabel(name string, most int) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == most {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}
