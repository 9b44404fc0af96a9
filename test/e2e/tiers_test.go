package e2e

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// TestTiers: in code of each tier, the leaf's line is in its function, callers are at their true call sites, and no
// inlined function is missing.
func TestTiers(t *testing.T) {
	t.Parallel()
	for _, tier := range trial.Tiers {
		t.Run(tier.Name, func(t *testing.T) {
			eachNode(t, func(t *testing.T, node string) {
				flags, ok := tier.Flags(versionOf(node))
				if !ok {
					return // there is nothing to look at
				}
				p := start(t, node, "tiers.js", flags, []string{"TIER=" + tier.Name})
				samples := recordEnoughJS(t, hotspan, p.PID, 1997, 2500, 2500*time.Millisecond)
				l := p.truth(t)
				v := compare(t, samples, l)
				inTime(t, v.Right, "leaf function right", 99, 2000)
				atLeast(t, v.LeafLine, "leaf line inside the function", 99, 2000)
				inTime(t, v.Callers, "caller right", 99, 2000)
				atLeast(t, v.Line, "caller's line right", 99, 2000)
				atLeast(t, v.Column, "caller's column right", 99, 2000)
				inlinedKept(t, samples, l, 2000)
			})
		})
	}
}

// inlinedKept checks that frames have their tier, and that the chain below burst, into which V8 inlines it, is whole
// and marked as inlined.
func inlinedKept(t *testing.T, samples []judge.Sample, l *truth.Log, enough int) {
	t.Helper()
	v := judge.CompareChains(samples, l)
	atLeast(t, v.Tier, "tier right", 99, enough)
	if l.Header.Inlined {
		atLeast(t, v.Whole, "inlined callees kept", 99, enough)
		atLeast(t, v.Marked, "inlined callees marked", 99, enough)
	}
}
