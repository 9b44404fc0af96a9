package elffile

import (
	"runtime/debug"
	"testing"
)

// TestFrugally: garbage is collected sooner while one large file at least is parsed, as usual afterwards, and no later
// than the user wants.
func TestFrugally(t *testing.T) {
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	for _, c := range []struct{ usual, want int }{{100, frugalPercent}, {20, 20}, {-1, -1}} {
		was := debug.SetGCPercent(c.usual)
		small := parseFrugally(frugalFrom - 1)
		if got := percent(); got != c.usual {
			t.Errorf("%d%% while a small file is parsed, want %d%%", got, c.usual)
		}
		first, second := parseFrugally(frugalFrom), parseFrugally(frugalFrom)
		small()
		first()
		if got := percent(); got != c.want {
			t.Errorf("%d%% while a large file is parsed, want %d%%", got, c.want)
		}
		if second(); percent() != c.usual {
			t.Errorf("%d%% afterwards, want %d%%", percent(), c.usual)
		}
		debug.SetGCPercent(was)
	}
}
