package apiserver

import (
	"context"
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// settleTimeout is how long the API server may take to make what it makes itself.
const settleTimeout = 20 * time.Second

// URL is where the API server answers, by its loopback address where it listens
// on every one.
func (s *Server) URL() string {
	host, port, _ := net.SplitHostPort(s.address.api)
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "https://" + net.JoinHostPort(host, port)
}

func (s *Server) config() *rest.Config {
	return &rest.Config{
		Host:            s.URL(),
		BearerToken:     s.secrets.token,
		TLSClientConfig: rest.TLSClientConfig{CAData: s.secrets.ca},
		QPS:             -1,
	}
}

// writeKubeconfig writes what Kubeconfig names.
func (s *Server) writeKubeconfig() error {
	const name = "colocate-test"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: s.URL(), CertificateAuthorityData: s.secrets.ca}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: s.secrets.token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, s.Kubeconfig())
}

// ready asks the API server's readiness page.
func (s *Server) ready(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(s.config())
	if err != nil {
		return err
	}
	return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

// CreateNamespace makes a namespace with the given labels (nil for none) and, as
// the controller manager would, its ServiceAccount "default", without which no
// pod can be created there. A namespace that exists is an error.
func (s *Server) CreateNamespace(ctx context.Context, name string, labels map[string]string) error {
	client, err := kubernetes.NewForConfig(s.config())
	if err != nil {
		return err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("namespace %q: %w", name, err)
	}
	return s.EnsureServiceAccount(ctx, name)
}

// EnsureServiceAccount makes the ServiceAccount "default" of a namespace where it is
// missing: for namespaces that came otherwise than through CreateNamespace. The API
// server's own namespaces may appear a moment after it has become ready.
func (s *Server) EnsureServiceAccount(ctx context.Context, namespace string) error {
	client, err := kubernetes.NewForConfig(s.config())
	if err != nil {
		return err
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	return retry(ctx, func() error {
		_, err := client.CoreV1().ServiceAccounts(namespace).Create(ctx, account, metav1.CreateOptions{})
		if err == nil || apierrors.IsAlreadyExists(err) {
			return nil
		}
		return fmt.Errorf("service account %q of namespace %q: %w", account.Name, namespace, err)
	})
}

// retry repeats what fails for as long as a control plane takes to settle, and
// gives the last error.
func retry(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	for {
		err := do()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}
