package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/e2e/product"
)

// TestInstallAndUninstall installs with the real kubectl, into another namespace,
// and removes everything again.
func TestInstallAndUninstall(t *testing.T) {
	i := bareServer(t)
	text, _, code := i.Command(t, "", "install", "-n", "elsewhere", "--image", "registry.example.org/colocate:1", "--component", "high-availability,network-policy,enforce")
	if code != 0 {
		t.Fatal("install failed")
	}
	if out, err := kubectl(t, i.Server, text, nil, "apply", "--server-side", "-f", "-"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	manifestFile := filepath.Join(i.Folder, "role-manifest.yml")
	if err := os.WriteFile(manifestFile, []byte(strings.Replace(manifest, "IMAGE", "example.org/x:1", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	definitions, _, _ := i.Command(t, "", "build", "-n", "elsewhere", manifestFile)
	if out, err := kubectl(t, i.Server, definitions, nil, "apply", "--server-side", "-f", "-"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	planned, errs, code := command(t, i, "uninstall", "-n", "elsewhere", "--dry-run")
	if code != 0 || errs != "" || !strings.HasPrefix(planned, "would delete MutatingWebhookConfiguration colocate\nwould delete ValidatingWebhookConfiguration colocate\n") {
		t.Errorf("exit code %d\n%s%s", code, planned, errs)
	}
	removed, errs, code := command(t, i, "uninstall", "-n", "elsewhere")
	if want := strings.ReplaceAll(planned, "would delete", "deleted"); code != 0 || errs != "" || removed != want {
		t.Errorf("exit code %d, dry run was no forecast\n%s%s\nwant\n%s", code, removed, errs, want)
	}
	if !strings.HasSuffix(removed, "kept Namespace elsewhere with 1 ConfigMaps of definitions; --all deletes them\n") {
		t.Errorf("what is kept is not said:\n%s", removed)
	}
	left := leftovers(t, i.Server)
	if left != "" {
		t.Errorf("left over:\n%s", left)
	}
	if out, err := kubectl(t, i.Server, "", nil, "get", "configmap", "-n", "elsewhere", "colocate-definitions"); err != nil {
		t.Errorf("the definitions are gone: %s", out)
	}

	again, _, code := command(t, i, "uninstall", "-n", "elsewhere")
	if code != 0 || !strings.HasPrefix(again, "nothing of colocate is installed\n") {
		t.Errorf("exit code %d\n%s", code, again)
	}
	all, _, code := command(t, i, "uninstall", "-n", "elsewhere", "--all")
	if code != 0 || all != "deleted Namespace elsewhere\n" {
		t.Errorf("exit code %d\n%s", code, all)
	}
}

// TestUninstallLeavesStrangersAlone: an object of the same name may be another's.
func TestUninstallLeavesStrangersAlone(t *testing.T) {
	i := bareServer(t)
	if out, err := kubectl(t, i.Server, "", nil, "create", "clusterrole", "colocate", "--verb=get", "--resource=pods"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, errs, code := command(t, i, "uninstall")
	if code != 0 || !strings.Contains(errs, "ClusterRole colocate is left alone") || !strings.Contains(out, "nothing of colocate is installed") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if out, err := kubectl(t, i.Server, "", nil, "get", "clusterrole", "colocate"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestLargeDefinitions holds what build says of large definitions: client-side
// apply fails, the printed commands work, and shards no longer needed go.
func TestLargeDefinitions(t *testing.T) {
	i := bareServer(t)
	if out, err := kubectl(t, i.Server, "", nil, "create", "namespace", "colocate-system"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	large, errs := build(t, i, 1800)
	shards := strings.Count(large, "kind: ConfigMap\n")
	if shards < 2 || !strings.Contains(errs, "kubectl apply without --server-side fails at 256 KiB") {
		t.Fatalf("%d shards\n%s", shards, errs)
	}
	if out, err := kubectl(t, i.Server, large, nil, "apply", "-f", "-"); err == nil || !strings.Contains(out, "Too long") {
		t.Errorf("client-side apply of large definitions: %v\n%s", err, out)
	}
	_, printed, found := strings.Cut(errs, "first time on):\n  ")
	_, printed, piped := strings.Cut(strings.TrimSpace(printed), " | KUBECTL_APPLYSET=true kubectl ")
	if !found || !piped {
		t.Fatalf("no command is printed:\n%s", errs)
	}
	command := strings.Fields(printed)
	for _, step := range []struct{ roles, shards int }{{1800, shards}, {3, 1}, {1800, shards}} {
		text, _ := build(t, i, step.roles)
		if out, err := kubectl(t, i.Server, text, []string{"KUBECTL_APPLYSET=true"}, command...); err != nil {
			t.Fatalf("kubectl %s: %v\n%s", printed, err, out)
		}
		names, err := kubectl(t, i.Server, "", nil, "get", "configmap", "-n", "colocate-system", "-l", "colocate.dev/definitions=v1", "-o", "name")
		if err != nil || len(strings.Fields(names)) != step.shards {
			t.Errorf("%d roles: %v\n%s\nwant %d ConfigMaps", step.roles, err, names, step.shards)
		}
	}

	// Just below the warning, client-side apply still works.
	for roles := 50; ; roles += 50 {
		if _, errs := build(t, i, roles); strings.Contains(errs, "kubectl apply without --server-side") {
			text, _ := build(t, i, roles-50)
			text = strings.ReplaceAll(text, "name: colocate-definitions\n", "name: by-hand\n")
			if out, err := kubectl(t, i.Server, text, nil, "apply", "-f", "-"); err != nil {
				t.Errorf("client-side apply of %d roles: %v\n%s", roles-50, err, out)
			}
			break
		}
	}
}

func build(t *testing.T, i *product.Installation, roles int) (stdout, stderr string) {
	t.Helper()
	text := strings.Replace(manifest, "IMAGE", "example.org/x:1", 1)
	for n := range roles {
		text += fmt.Sprintf(`- name: role-%d
  jobs: [{name: nginx, release_name: nginx}]
  extra-pod-containers: [log-forwarder]
  run: {memory: 1, shared-volumes: [{path: /mnt/share/%s, tag: common-share, empty-dir: true}]}
`, n, strings.Repeat("x", 300))
	}
	file := filepath.Join(i.Folder, "large.yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := i.Command(t, "", "build", file)
	if code != 0 {
		t.Fatalf("build: %s", stderr)
	}
	return stdout, stderr
}

// bareServer is an API server on which nothing of colocate is installed.
func bareServer(t *testing.T) *product.Installation {
	t.Helper()
	i := &product.Installation{Folder: t.TempDir(), Server: apiserver.StartForTest(t, apiserver.Options{})}
	var err error
	if i.Binary, err = product.Build(t.Context(), i.Folder); err != nil {
		t.Fatal(err)
	}
	return i
}

// leftovers are all objects that carry our label, but the namespace and definitions.
func leftovers(t *testing.T, s *apiserver.Server) string {
	t.Helper()
	const kinds = "deployments,services,serviceaccounts,secrets,roles,rolebindings,clusterroles,clusterrolebindings,poddisruptionbudgets,networkpolicies," +
		"mutatingwebhookconfigurations,validatingwebhookconfigurations,validatingadmissionpolicies,validatingadmissionpolicybindings"
	out, err := kubectl(t, s, "", nil, "get", kinds, "-A", "-l", "app.kubernetes.io/part-of=colocate", "-o", "name", "--ignore-not-found")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}
