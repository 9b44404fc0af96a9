package pprofx

import (
	"testing"
	"time"
)

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
