package webhook

import (
	"encoding/json"

	"colocate.dev/colocate/injector"
)

// workload is what matters of an object that makes pods.
type workload struct {
	kind string
	// own is true where the object itself carries the role annotation.
	own bool
	// template is the JSON of the pod template, nil where there is none, and path
	// where it stands.
	template json.RawMessage
	path     string
	// claims are the names of a StatefulSet's volumeClaimTemplates.
	claims []string
}

type metadata struct {
	Name        string            `json:"name"`
	Annotations map[string]string `json:"annotations"`
}

type podSource struct {
	Template json.RawMessage `json:"template"`
}

// read reads the JSON of a workload. The template is kept as it is written.
func (w *workload) read(kind string, raw []byte) error {
	var object struct {
		Metadata metadata `json:"metadata"`
		Spec     struct {
			podSource
			JobTemplate struct {
				Spec podSource `json:"spec"`
			} `json:"jobTemplate"`
			VolumeClaimTemplates []struct {
				Metadata metadata `json:"metadata"`
			} `json:"volumeClaimTemplates"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return err
	}
	w.kind, w.path, w.template = kind, "spec.template", object.Spec.Template
	if kind == "CronJob" {
		w.path, w.template = "spec.jobTemplate.spec.template", object.Spec.JobTemplate.Spec.Template
	}
	_, w.own = object.Metadata.Annotations[injector.RoleAnnotation]
	for _, c := range object.Spec.VolumeClaimTemplates {
		w.claims = append(w.claims, c.Metadata.Name)
	}
	return nil
}

// misplaced reports whether the role stands on the object itself and not on its
// pods. Whoever writes it on both knows what it does.
func (w *workload) misplaced() bool {
	var template struct {
		Metadata metadata `json:"metadata"`
	}
	if !w.own || w.template == nil {
		return w.own
	}
	if json.Unmarshal(w.template, &template) != nil {
		return false
	}
	_, there := template.Metadata.Annotations[injector.RoleAnnotation]
	return !there
}
