package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestProbeValues: samples of a probe weigh what the function returns. TestRecipes has arguments.
func TestProbeValues(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		library := addon(t, node, "probed.c")
		t.Run("results", func(t *testing.T) { // descend returns 1 to 8
			r := recordAddon(t, node, library, "descend", []string{"uretprobe:probed.node:descend,value=ret"})
			compareWeights(t, &r, "call_descend", 36, 8)
			if want := fmt.Sprintf(": %d hits, value %d\n", 8*r.sum(), 36*r.sum()); !strings.Contains(r.said, want) {
				t.Errorf("%q is not said", want)
			}
		})
		t.Run("negative", func(t *testing.T) {
			r := recordAddon(t, node, library, "negative", []string{"uretprobe:probed.node:negative,value=ret"})
			compareWeights(t, &r, "call_negative", 0, 0)
			want := fmt.Sprintf(": %d hits, %[1]d of them without a value, which is over 2^40\n", r.sum())
			if !strings.Contains(r.said, want) {
				t.Errorf("%q is not said", want)
			}
		})
	})
}

// compareWeights compares the weights of the samples in a function with the calls of each request, which have so much
// each. most is the most that one sample has: those that lack their request, which hotspan must have counted, have no
// more together.
func compareWeights(t *testing.T, r *probed, function string, each, most int) {
	t.Helper()
	got, want := map[string]int{}, map[string]int{}
	for request, n := range r.Called {
		want[request] = n * each
		got[request] = 0
	}
	for _, s := range r.samples {
		for _, f := range s.Stack {
			if f.F == function {
				got[endpoint(&s)] += int(s.Weight)
				break
			}
		}
	}
	compareHits(t, function, want, got, unlabelledOf(r.said)*most)
	lostOf(t, r.said)
}
