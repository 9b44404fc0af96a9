package cli

import (
	"crypto/tls"
	"fmt"
	"os"
	"strings"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/client"
)

// connectFlags say where an agent listens.
type connectFlags struct {
	Socket    string `default:"${socketpath}" help:"Socket of the agent (${default})." placeholder:"PATH"`
	Connect   string `help:"Connect to an agent's --listen instead, by TLS." placeholder:"HOST:PORT"`
	CA        string `name:"ca" help:"File with the certificates that may have signed the agent's." placeholder:"FILE"`
	TokenFile string `help:"File with the token that the agent wants with --connect." placeholder:"FILE"`
}

func (v *connectFlags) dial() (*client.Client, error) {
	if v.Connect == "" {
		return client.Dial(v.Socket)
	}
	token, err := readToken(v.TokenFile)
	if err != nil {
		return nil, exit.Usage(err)
	}
	config := &tls.Config{}
	if v.CA != "" {
		if config.RootCAs, err = certificates(v.CA); err != nil {
			return nil, exit.Usage(err)
		}
	}
	return client.DialTLS(v.Connect, token, config)
}

// readToken reads a secret that callers over the network send.
func readToken(file string) (string, error) {
	b, err := os.ReadFile(file)
	token := strings.TrimSpace(string(b))
	if err == nil && len(token) < 16 {
		err = fmt.Errorf("%s: want a token of at least 16 characters", file)
	}
	return token, err
}
