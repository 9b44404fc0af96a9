package e2e

import (
	"slices"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestStateOfOldNode: until Node 18 it takes a look at the running process to know where a thread's isolate is, and here
// hotspan is there before V8 is. The program collects garbage all the time: samples must say so.
func TestStateOfOldNode(t *testing.T) {
	node, err := nodes.Path(nodes.Versions()[0].Version)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MODE", "alloc")
	t.Setenv("DURATION_MS", "2500")
	samples, _ := recordCommand(t, 499, node, "--expose-gc", "../programs/functions.js")
	var collecting, marked judge.Share
	for _, s := range samples {
		if s.TID != s.PID {
			continue
		}
		if collecting.Count(s.State == "gc"); s.State == "gc" {
			marked.Count(slices.ContainsFunc(s.Stack, func(f judge.Frame) bool { return f.F == "[gc scavenge]" || f.F == "[gc mark-compact]" }))
		}
	}
	atLeast(t, collecting, "samples of the main thread in collections", 2, 200)
	atLeast(t, marked, "of these with a mark", 20, 5)
}
