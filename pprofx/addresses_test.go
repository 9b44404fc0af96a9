package pprofx

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSharedStacksChangeNothing gives two Builders the same random samples, to one of them as shared, under limits
// that are reached and others that are not. Their snapshots must be equal.
func TestSharedStacksChangeNothing(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := newGenerator(r)
		var pool []*Sample // stacks and labels at addresses that come again, equal ones at other addresses
		for range 1 + r.IntN(40) {
			s := g.sample(0)
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
		frames, stacks, sets := 1+r.IntN(30), 1+r.IntN(30), r.IntN(30)
		byValue, byAddress := newTestBuilder(0, 1), newTestBuilder(0, 1)
		byValue.tables, byAddress.tables = newTables(frames, stacks, sets), newTables(frames, stacks, sets)
		for cut := range int64(3) {
			for range r.IntN(200) {
				s := *pick(r, pool...)
				s.Time = cut*1000 + r.Int64N(1500)
				byValue.Add(&s)
				s.Shared = true
				byAddress.Add(&s)
			}
			want, got := byValue.Cut((cut+1)*1000), byAddress.Cut((cut+1)*1000)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %d frames, %d stacks, %d label sets: %s", seed, frames, stacks, sets, diff)
			}
			checkTables(t, got)
		}
	}
}

// TestAddressesAreBounded: a caller that never passes the same slices twice does not make the tables grow.
func TestAddressesAreBounded(t *testing.T) {
	b := newTestBuilder(0, 1)
	for range 1000 {
		s := hotSample()
		s.Shared = true
		b.Add(s)
	}
	stacks, labels := len(b.tables.stackAddresses), len(b.tables.labelAddresses)
	if stacks != addressesPerValue || labels != 2*addressesPerValue { // there is the empty set too
		t.Errorf("%d addresses of stacks and %d of labels", stacks, labels)
	}
	if s := b.Cut(1); len(s.Stacks) != 1 || len(s.LabelSets) != 2 || len(s.Rows) != 1000 {
		t.Errorf("%d stacks and %d label sets in %d rows", len(s.Stacks), len(s.LabelSets), len(s.Rows))
	}
}

// BenchmarkAddKnown adds samples of 200 stacks and label sets that were seen before, by turns as shared and not.
func BenchmarkAddKnown(b *testing.B) {
	var samples []*Sample
	for range 200 {
		samples = append(samples, hotSample())
		samples[len(samples)-1].Stack[0].Line = 100 + len(samples)
		samples[len(samples)-1].Labels[1].Str = time.Duration(len(samples)).String()
	}
	builder := newTestBuilder(0, 1)
	builder.rows = make([]Row, 0, 1<<16)
	b.ReportAllocs()
	var took [2]time.Duration
	n := 0
	for b.Loop() {
		for kind := range took {
			start := time.Now()
			for _, s := range samples {
				s.Shared = kind == 1
				builder.Add(s)
			}
			took[kind] += time.Since(start)
			builder.rows = builder.rows[:0]
		}
		n += len(samples)
	}
	b.ReportMetric(float64(took[0].Nanoseconds())/float64(n), "ns/by-value")
	b.ReportMetric(float64(took[1].Nanoseconds())/float64(n), "ns/shared")
	b.ReportMetric(float64(took[0])/float64(took[1]), "ratio")
}
