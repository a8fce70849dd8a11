package localnode

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// validity is far longer than any node lives.
const validity = 30 * 24 * time.Hour

// credentials makes the authority, the API server's certificate, the key that
// signs ServiceAccount tokens, and the administrator's token, and returns the
// authority's certificate and the token.
func (l layout) credentials() (ca []byte, token string, err error) {
	token = rand.Text()
	caKey, caKeyPEM, err := newKey()
	if err != nil {
		return nil, "", err
	}
	authority := certificate("localnode-ca")
	authority.IsCA, authority.BasicConstraintsValid = true, true
	authority.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	if ca, err = sign(authority, authority, caKey.Public(), caKey); err != nil {
		return nil, "", err
	}
	servingKey, servingKeyPEM, err := newKey()
	if err != nil {
		return nil, "", err
	}
	serving := certificate("kube-apiserver")
	serving.KeyUsage = x509.KeyUsageDigitalSignature
	serving.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	serving.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	for _, address := range []string{nodeAddress, "127.0.0.1", firstService} {
		serving.IPAddresses = append(serving.IPAddresses, net.ParseIP(address))
	}
	servingPEM, err := sign(serving, authority, servingKey.Public(), caKey)
	if err != nil {
		return nil, "", err
	}
	_, accountsPEM, err := newKey()
	if err != nil {
		return nil, "", err
	}
	for name, text := range map[string][]byte{
		"ca.crt": ca, "ca.key": caKeyPEM, "serving.crt": servingPEM, "serving.key": servingKeyPEM,
		"accounts.key": accountsPEM, "tokens.csv": []byte(token + `,admin,admin,"system:masters"` + "\n"),
	} {
		if err := os.WriteFile(l.path("pki", name), text, 0o600); err != nil {
			return nil, "", err
		}
	}
	return ca, token, nil
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

func certificate(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(validity),
	}
}

func sign(subject, issuer *x509.Certificate, public crypto.PublicKey, key *ecdsa.PrivateKey) ([]byte, error) {
	raw, err := x509.CreateCertificate(rand.Reader, subject, issuer, public, key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), nil
}

// newKey gives a key and its PEM.
func newKey() (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	raw, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	return key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: raw}), nil
}
