package watch

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/pprofx"
)

// TestClosing: samples that were taken and not looked at are said to be.
func TestClosing(t *testing.T) {
	start := time.Unix(1000, 0)
	s := agent.Stats{
		Start: start, End: start.Add(2 * time.Second), Taken: 9, Lost: map[pprofx.LostReason]int64{pprofx.LostLate: 2},
	}
	const want = "9 samples taken in 2.0 s, 2 lost (late 2)"
	if got := closing(&s); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.SnapshotsLost = 3
	const more = want + "; those of 3 intervals were not looked at: they came too fast"
	if got := closing(&s); got != more {
		t.Errorf("%q, want %q", got, more)
	}
}
