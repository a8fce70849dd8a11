package injector

// A mirror pod is the API's copy of a static pod. The kubelet runs the file, not
// the copy, and refuses a copy that differs.
func ruleMirror(t *situation) verdict {
	if !t.pod.annotations.mirror.set {
		return pass
	}
	t.warn("colocate: static pods get no colocated containers; add them to the static pod's file")
	return verdict{true, Untouched, ReasonMirrorPod, "this is the mirror of a static pod; static pods get no colocated containers."}
}
