package e2e

import (
	"testing"

	"github.com/hotspan/hotspan/test/draw"
)

// TestHitPlaces: hits have their whole stack and their request at each instruction that makes a frame, and in a signal
// handler, across the frame that the kernel has made for the signal.
func TestHitPlaces(t *testing.T) {
	t.Parallel()
	draw.Quarter(t, seldom)
	eachNode(t, func(t *testing.T, node string) {
		library := addon(t, node, "probed.c")
		t.Run("prologue", func(t *testing.T) {
			const framed = "uprobe:probed.node:framed"
			probes := []string{framed, framed + "+1", framed + "+4", framed + "+5", framed + "+9"}
			r := recordAddon(t, node, library, "framed", probes)
			for _, probe := range probes {
				if callers := countHits(t, &r, probe, 1); callers["framed < call_framed"] != r.sum() {
					t.Errorf("%s: stacks are %v", probe, callers)
				}
			}
		})
		t.Run("signal handler", func(t *testing.T) {
			const handled = "uprobe:probed.node:handled"
			r := recordAddon(t, node, library, "signal", []string{handled})
			if callers := countHits(t, &r, handled, 1); callers["handled < handle_signal"] != r.sum() {
				t.Errorf("stacks are %v", callers)
			}
		})
	})
}
