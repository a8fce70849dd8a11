package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"colocate.dev/colocate/injector"
)

func noCodecs(s *runtime.Scheme) serializer.CodecFactory { return serializer.NewCodecFactory(s) }

// checkEndpoints counts the replicas that the Service leads to.
func (k *checkCommand) checkEndpoints(ctx context.Context) {
	namespace, service := k.namespace, injector.Name
	switch to := k.target.Service; {
	case k.target.URL != nil:
		k.ok("endpoints", "not needed: the webhook is reached at %s", *k.target.URL)
		return
	case to != nil:
		namespace, service = to.Namespace, to.Name
	}
	var slices discoveryv1.EndpointSliceList
	err := k.client.List(ctx, &slices, client.InNamespace(namespace), client.MatchingLabels{discoveryv1.LabelServiceName: service})
	if err != nil {
		k.warn("endpoints", "", "they cannot be read: %v", err)
		return
	}
	ready := 0
	for _, s := range slices.Items {
		for _, e := range s.Endpoints {
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				ready += len(e.Addresses)
			}
		}
	}
	switch {
	case ready == 0:
		k.fail("endpoints", fmt.Sprintf("kubectl --namespace %s get pods; annotated pods wait until one is ready.", namespace), "no replica is ready behind Service %q in namespace %q", service, namespace)
	case ready == 1:
		k.warn("endpoints", "Run two replicas or more: a restart of the only one makes annotated pods wait.", "one replica is ready")
	default:
		k.ok("endpoints", "%d replicas are ready", ready)
	}
}

func (k *checkCommand) checkDefinitions(ctx context.Context) {
	maps, snapshot, faults, err := clusterDefinitions(ctx, k.client, k.namespace)
	if err != nil {
		k.fail("definitions", "", "%v", err)
		return
	}
	k.snapshot = snapshot
	for _, f := range faults {
		if f.Warning {
			k.warn("definitions", "", "%v", f)
		} else {
			k.fail("definitions", remedyOf(f.Reason), "%v", f)
		}
	}
	roles, usable := snapshot.Size()
	switch {
	case len(maps) == 0:
		k.warn("definitions", "colocate build role-manifest.yml | kubectl apply --server-side -f -", "no ConfigMap in namespace %q carries the label %s=%s: every annotated pod is refused", k.namespace, injector.DefinitionsLabel, injector.DefinitionsVersion)
	case roles == 0:
		k.warn("definitions", "", "%s hold no role", strings.Join(maps, ", "))
	default:
		k.ok("definitions", "%d of %d roles can be used (%s)", usable, roles, strings.Join(maps, ", "))
	}
}

func remedyOf(r injector.Reason) string {
	info, _ := injector.Describe(r)
	return info.Remedy
}

// checkPod sends a pod through the API server without creating it.
func (k *checkCommand) checkPod(ctx context.Context) {
	role := k.role
	for _, info := range k.snapshot.Roles() {
		if role == "" && info.Rejected == "" {
			role = info.Name
		}
	}
	if role == "" {
		k.warn("dry-run pod", "", "not tried: there is no role to ask for")
		return
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: "colocate-check-", Namespace: k.podsIn,
			Annotations: map[string]string{injector.RoleAnnotation: role},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: role, Image: "example.org/colocate-check:dry-run"}}},
	}
	err := k.client.Create(ctx, pod, client.DryRunAll)
	switch {
	case err == nil && pod.Annotations[injector.StatusAnnotation] != "":
		k.ok("dry-run pod", "a pod of role %q in namespace %q comes back injected", role, k.podsIn)
	case err == nil:
		k.fail("dry-run pod", "See whether the namespace is left out (label "+injector.InjectionLabel+") and whether the webhook configuration is in place.", "a pod of role %q in namespace %q comes back bare: the webhook is not called", role, k.podsIn)
	case apierrors.IsTimeout(err), errors.Is(err, context.DeadlineExceeded), looksLikeTimeout(err):
		k.fail("dry-run pod", "Is there a firewall between the API server and port 9443 of the nodes? Private clusters often let the API server reach 443 and 10250 only.", "the API server does not reach the webhook in time: %v", err)
	case strings.Contains(err.Error(), "failed calling webhook"):
		k.fail("dry-run pod", "The line above says why; look at endpoints and certificate.", "%v", err)
	case strings.Contains(err.Error(), injector.PodsWebhook):
		k.warn("dry-run pod", "The webhook answers; choose a role that fits a plain pod with --role.", "a plain pod of role %q is refused: %v", role, err)
	default:
		k.warn("dry-run pod", "Choose a namespace with --in in which a plain pod may be created.", "not decided: %v", err)
	}
}

func looksLikeTimeout(err error) bool {
	text := err.Error()
	return strings.Contains(text, "deadline exceeded") || strings.Contains(text, "Client.Timeout") || strings.Contains(text, "i/o timeout")
}

// checkBare counts pods that ask for a role and carry no status.
func (k *checkCommand) checkBare(ctx context.Context) {
	out, err := k.leftOut(ctx)
	if err != nil {
		k.warn("bare pods", "", "not looked for: %v", err)
		return
	}
	var bare []string
	total := 0
	err = eachPod(ctx, k.client, func(pod *metav1.PartialObjectMetadata) {
		a := pod.Annotations
		if a[injector.RoleAnnotation] == "" || a[injector.StatusAnnotation] != "" || a[injector.InjectAnnotation] == "false" || a[injector.MirrorAnnotation] != "" || out[pod.Namespace] {
			return
		}
		if total++; len(bare) < 5 {
			bare = append(bare, pod.Namespace+"/"+pod.Name)
		}
	})
	switch {
	case err != nil:
		k.warn("bare pods", "", "not looked for: %v", err)
	case total == 0:
		k.ok("bare pods", "every pod that asks for a role carries its status")
	default:
		k.fail("bare pods", "Restart their workloads. If they come back bare, another webhook that is called after colocate's adds the annotation.", "%d pods ask for a role and run without its containers: %s", total, strings.Join(bare, ", ")+more(total-len(bare)))
	}
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// leftOut are the namespaces in which nothing is injected.
func (k *checkCommand) leftOut(ctx context.Context) (map[string]bool, error) {
	out := map[string]bool{"kube-system": true, "kube-public": true, "kube-node-lease": true, k.namespace: true}
	var list metav1.PartialObjectMetadataList
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NamespaceList"))
	if err := k.client.List(ctx, &list, client.MatchingLabels{injector.InjectionLabel: injector.InjectionDisabled}); err != nil {
		return nil, err
	}
	for i := range list.Items {
		out[list.Items[i].Name] = true
	}
	return out, nil
}
