package watch_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/cli"
	"github.com/hotspan/hotspan/agent/cli/exit"
)

// A flag that would have no effect is an error: an agent has its own settings, and top has none to ask if it samples.
func TestTopUselessFlags(t *testing.T) {
	none := "--socket=" + t.TempDir() + "/none"
	for says, args := range map[string][]string{
		"--rate, --label: an agent samples as its": {none, "-F", "99", "--label", "tenant=user.tenant", "-n", "1"},
		"--rules: an agent":                        {"--rules", "x.yaml", none},
		"--labels, --source-maps, --cache: an":     {"--labels", "none", "--no-source-maps", "--no-cache"},
		"--ring-buffer, --verbose: an agent":       {"--ring-buffer", "4", "-v"},
		"--socket: with processes to profile":      {none, "-p", "4194304"},
		"--connect, --ca: with processes":          {"--connect", "x:1", "--ca", "y", "--", "node"},
		"to profile without an agent say what":     {none, "-n", "1"},
		"executable file not found":                {"-F", "49", "--", "no-such-command"},
	} {
		var out, said bytes.Buffer
		code := cli.Main(append([]string{"top"}, args...), &out, &said)
		if code == exit.Done || !strings.Contains(said.String(), says) {
			t.Errorf("%v: code %d, %s", args, code, &said)
		}
	}
}
