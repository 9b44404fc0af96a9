package e2e

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
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
	file := filepath.Join(t.TempDir(), "out.jsonl")
	r := run(t, "record", "-F", "499", "-o", file, "--", node, "--expose-gc", "../programs/functions.js", filepath.Join(t.TempDir(), "log"))
	t.Logf("%s", r.stderr)
	var collecting, marked share
	for _, s := range readSamples(t, file) {
		if s.TID != s.PID {
			continue
		}
		if collecting.count(s.State == "gc"); s.State == "gc" {
			marked.count(slices.ContainsFunc(s.Stack, func(f frame) bool { return f.F == "[gc scavenge]" || f.F == "[gc mark-compact]" }))
		}
	}
	collecting.atLeast(t, "samples of the main thread in collections", 2, 200)
	marked.atLeast(t, "of these with a mark", 20, 5)
}
