package e2e

import (
	"testing"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestStateOfOldNode: until Node 18, only the running process shows where a thread's isolate is, and here hotspan
// starts before V8. All samples of a thread without an isolate are in the state other.
func TestStateOfOldNode(t *testing.T) {
	node, err := nodes.Path(nodes.Versions()[0].Version)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MODE", "alloc")
	t.Setenv("DURATION_MS", "2500")
	samples, _ := recordCommand(t, 499, node, "--expose-gc", "../programs/functions.js")
	var known judge.Share
	collections := 0
	for _, s := range samples {
		if s.TID != s.PID {
			continue
		}
		if known.Count(s.State != "other"); s.State == "gc" {
			collections++
		}
	}
	atLeast(t, known, "samples of the main thread with a state", 30, 100)
	if collections == 0 {
		t.Error("no sample is in a collection, and the program does little else")
	}
}
