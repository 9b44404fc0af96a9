package symbols

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestByAddress: candidates are in the order of a stable sort, wherever their addresses are.
func TestByAddress(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, span := range []uint64{1, 2, 1 << digit, 1<<digit + 1, 1 << 30, 1 << 62, 1<<64 - 1} {
		for _, n := range []int{0, 1, 2, 5000} {
			all := make([]candidate, n)
			for i := range all {
				all[i] = candidate{start: ^uint64(0) - r.Uint64N(span), name: uint32(i)}
			}
			want := slices.Clone(all)
			slices.SortStableFunc(want, func(a, b candidate) int { return cmp.Compare(a.start, b.start) })
			if got := byAddress(all); !slices.Equal(got, want) {
				t.Errorf("%d addresses of %d: not sorted", n, span)
			}
		}
	}
}
