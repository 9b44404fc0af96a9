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
	// On a slow machine one start has fewer samples than are significant.
	const enough, starts = 200, 8
	var root judge.Share
	for n := 0; n < starts && root.Whole < enough; n++ {
		samples, _ := recordCommand(t, 1997, node, "--expose-gc", "../programs/functions.js")
		v := judge.CompareReach(samples, samples[0].PID)
		tell(t, v.Examples.List())
		root.Part, root.Whole = root.Part+v.Root.Part, root.Whole+v.Root.Whole
	}
	atLeast(t, root, "stacks of the first half second that are whole", 90, enough)
}
