package report

import (
	"math/rand/v2"
	"testing"
)

// In whatever order snapshots come, and however they overlap, a report says when the first begins, when the last ends,
// and for how long there is none between them.
func TestCovered(t *testing.T) {
	const most = 100
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		var c covered
		var has [most]bool
		for range 1 + r.IntN(12) {
			start := r.IntN(most)
			end := start + r.IntN(min(most-start, 20)) + 1
			c = c.add(int64(start), int64(end))
			for i := start; i < end; i++ {
				has[i] = true
			}
		}
		first, last, without := -1, 0, int64(0)
		for i, is := range has {
			switch {
			case is && first < 0:
				first, last = i, i
			case is:
				without += int64(i - last - 1)
				last = i
			}
		}
		start, end, gaps := c[0][0], c[len(c)-1][1], c.gaps()
		if start != int64(first) || end != int64(last+1) || gaps != without {
			t.Fatalf("%v: %d to %d without %d, want %d to %d without %d", c, start, end, gaps, first, last+1, without)
		}
	}
}
