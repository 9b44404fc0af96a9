package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/npm"
)

// TestAddonProposal runs the tests of what Node's own proposal describes, with the npm package and an agent.
func TestAddonProposal(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	app, err := npm.App("../..")
	if err != nil {
		t.Fatal(err)
	}
	a := startAgent(t, "--name", "no process has this name")
	for _, r := range addonRuns {
		if !*all && r.version != "20.20.2" && r.version != "26.10.0" {
			continue
		}
		name := r.version
		var flags []string
		node, err := nodes.Path(r.version)
		if err != nil {
			t.Fatal(err)
		}
		if r.frame {
			name += "/frame"
			flags, _ = versionOf(node).AsyncContextFrame()
		}
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(node, append(flags, "--expose-gc", "../programs/addon_proposal.js")...)
			cmd.Env = append(os.Environ(), "AGENT="+a.socket, "HOTSPAN="+filepath.Join(app, "node_modules/hotspan"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	a.stop(t)
}
