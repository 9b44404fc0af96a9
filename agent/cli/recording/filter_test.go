package recording

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/pprofx"
)

// Of a snapshot that is partly too old or too new, only the interval that is chosen counts.
func TestInterval(t *testing.T) {
	now := time.Unix(1_760_000_100, 0)
	s := &pprofx.Snapshot{Start: now.Add(-time.Hour).UnixNano(), End: now.Add(-20 * time.Minute).UnixNano(),
		LabelSets: [][]pprofx.Label{nil}, Threads: []string{""}}
	for name, test := range map[string]struct {
		f          FilterFlags
		start, end time.Duration
	}{
		"all":    {FilterFlags{}, time.Hour, 20 * time.Minute},
		"since":  {FilterFlags{Since: 30 * time.Minute}, 30 * time.Minute, 20 * time.Minute},
		"until":  {FilterFlags{Until: 50 * time.Minute}, time.Hour, 50 * time.Minute},
		"both":   {FilterFlags{Since: 40 * time.Minute, Until: 30 * time.Minute}, 40 * time.Minute, 30 * time.Minute},
		"no end": {FilterFlags{Since: 2 * time.Hour, Until: time.Minute}, time.Hour, 20 * time.Minute},
	} {
		got := test.f.apply(s, now)
		if got.Start != now.Add(-test.start).UnixNano() || got.End != now.Add(-test.end).UnixNano() {
			t.Errorf("%s: from %v to %v", name, now.Sub(time.Unix(0, got.Start)), now.Sub(time.Unix(0, got.End)))
		}
	}
}
