package workload

// templatePath says where the pod template stands in objects of a kind; the pod
// itself stands at the root of its object.
func templatePath(apiVersion, kind string) (path []string, ok bool) {
	switch apiVersion + " " + kind {
	case "v1 Pod":
		return []string{}, true
	case "v1 PodTemplate":
		return []string{"template"}, true
	case "v1 ReplicationController", "apps/v1 Deployment", "apps/v1 StatefulSet",
		"apps/v1 DaemonSet", "apps/v1 ReplicaSet", "batch/v1 Job":
		return []string{"spec", "template"}, true
	case "batch/v1 CronJob":
		return []string{"spec", "jobTemplate", "spec", "template"}, true
	}
	return nil, false
}

// kindWords are parts of every kind above, and of List.
func kindWords() []string {
	return []string{"Pod", "Deployment", "Set", "Job", "Controller", "List"}
}
