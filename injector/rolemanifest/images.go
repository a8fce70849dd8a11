package rolemanifest

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Images says where the images of colocated containers come from. The order of
// precedence is: Explicit, File, `container.image` in the manifest, Template.
type Images struct {
	// Explicit are images by role, as of --image role=ref.
	Explicit map[string]string
	// File are images by role, as of --images; names that are no role are fine,
	// since such files list all images of a product.
	File map[string]string
	// Template makes an image of a role's name, as of --image-template; see
	// [ExpandTemplate]. "" for none.
	Template string
	// Variables are those of Template, as of --set.
	Variables map[string]string
}

// ImageSource says where an image came from.
type ImageSource string

// The sources of an image.
const (
	ImageExplicit ImageSource = "--image"
	ImageFile     ImageSource = "--images"
	ImageManifest ImageSource = "container.image"
	ImageTemplate ImageSource = "--image-template"
)

// ImageChoice is the image that a colocated container has, and why.
type ImageChoice struct {
	Role   string
	Image  string
	Source ImageSource
}

// choose finds the image of a role; written is `container.image`, "" where the
// manifest gives none.
func (i Images) choose(role, written string) (ImageChoice, error) {
	c := ImageChoice{Role: role}
	switch {
	case i.Explicit[role] != "":
		c.Image, c.Source = i.Explicit[role], ImageExplicit
	case i.File[role] != "":
		c.Image, c.Source = i.File[role], ImageFile
	case written != "":
		c.Image, c.Source = written, ImageManifest
	case i.Template != "":
		image, err := ExpandTemplate(i.Template, role, i.Variables)
		if err != nil {
			return c, err
		}
		c.Image, c.Source = image, ImageTemplate
	}
	return c, nil
}

// ExpandTemplate puts a role's name for {role} and variables for their names in
// braces: `registry.example.org/{prefix}-{role}:{tag}`. It errs where a name in
// braces is no variable, or a brace is left open.
func ExpandTemplate(template, role string, variables map[string]string) (string, error) {
	var b strings.Builder
	rest := template
	for {
		before, after, open := strings.Cut(rest, "{")
		b.WriteString(before)
		if !open {
			return b.String(), nil
		}
		name, next, closed := strings.Cut(after, "}")
		value, known := variables[name]
		switch {
		case !closed:
			return "", fmt.Errorf("image template %q: a brace is left open: close it", template)
		case name == "role":
			b.WriteString(role)
		case known:
			b.WriteString(value)
		default:
			known := append(slices.Sorted(maps.Keys(variables)), "role")
			return "", fmt.Errorf("image template %q: nothing is set for {%s}: set it, or use one of %s", template, name, quoted(known))
		}
		rest = next
	}
}

// ParseImagesFile reads lines of `name: image`. Empty lines and what follows a #
// at the beginning of a line or after a space are left out. The error lists every
// line that is none, and every name that stands twice with different images.
func ParseImagesFile(data []byte) (map[string]string, error) {
	images, lines := map[string]string{}, map[string]int{}
	var faults []string
	scanner := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	scanner.Buffer(nil, 1<<20)
	for n := 1; scanner.Scan(); n++ {
		line := scanner.Text()
		if i := strings.Index(" "+line, " #"); i >= 0 {
			line = line[:max(i-1, 0)]
		}
		line = strings.TrimSpace(line)
		if line == "" || line == "---" {
			continue
		}
		name, image, ok := strings.Cut(line, ":")
		name, image = unquote(name), unquote(image)
		switch {
		case !ok || name == "" || image == "" || strings.ContainsAny(name, "/ \t"):
			faults = append(faults, fmt.Sprintf("line %d: %q is not `name: image`", n, clip(line)))
		case imageFault(image) != "":
			faults = append(faults, fmt.Sprintf("line %d: image %q of %q cannot be one: %s", n, clip(image), name, imageFault(image)))
		case lines[name] > 0 && images[name] != image:
			faults = append(faults, fmt.Sprintf("line %d: %q is given again with another image, first in line %d", n, name, lines[name]))
		default:
			images[name], lines[name] = image, n
		}
	}
	if err := scanner.Err(); err != nil {
		faults = append(faults, err.Error())
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("images file: %s: write one `name: image` a line", strings.Join(faults, "; "))
	}
	return images, nil
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// ParseImageFlag reads `role=ref`, the value of --image.
func ParseImageFlag(s string) (role, image string, err error) {
	role, image, ok := strings.Cut(s, "=")
	if !ok || role == "" || image == "" {
		return "", "", fmt.Errorf("image %q: write role=registry/path:tag", s)
	}
	if fault := imageFault(image); fault != "" {
		return "", "", fmt.Errorf("image %q: it cannot be one: %s: write role=registry/path:tag", s, fault)
	}
	return role, image, nil
}

// imageFault says why a reference cannot be one, "" where it can.
func imageFault(image string) string {
	switch {
	case image == "":
		return "it is empty"
	case strings.ContainsFunc(image, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }):
		return "it has a space in it"
	case strings.Contains(image, "://"):
		return "it is a URL"
	case strings.HasPrefix(image, ":") || strings.HasPrefix(image, "/") || strings.HasSuffix(image, ":") || strings.HasSuffix(image, "/"):
		return "a part is missing"
	}
	return referenceFault(image)
}
