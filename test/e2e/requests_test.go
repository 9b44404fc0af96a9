package e2e

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestRequests: sixteen requests at a time, interleaved through all kinds of continuation; each sample must have the
// labels of the request whose code ran, in collections too, and none where none did.
func TestRequests(t *testing.T) {
	for _, mode := range []string{"plain", "gc"} {
		t.Run(mode, func(t *testing.T) {
			eachFrameNode(t, func(t *testing.T, node string, flags []string) {
				if mode == "gc" {
					flags = append(flags, "--max-semi-space-size=1")
				}
				p := start(t, node, "requests.js", flags, []string{"MODE=" + mode})
				samples := record(t, p.PID, 1997, 5*time.Second, judge.RequestRules...)
				v := judge.CompareLabels(samples, p.truth(t), judge.RequestLabels)
				tell(t, v.Examples.List())
				atLeast(t, v.Right, "samples in request code labelled right", 99.5, 5000)
				t.Logf("in collections: %v; missing: %v", v.GC, v.Missing)
				if v.Wrong > 0 || v.Outside > 0 {
					t.Errorf("%d samples with wrong labels, %d labelled where no request ran, want none", v.Wrong, v.Outside)
				}
			})
		})
	}
}
