package page

import (
	"math"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
)

// Ages tell what is at least so many milliseconds old, and a page without any has no room for them.
func TestAges(t *testing.T) {
	const ms = 1_000_000
	b, err := pprofx.NewBuilder(start, 1e7)
	if err != nil {
		t.Fatal(err)
	}
	ages := []int64{0, 1, ms - 1, ms, ms + 1, 500*ms - 1, 500 * ms, -1, -ms, -1 << 40, 1 << 52, start - 1}
	for i, age := range ages {
		at := start + int64(i)
		b.Add(&pprofx.Sample{Time: at, PID: 1, TID: 1, Start: at - age})
	}
	b.Add(&pprofx.Sample{Time: start + int64(len(ages)), PID: 1, TID: 1})
	snapshot := b.Cut(start + 1e9)
	got := decode(t, written(t, newWriter(nil, fullLimits), snapshot))
	if n := len(got.samples); n != len(ages)+1 || got.samples[n-1].Age != 0 {
		t.Fatalf("%d samples: %+v", n, got.samples)
	}
	for i, age := range ages {
		shown := got.samples[i].Age
		if shown < 1 || shown > math.MaxInt32 {
			t.Errorf("%d ns: %d", age, shown)
		}
		for _, limit := range []int{1, 2, 499, 500, 501, 100_000, math.MaxInt32 - 1} {
			if is := shown-1 >= limit; is != (age >= int64(limit)*ms) {
				t.Errorf("%d ns are shown as %d: at least %d ms is %v", age, shown, limit, is)
			}
		}
	}
	for i := range snapshot.Rows {
		snapshot.Rows[i].Start = 0
	}
	if got := decode(t, written(t, newWriter(nil, fullLimits), snapshot)); got.Ages || len(got.samples) != len(ages)+1 {
		t.Errorf("without ages: %v, %d samples", got.Ages, len(got.samples))
	}
}
