package e2e

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth"
)

// tiers are V8's compilers and the flags that make a program's code stay with one.
var tiers = []struct {
	name  string
	flags []string
}{
	{"ignition", []string{"--no-sparkplug", "--no-opt"}},
	{"sparkplug", []string{"--always-sparkplug", "--no-opt"}},
	{"maglev", []string{"--no-turbofan"}},
	{"turbofan", nil},
}

// tierFlags are the flags of a tier for a version; false where the version does not have it.
func tierFlags(v nodes.Version, name string, flags []string) ([]string, bool) {
	switch {
	case !v.Maglev() || name == "turbofan":
		return flags, name != "maglev"
	case name == "maglev":
		return append([]string{"--maglev"}, flags...), true
	}
	return append([]string{"--no-maglev"}, flags...), true
}

// TestTiers: in code of each tier, the leaf's line lies inside its function, callers are at their true call sites, and
// no inlined function is missing.
func TestTiers(t *testing.T) {
	for _, tier := range tiers {
		t.Run(tier.name, func(t *testing.T) {
			eachNode(t, func(t *testing.T, node string) {
				flags, ok := tierFlags(versionOf(node), tier.name, tier.flags)
				if !ok {
					return // there is nothing to look at
				}
				p := start(t, node, "tiers.js", flags, []string{"TIER=" + tier.name, "DURATION_MS=8000"})
				samples := record(t, p.pid, 997, 4*time.Second)
				l := p.truth(t)
				v := compare(t, samples, l)
				v.right.atLeast(t, "leaf function right", 99, 2000)
				v.leafLine.atLeast(t, "leaf line inside the function", 99, 2000)
				v.callers.atLeast(t, "caller right", 99, 2000)
				v.callerLine.atLeast(t, "caller's line right", 99, 2000)
				v.callerColumn.atLeast(t, "caller's column right", 99, 2000)
				inlinedKept(t, samples, l, tier.name, 2000)
			})
		})
	}
}

// inlinedKept checks that frames say of which tier they are, and that where V8 inlines, the chain below burst, which
// it is inlined into, is whole and marked.
func inlinedKept(t *testing.T, samples []sample, l *truth.Log, tier string, enough int) {
	t.Helper()
	var rightTier, whole, marked share
	for i := range samples {
		want, ok := l.AtUnix(samples[i].T, samples[i].TID)
		js := samples[i].js()
		if !ok || len(want.Stack) == 0 || len(js) < len(want.Stack) || js[0].F != want.Stack[0].Function {
			continue
		}
		rightTier.count(js[0].Tier == tier)
		if !l.Header.Inlined {
			continue
		}
		n := 0
		for n < len(want.Stack) && js[n].is(want.Stack[n].Function, want.Stack[n].File) {
			n++
		}
		whole.count(n == len(want.Stack))
		marked.count(js[1].Inlined)
	}
	rightTier.atLeast(t, "tier right", 99, enough)
	if l.Header.Inlined {
		whole.atLeast(t, "inlined callees kept", 99, enough)
		marked.atLeast(t, "inlined callees marked", 99, enough)
	}
}
