package budget

import (
	"runtime/debug"
	"testing"
)

// TestCollectSooner: garbage is collected sooner while one caller at least wants it, as usual afterwards, and no later
// than the user wants.
func TestCollectSooner(t *testing.T) {
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	for _, c := range []struct{ usual, want int }{{100, soonerPercent}, {20, 20}, {-1, -1}} {
		was := debug.SetGCPercent(c.usual)
		first, second := CollectSooner(), CollectSooner()
		first()
		if got := percent(); got != c.want {
			t.Errorf("%d%% while one wants it, want %d%%", got, c.want)
		}
		if second(); percent() != c.usual {
			t.Errorf("%d%% afterwards, want %d%%", percent(), c.usual)
		}
		debug.SetGCPercent(was)
	}
}
