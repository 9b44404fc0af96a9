package e2e

import (
	"strconv"
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
	const enough = 100
	var known judge.Share
	collections := 0
	untilEnough(t, func(times int) bool {
		t.Setenv("DURATION_MS", strconv.Itoa(2500*times))
		samples, _ := recordCommand(t, 499, node, "--expose-gc", "../programs/functions.js")
		known = judge.Share{}
		for _, s := range samples {
			if s.TID != s.PID {
				continue
			}
			if known.Count(s.State != "other"); s.State == "gc" {
				collections++
			}
		}
		return known.Whole >= enough && known.Percent() >= 30
	})
	atLeast(t, known, "samples of the main thread with a state", 30, enough)
	if collections == 0 {
		t.Error("no sample is in a collection, and the program does little else")
	}
}
