package e2e

import (
	"slices"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// TestRecipes: what a recipe counts is what the program has done, by request.
func TestRecipes(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	inCode := func(names ...string) func(*judge.Sample) bool { // of the program, not of Node beside it
		return func(s *judge.Sample) bool {
			return slices.ContainsFunc(s.Stack, func(f judge.Frame) bool { return slices.Contains(names, f.F) })
		}
	}
	for _, c := range []struct {
		recipe, function string
		hits             int // of a call
		counts           func(*judge.Sample) bool
	}{
		{"throw", "throwing", 5, inCode("throwing")},
		{"file", "opening", 2, inCode("opening", "worker")},
		{"exec", "spawning", 1, inCode("spawning")},
		{"gc", "collecting", 1, inCode("v8::internal::GCExtension::GC")},
		{"malloc", "take", 6, inCode("take")},
	} {
		t.Run(c.recipe, func(t *testing.T) {
			eachNode(t, func(t *testing.T, node string) {
				env := []string{"REQUESTS=30", "FUNCTION=" + c.function}
				if c.function == "take" {
					env = append(env, "ADDON="+addon(t, node, "probed.c"))
				}
				r := recordProbes(t, node, env, []string{c.recipe}, "--probe-limit", "1000000")
				got, want := map[string]int{}, map[string]int{}
				for request, n := range r.Called {
					want[request] = n * c.hits
				}
				for _, s := range inRequests(r.samples) {
					if s.Labels["hotspan.probe"] != onOpen && c.counts(&s) {
						got[endpoint(&s)]++
					}
				}
				compareHits(t, c.recipe, want, got, unlabelledOf(r.said))
				if c.recipe == "malloc" { // of 1000, 2000, 3000, 4 times 1000, 9000 and 12000 bytes
					compareWeights(t, &r, "take", 31000, 12000)
				}
				if lost := lostOf(t, r.said); lost != 0 {
					t.Errorf("%d hits are lost", lost)
				}
			})
		})
	}
}
