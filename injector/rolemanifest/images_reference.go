package rolemanifest

import (
	"fmt"
	"strings"

	"colocate.dev/colocate/injector/internal/pattern"
)

var (
	// imagePath, imageTag and imageDigest follow the grammar of image references
	// (github.com/distribution/reference); node agents refuse what differs.
	imagePath   = pattern.New(`^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$`)
	imageHost   = pattern.New(`^(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::[0-9]+)?$`)
	imageTag    = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)
	imageDigest = pattern.New(`^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$`)
)

// referenceFault says which part of an image reference no node would take, ""
// where all are fine. The API server takes any text: the pod would wait for ever.
func referenceFault(image string) string {
	name, digest, pinned := strings.Cut(image, "@")
	if pinned && !imageDigest().MatchString(digest) {
		return fmt.Sprintf("its digest %q is none", digest)
	}
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		if tag := name[i+1:]; !imageTag().MatchString(tag) {
			return fmt.Sprintf("its tag %q is none", tag)
		}
		name = name[:i]
	}
	host, path, ok := strings.Cut(name, "/")
	if !ok || !strings.ContainsAny(host, ".:") && host != "localhost" && host == strings.ToLower(host) {
		path = name
	} else if !imageHost().MatchString(host) {
		return fmt.Sprintf("its registry %q is none", host)
	}
	switch {
	case imagePath().MatchString(path):
		return ""
	case imagePath().MatchString(strings.ToLower(path)):
		return fmt.Sprintf("its path %q has upper-case letters", path)
	}
	return fmt.Sprintf("its path %q is none", path)
}
