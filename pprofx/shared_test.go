package pprofx_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

// TestSharedStacksChangeNothing gives two Builders the same random samples, to one of them as shared, under limits
// that are reached and others that are not. Their snapshots must be equal.
func TestSharedStacksChangeNothing(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := pprofxtest.NewGenerator(r)
		var pool []*pprofx.Sample // stacks and labels at addresses that come again, equal ones at other addresses
		for range 1 + r.IntN(40) {
			s := g.Sample(0)
			pool = append(pool, s)
			if r.IntN(3) == 0 {
				same := *s
				same.Stack, same.Labels = slices.Clone(s.Stack), slices.Clone(s.Labels)
				pool = append(pool, &same)
			}
			if n := len(s.Stack); r.IntN(3) == 0 && n > 1 {
				part := *s // another stack at the same address
				part.Stack = s.Stack[:n-1]
				pool = append(pool, &part)
			}
		}
		limits := pprofx.Limits{Frames: 1 + r.IntN(30), Stacks: 1 + r.IntN(30), LabelSets: 1 + r.IntN(30)}
		byValue, byAddress := pprofxtest.NewBuilder(0, 1), pprofxtest.NewBuilder(0, 1)
		byValue.SetLimits(limits)
		byAddress.SetLimits(limits)
		for cut := range int64(3) {
			for range r.IntN(200) {
				s := *pprofxtest.Pick(r, pool...)
				s.Time = cut*1000 + r.Int64N(1500)
				byValue.Add(&s)
				s.Shared = true
				byAddress.Add(&s)
			}
			want, got := byValue.Cut((cut+1)*1000), byAddress.Cut((cut+1)*1000)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %+v: %s", seed, limits, diff)
			}
			checkTables(t, got)
		}
	}
}
