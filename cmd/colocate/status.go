package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"colocate.dev/colocate/injector"
)

type statusCommand struct {
	*program
	clusterFlags
	pods   string
	output string
}

func (p *program) statusCommand() *cobra.Command {
	s := &statusCommand{program: p}
	c := &cobra.Command{
		Use:   "status",
		Short: "List the workloads with injected pods, and those behind the current definitions",
		Long: `List which workloads have injected pods, of which role, and how many of the pods
carry an earlier definition than the one in force. Pods are found by the label
colocate.dev/injected; only their metadata is read. For workloads that are behind, the
command that brings them up to date is printed. Exit code 0.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return s.run(c.Context()) },
	}
	s.clusterFlags.add(c)
	c.Flags().StringVar(&s.pods, "in", "", "only pods of this namespace")
	c.Flags().StringVarP(&s.output, "output", "o", "text", "text or json")
	return c
}

// workloadStatus sums up the injected pods of one workload.
type workloadStatus struct {
	Namespace string `json:"namespace"`
	// Workload is kind/name in lower case, as kubectl takes it.
	Workload string `json:"workload"`
	Role     string `json:"role"`
	Pods     int    `json:"pods"`
	// Behind counts the pods that carry another hash than the role has now.
	Behind int `json:"behind"`
	// State is current, behind, undefined (the role is gone) or rejected.
	State string `json:"state"`
}

func (s *statusCommand) run(ctx context.Context) error {
	if s.output != "text" && s.output != "json" {
		return usagef(`--output is %q; it can be "text" or "json"`, s.output)
	}
	config, err := s.config("colocate-status/" + s.version.Version)
	if err != nil {
		return err
	}
	c, err := newClient(config)
	if err != nil {
		return err
	}
	_, snapshot, faults, err := clusterDefinitions(ctx, c, s.namespace)
	if err != nil {
		return err
	}
	s.report(s.err, faults)
	sums := map[[3]string]*workloadStatus{}
	err = eachPod(ctx, c, func(pod *metav1.PartialObjectMetadata) { addPod(sums, snapshot, pod) },
		client.InNamespace(s.pods), client.MatchingLabels{injector.InjectedLabel: injector.InjectedValue})
	if err != nil {
		return err
	}
	var rows []*workloadStatus
	for _, row := range sums {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b *workloadStatus) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.Role, b.Role))
	})
	return s.show(rows)
}

func addPod(sums map[[3]string]*workloadStatus, snapshot *injector.Snapshot, pod *metav1.PartialObjectMetadata) {
	role := pod.Annotations[injector.RoleAnnotation]
	status, err := injector.ParseStatus([]byte(pod.Annotations[injector.StatusAnnotation]))
	if err == nil {
		role = status.Role
	}
	key := [3]string{pod.Namespace, workloadOf(pod), role}
	row := sums[key]
	if row == nil {
		row = &workloadStatus{Namespace: key[0], Workload: key[1], Role: role, State: "current"}
		sums[key] = row
	}
	row.Pods++
	switch info, known := snapshot.Role(role); {
	case !known:
		row.State = "undefined"
	case info.Rejected != "":
		row.State = "rejected"
	case status.Hash != info.Hash:
		row.Behind++
		row.State = "behind"
	}
}

// workloadOf names what a person restarts: the Deployment behind a ReplicaSet,
// else the controller, else the pod itself.
func workloadOf(pod *metav1.PartialObjectMetadata) string {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return "pod/" + pod.Name
	}
	if hash := pod.Labels["pod-template-hash"]; owner.Kind == "ReplicaSet" && hash != "" {
		if name, ok := strings.CutSuffix(owner.Name, "-"+hash); ok {
			return "deployment/" + name
		}
	}
	return strings.ToLower(owner.Kind) + "/" + owner.Name
}

func (s *statusCommand) show(rows []*workloadStatus) error {
	if s.output == "json" {
		e := json.NewEncoder(s.out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Workloads []*workloadStatus `json:"workloads"`
		}{append([]*workloadStatus{}, rows...)})
	}
	if len(rows) == 0 {
		fmt.Fprintln(s.out, "no pod carries the label "+injector.InjectedLabel+"="+injector.InjectedValue)
		return nil
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAMESPACE\tWORKLOAD\tROLE\tPODS\tBEHIND\tSTATE")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\n", r.Namespace, r.Workload, r.Role, r.Pods, r.Behind, r.State)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	advise(s.out, rows)
	return nil
}

// advise prints how to bring the workloads that are behind up to date.
func advise(w io.Writer, rows []*workloadStatus) {
	said := false
	for _, r := range rows {
		if r.Behind == 0 {
			continue
		}
		if !said {
			fmt.Fprintln(w, "\nTo bring the pods that are behind up to date:")
			said = true
		}
		switch kind, _, _ := strings.Cut(r.Workload, "/"); kind {
		case "deployment", "statefulset", "daemonset":
			fmt.Fprintf(w, "  kubectl rollout restart %s --namespace %s\n", r.Workload, r.Namespace)
		default:
			fmt.Fprintf(w, "  # %s in namespace %s: create it anew\n", r.Workload, r.Namespace)
		}
	}
}
