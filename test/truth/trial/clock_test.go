package trial

import (
	"testing"
	"time"
)

// TestAheadAt: what Unix time was ahead is told only if it was not set about when hotspan began.
func TestAheadAt(t *testing.T) {
	const ms, first = int64(time.Millisecond), int64(1e18)
	steps := func(at, by int64) (all []reading) { // of 20 ms, with the time of day set by so much at that time
		for now := first - 1000*ms; now < first+3000*ms; now += 20 * ms {
			r := reading{now, 7000}
			if now > first+at {
				r.ahead += by
			}
			all = append(all, r)
		}
		return all
	}
	for name, c := range map[string]struct {
		all   []reading
		ahead int64
		ok    bool
	}{
		"never set":  {steps(0, 0), 7000, true},
		"set before": {steps(-600*ms, 2*ms), 7000 + 2*ms, true},
		"set after":  {steps(100*ms, 2*ms), 7000, true},
		"set then":   {steps(-100*ms, 2*ms), 0, false},
		"set a bit":  {steps(-100*ms, ms/10), 0, false},
		"slewed":     {steps(-250*ms, ms/100), 7000 + ms/100, true},
		"not read":   {nil, 0, false},
	} {
		if ahead, ok := aheadAt(first, c.all); ok != c.ok || ok && ahead != c.ahead {
			t.Errorf("%s: %d, %v, want %d, %v", name, ahead, ok, c.ahead, c.ok)
		}
	}
	end := watchClock()
	time.Sleep(50 * time.Millisecond)
	if all := end(); len(all) < 2 || time.Duration(clock()-all[0].ahead).Abs() > time.Second {
		t.Errorf("readings %v", all)
	}
}
