package e2e

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestRequests: sixteen requests at a time, interleaved through all kinds of continuation; each sample must have the
// labels of the request whose code ran, in collections too, and none where none did.
func TestRequests(t *testing.T) {
	for _, mode := range []string{"plain", "gc"} {
		t.Run(mode, func(t *testing.T) {
			eachFrameNode(t, func(t *testing.T, node string, flags []string) {
				requests(t, node, mode, flags, 5*time.Second, bound{99.5, 5000})
			})
		})
	}
}

// bound is how many samples there must be in the code of requests, and how many percent of them labelled right. The
// others were met before their hidden classes were learnt, of which there are more where resources have the stores.
type bound struct {
	percent float64
	samples int
}

// requests samples requests.js.
func requests(t *testing.T, node, mode string, flags []string, d time.Duration, least bound) {
	if mode == "gc" {
		flags = append(flags, "--max-semi-space-size=1")
	}
	p := start(t, node, "requests.js", flags, []string{"MODE=" + mode})
	samples := record(t, p.PID, 1997, d, judge.RequestRules...)
	compareLabels(t, samples, p.truth(t), judge.RequestLabels, least)
}

// compareLabels asks for labels of which none is wrong, and for as many right ones as least says.
func compareLabels(t *testing.T, samples []judge.Sample, l *truth.Log, want func(*truth.Label) map[string]any, least bound) {
	t.Helper()
	v := judge.CompareLabels(samples, l, want)
	tell(t, v.Examples.List())
	atLeast(t, v.Right, "samples in request code labelled right", least.percent, least.samples)
	t.Logf("in collections: %v; missing: %v", v.GC, v.Missing)
	if v.Wrong > 0 || v.Outside > 0 {
		t.Errorf("%d samples with wrong labels, %d labelled where no context is valid, want none", v.Wrong, v.Outside)
	}
}
