package nodejs

import (
	"math"
	"slices"
	"testing"
)

// TestTimerBase: of numbers that may be the time from which timers count, one is taken only if it alone can be it.
func TestTimerBase(t *testing.T) {
	const counts, base = 0x5_0010, 37_662_132
	env := []uint64{7, base, counts + 16, counts, 0}
	started := []uint64{1, (base + 35) * 1e6}
	pointer := []uint64{0x2f8_5d40, counts + 0x116, counts + 0x100, counts + 0x116}
	for what, c := range map[string]struct {
		list []uint64
		want uint64
	}{
		"as it is":             {slices.Concat(env, started), base},
		"behind a pointer":     {slices.Concat([]uint64{counts + 0x40, counts + 0x30}, pointer, env, started), base},
		"without a start":      {env, 0},
		"long before it began": {slices.Concat(env, []uint64{(base + maxStarting) * 1e6}), 0},
		"after it began":       {slices.Concat(env, []uint64{(base - 1) * 1e6}), 0},
		"of two":               {slices.Concat([]uint64{base - 1, counts + 16, counts}, env, started), 0},
		"no pointer":           {slices.Concat([]uint64{base, counts + 8, counts}, started), 0},
		"nothing":              {nil, 0},
	} {
		if got := timerBase(c.list); got != c.want {
			t.Errorf("%s: %d, want %d", what, got, c.want)
		}
	}
}

// TestWallClock: the clock of the day is known if a time is there by both clocks.
func TestWallClock(t *testing.T) {
	wall := math.Float64bits(1_795_442_162_091_926)
	for _, c := range []struct {
		list []uint64
		want int64
	}{
		{[]uint64{3, 37_831_524_796_760, wall, 37_831_600_000_000}, 1_795_442_162_091_926_000 - 37_831_524_796_760},
		{[]uint64{0, wall}, 0},
		{[]uint64{math.MaxUint64, wall}, 0},
		{[]uint64{37_831_524_796_760, math.Float64bits(1e15)}, 0},
		{[]uint64{37_831_524_796_760, math.Float64bits(math.NaN())}, 0},
		{nil, 0},
	} {
		if got := wallClock(c.list); got != c.want {
			t.Errorf("%v: %d, want %d", c.list, got, c.want)
		}
	}
}
