package budget

import (
	"runtime/debug"
	"testing"
)

// percent is how much the heap may grow now.
func percent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}

// TestCollectSooner: garbage is collected sooner while one caller at least wants it, as usual afterwards, and no later
// than the user wants.
func TestCollectSooner(t *testing.T) {
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

// TestCollectLater: garbage is collected later until one caller wants it sooner, as usual afterwards, and no sooner
// than the user wants.
func TestCollectLater(t *testing.T) {
	for _, c := range []struct{ usual, want int }{{100, laterPercent}, {20, laterPercent}, {900, 900}, {-1, -1}} {
		was := debug.SetGCPercent(c.usual)
		CollectLater()
		CollectLater()
		if got := percent(); got != c.want {
			t.Errorf("%d%% after a start, want %d%%", got, c.want)
		}
		undo := CollectSooner()
		if got := percent(); got >= laterPercent {
			t.Errorf("%d%% while one wants it sooner", got)
		}
		if undo(); percent() != c.usual {
			t.Errorf("%d%% afterwards, want %d%%", percent(), c.usual)
		}
		debug.SetGCPercent(was)
	}
}
