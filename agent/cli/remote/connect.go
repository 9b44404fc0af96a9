// Package remote asks a running agent: the verbs status and stream, and the flags that say where an agent listens.
package remote

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/client"
)

// ConnectFlags say where an agent listens.
type ConnectFlags struct {
	Socket    string `default:"${socketpath}" help:"Socket of the agent (${default})." placeholder:"PATH"`
	Connect   string `help:"Connect to an agent's --listen instead, by TLS." placeholder:"HOST:PORT"`
	CA        string `name:"ca" help:"File with the certificates that may have signed the agent's." placeholder:"FILE"`
	TokenFile string `help:"File with the token that the agent wants with --connect." placeholder:"FILE"`
}

// Dial connects to the agent. The caller closes the client.
func (v *ConnectFlags) Dial() (*client.Client, error) {
	if v.Connect == "" {
		return client.Dial(v.Socket)
	}
	if v.TokenFile == "" {
		return nil, exit.Usagef("--connect needs the --token-file that the agent has")
	}
	token, err := ReadToken(v.TokenFile)
	if err != nil {
		return nil, exit.Usage(err)
	}
	config := &tls.Config{}
	if v.CA != "" {
		if config.RootCAs, err = Certificates(v.CA); err != nil {
			return nil, exit.Usage(err)
		}
	}
	return client.DialTLS(v.Connect, token, config)
}

// ReadToken reads a secret that callers over the network send.
func ReadToken(file string) (string, error) {
	b, err := os.ReadFile(file)
	token := strings.TrimSpace(string(b))
	if err == nil && len(token) < 16 {
		err = fmt.Errorf("%s: want a token of at least 16 characters", file)
	}
	return token, err
}

// Certificates reads certificates that may sign others.
func Certificates(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: no certificate", file)
	}
	return pool, nil
}
