package analysis

import (
	"testing"

	"github.com/hotspan/hotspan/pprofx/report"
)

func TestSuggestRate(t *testing.T) {
	for samples, want := range map[int64]int64{1: 999, 12: 825, 50: 198, 99: 100, 100: 0, 500: 0} {
		var got int64
		if s := suggestRate(report.FoundTrace{Samples: samples, Period: 1_000_000_000 / 99}); s != nil {
			got = s.Rate
		}
		if got != want {
			t.Errorf("%d samples: -F %d, want %d", samples, got, want)
		}
	}
}
