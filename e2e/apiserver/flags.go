package apiserver

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
)

const (
	serviceRange        = "10.96.0.0/16"
	firstServiceAddress = "10.96.0.1"
)

// addresses are host and port of each listener.
type addresses struct {
	etcdClients, etcdPeers, api string
}

// freeAddresses finds three ports that nobody listens on. All are held until the
// last is found, so that they differ.
func freeAddresses(bind string) (addresses, error) {
	var found [3]string
	for i, host := range []string{"127.0.0.1", "127.0.0.1", bind} {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			return addresses{}, fmt.Errorf("find a free port: %w", err)
		}
		defer listener.Close()
		_, port, err := net.SplitHostPort(listener.Addr().String())
		if err != nil {
			return addresses{}, err
		}
		found[i] = net.JoinHostPort(host, port)
	}
	return addresses{etcdClients: found[0], etcdPeers: found[1], api: found[2]}, nil
}

// etcdFlags run etcd alone and without waiting for disks: a test's data need not
// survive the machine, only the program.
func (s *Server) etcdFlags() []string {
	clients, peers := "http://"+s.address.etcdClients, "http://"+s.address.etcdPeers
	return []string{
		"--name=test",
		"--data-dir=" + filepath.Join(s.dir, "etcd"),
		"--listen-client-urls=" + clients,
		"--advertise-client-urls=" + clients,
		"--listen-peer-urls=" + peers,
		"--initial-advertise-peer-urls=" + peers,
		"--initial-cluster=test=" + peers,
		"--unsafe-no-fsync",
		"--log-level=warn",
	}
}

// apiFlags are those of a production server where that changes what is admitted:
// RBAC, the default admission plugins, signed ServiceAccount tokens.
func (s *Server) apiFlags() []string {
	host, port, _ := net.SplitHostPort(s.address.api)
	flags := []string{
		"--etcd-servers=http://" + s.address.etcdClients,
		"--bind-address=" + host,
		"--secure-port=" + port,
		"--tls-cert-file=" + s.secrets.servingCertificate,
		"--tls-private-key-file=" + s.secrets.servingKey,
		"--token-auth-file=" + s.secrets.tokens,
		"--authorization-mode=Node,RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + s.secrets.accountKey,
		"--service-account-signing-key-file=" + s.secrets.accountKey,
		"--service-cluster-ip-range=" + serviceRange,
		"--allow-privileged=true",
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		// Endpoints cannot hold a loopback address, so none are written.
		flags = append(flags, "--advertise-address="+host, "--endpoint-reconciler-type=none")
	}
	if gates := s.options.featureGates(); gates != "" {
		flags = append(flags, "--feature-gates="+gates)
	}
	return append(flags, s.options.Flags...)
}

// etcdHealthy asks etcd's own health page.
func (s *Server) etcdHealthy(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address.etcdClients+"/health", http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("health page says %s", response.Status)
	}
	return nil
}
