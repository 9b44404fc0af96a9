package e2e

import (
	"testing"
)

// TestMarks: a USDT probe is hit at each of its places, and where its semaphore says that somebody listens.
func TestMarks(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		const mark, listened = "usdt:probed.node:hotspan_test:mark", "usdt:probed.node:hotspan_test:listened"
		r := recordAddon(t, node, addon(t, node, "probed.c"), "mark", []string{mark, listened})
		for probe, functions := range map[string][]string{
			mark: {"mark_here", "mark_there"}, listened: {"mark_for_listeners"},
		} {
			callers := countHits(t, &r, probe, len(functions))
			for _, f := range functions {
				if n := callers[f+" < call_marks"]; n != r.sum() {
					t.Errorf("%s: %d hits in %s, want %d, of %v", probe, n, f, r.sum(), callers)
				}
			}
		}
	})
}
