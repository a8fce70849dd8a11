package product

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"colocate.dev/colocate/e2e/apiserver"
	"colocate.dev/colocate/manifests"
)

// Install applies the base to the API server, with the webhooks reached at a URL
// such as "https://127.0.0.1:9443", or through the Service where url is "", and
// returns the path of a kubeconfig, in folder, with the rights of the webhook's
// ServiceAccount and no others.
func Install(ctx context.Context, server *apiserver.Server, url, folder string) (kubeconfig string, err error) {
	text, err := manifests.Render()
	if err != nil {
		return "", err
	}
	objects, err := apiserver.Objects(text)
	if err != nil {
		return "", err
	}
	if url != "" {
		if err := apiserver.PointWebhooksAt(url, nil, objects...); err != nil {
			return "", err
		}
	}
	if err := server.Apply(ctx, objects...); err != nil {
		return "", err
	}
	for _, namespace := range []string{manifests.Namespace, metav1.NamespaceDefault} {
		if err := server.EnsureServiceAccount(ctx, namespace); err != nil {
			return "", err
		}
	}
	return accountKubeconfig(ctx, server, folder)
}

// accountKubeconfig asks for a token of the webhook's ServiceAccount, as the
// kubelet does for a pod.
func accountKubeconfig(ctx context.Context, server *apiserver.Server, folder string) (string, error) {
	client, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		return "", err
	}
	hours := int64(24 * 3600)
	token, err := client.CoreV1().ServiceAccounts(manifests.Namespace).CreateToken(ctx, "colocate",
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &hours}}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("token of the webhook's service account: %w", err)
	}
	const name = "webhook"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: server.URL(), CertificateAuthorityData: server.Config().CAData}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: manifests.Namespace}
	config.CurrentContext = name
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(folder, "webhook.kubeconfig")
	return path, clientcmd.WriteToFile(*config, path)
}
