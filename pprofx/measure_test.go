package pprofx_test

import (
	"io"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
	"github.com/hotspan/hotspan/pprofx/pprof"
	"github.com/hotspan/hotspan/pprofx/text"
)

// What shows CPU time refuses hits, and nothing else has both.
func TestHitsAreNotMixed(t *testing.T) {
	some, timed := pprofxtest.Measured(t, pprofx.HitCount, 3), pprofxtest.Random(t, 1)
	if err := text.WritePerfScript(io.Discard, some); err == nil {
		t.Error("perf script has hits as CPU time")
	}
	part := some.Where(func(*pprofx.Row) bool { return true })
	if part.Measure != pprofx.HitCount || part.Period != 0 {
		t.Errorf("a part has measure %v, period %d", part.Measure, part.Period)
	}
	m := pprofx.NewMerger(pprofx.MaxRows)
	collapsed := text.NewCollapsedWriter(io.Discard)
	for name, add := range map[string]func(*pprofx.Snapshot) error{"merger": m.Add, "collapsed": collapsed.Add} {
		if err := add(some); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := add(timed); err == nil {
			t.Errorf("%s has both", name)
		}
	}
	values, waits := pprofxtest.Measured(t, pprofx.HitBytes, 3), pprofxtest.Measured(t, pprofx.OffCPU, 3)
	file := pprof.NewWriter(io.Discard)
	for i, s := range []*pprofx.Snapshot{some, timed, values, waits} {
		if err := file.Add(s); (err == nil) != (i < 2) {
			t.Errorf("snapshot %d, of %v: %v", i, s.Measure, err)
		}
	}
}
