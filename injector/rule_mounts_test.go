package injector

import (
	"path"
	"testing"
)

func TestRuleMounts(t *testing.T) {
	main := func(mounts string) string {
		return `{"metadata":{"annotations":{"colocate.dev/role":"nginx"}},"spec":{"volumes":[{"name":"common-share"},{"name":"own","emptyDir":{}}],"containers":[{"name":"nginx",` + mounts + `},{"name":"other","volumeMounts":[{"name":"own","mountPath":"/mnt/share"}]}]}}`
	}
	clash := func(theirs string) string {
		return `role "nginx": container "nginx" has ` + theirs + ` at "/mnt/share", where the role mounts volume "common-share". Change one of the two paths.`
	}
	checkVerdicts(t, snapshotOf(t, nginxRole, logForwarder), Creation(), []verdictCase{
		{name: "free", pod: main(`"volumeMounts":[]`), reason: ReasonInjected},
		{name: "below and above", pod: main(`"volumeMounts":[{"name":"own","mountPath":"/mnt/share/sub"},{"name":"own","mountPath":"/mnt"},{"name":"own","mountPath":"/mnt/share2"}]`), reason: ReasonInjected},
		{name: "taken", pod: main(`"volumeMounts":[{"name":"own","mountPath":"/mnt/share"}]`), reason: ReasonMountClash, says: clash(`volume "own"`)},
		{name: "taken with a slash", pod: main(`"volumeMounts":[{"name":"own","mountPath":"/mnt/share/"}]`), reason: ReasonMountClash, says: clash(`volume "own"`)},
		{name: "taken with detours", pod: main(`"volumeMounts":[{"name":"own","mountPath":"//mnt/./x/../share"}]`), reason: ReasonMountClash, says: clash(`volume "own"`)},
		{name: "taken by a device", pod: main(`"volumeDevices":[{"name":"disk","devicePath":"/mnt/share"}]`), reason: ReasonMountClash, says: clash(`block device "disk"`)},
		{name: "taken by a part of it", pod: main(`"volumeMounts":[{"name":"common-share","mountPath":"/mnt/share","subPath":"x"}]`), reason: ReasonInjected},
		{name: "there already", pod: main(`"volumeMounts":[{"name":"common-share","mountPath":"/mnt/share/"}]`), reason: ReasonInjected},
	})
}

func TestIsClean(t *testing.T) {
	for _, p := range []string{"/", "/a", "/a/b", "/a.b/c", "/a/b..c", "", ".", "a", "./a", "/a/", "//a", "/a//b", "/a/./b", "/a/../b", "/a/..", "/.a", "..", "a/"} {
		if isClean([]byte(p)) && path.Clean(p) != p {
			t.Errorf("%q is called clean, but becomes %q", p, path.Clean(p))
		}
	}
	if !isClean([]byte("/mnt/share")) {
		t.Error("an ordinary path is not called clean")
	}
}
