package analysis

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/cli/recording"
)

// With --ago, the samples of OLD are earlier ones.
func TestDiffEarlier(t *testing.T) {
	const hour = "1h0m0s"
	for name, c := range map[string]struct {
		v            Diff
		since, until string
	}{
		"no limits": {Diff{}, "0s", "0s"},
		"ago":       {Diff{Ago: time.Hour}, "0s", hour},
		"since":     {Diff{FilterFlags: recording.FilterFlags{Since: time.Minute}, Ago: time.Hour}, "1h1m0s", hour},
		"both": {Diff{FilterFlags: recording.FilterFlags{Since: 2 * time.Hour, Until: time.Hour}, Ago: time.Hour},
			"3h0m0s",
			"2h0m0s"},
	} {
		got := c.v.earlier()
		if got.Since.String() != c.since || got.Until.String() != c.until {
			t.Errorf("%s: since %v until %v", name, got.Since, got.Until)
		}
	}
}
