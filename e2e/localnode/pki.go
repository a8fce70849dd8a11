package localnode

import (
	"crypto/rand"
	"net"
	"os"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"colocate.dev/colocate/e2e/pki"
)

// credentials makes the authority, the API server's certificate, the key that
// signs ServiceAccount tokens, and the administrator's token, and returns the
// authority's certificate and the token.
func (l layout) credentials() (ca []byte, token string, err error) {
	token = rand.Text()
	authority, err := pki.NewAuthority("localnode-ca")
	if err != nil {
		return nil, "", err
	}
	servingPEM, servingKeyPEM, err := authority.APIServer(net.ParseIP(nodeAddress), net.ParseIP("127.0.0.1"), net.ParseIP(firstService))
	if err != nil {
		return nil, "", err
	}
	_, accountsPEM, err := pki.NewKey()
	if err != nil {
		return nil, "", err
	}
	for name, text := range map[string][]byte{
		"ca.crt": authority.PEM, "ca.key": authority.KeyPEM, "serving.crt": servingPEM, "serving.key": servingKeyPEM,
		"accounts.key": accountsPEM, "tokens.csv": []byte(token + `,admin,admin,"system:masters"` + "\n"),
	} {
		if err := os.WriteFile(l.path("pki", name), text, 0o600); err != nil {
			return nil, "", err
		}
	}
	return authority.PEM, token, nil
}

// writeKubeconfig writes the administrator's way to the API server at address, a
// host with a port.
func writeKubeconfig(path, address string, ca []byte, token string) error {
	const name = "localnode"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: "https://" + address, CertificateAuthorityData: ca}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, path)
}
