package e2e

import (
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestStart: the first stacks of a command that hotspan starts are whole too, except for those taken while libraries
// are mapped.
func TestStart(t *testing.T) {
	list := nodes.Versions()
	node, err := nodes.Path(list[len(list)-1].Version)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MODE", "plain")
	t.Setenv("DURATION_MS", "300")
	samples, _ := recordCommand(t, 1997, node, "--expose-gc", "../programs/functions.js")
	v := judge.CompareReach(samples, samples[0].PID)
	tell(t, v.Examples.List())
	atLeast(t, v.Root, "stacks of the first half second that are whole", 90, 200)
}
