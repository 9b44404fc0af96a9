package sampler

import (
	"testing"
	"time"
)

func TestUnixClock(t *testing.T) {
	var c UnixClock
	c.Set()
	const most = int64(2 * time.Millisecond)
	for range 3 {
		before := time.Now().UnixNano()
		got := c.Unix(uint64(Now()))
		after := time.Now().UnixNano()
		if got < before-most || got > after+most {
			t.Errorf("%d is not between %d and %d", got, before, after)
		}
		time.Sleep(time.Millisecond)
	}
	before, at, after := time.Now(), c.Time(Now()), time.Now()
	if at.Before(before.Add(-time.Duration(most))) || at.After(after.Add(time.Duration(most))) {
		t.Errorf("%v is not between %v and %v", at, before, after)
	}
	if at := c.Time(5_000_000_007); at.UnixNano() != c.Unix(5_000_000_007) {
		t.Errorf("%v is not %d", at, c.Unix(5_000_000_007))
	}
	if d := c.Unix(5_000_000_007) - c.Unix(5_000_000_000); d != 7 {
		t.Errorf("7 ns are %d ns", d)
	}
}

// TestFollow: after a step of the clock, times are by the new one, and what they are of is as long ago as before. What
// is no step changes nothing.
func TestFollow(t *testing.T) {
	for _, step := range []time.Duration{0, leastStep / 2, -leastStep / 2, time.Hour, -time.Hour, 1 << 62} {
		var c UnixClock
		c.Set()
		at := Now() + int64(3*time.Second)
		before := c.Time(at)
		after := c.follow(before, func() time.Time { return time.Unix(0, time.Now().UnixNano()+int64(step)) })
		moved := time.Duration(after.UnixNano() - before.UnixNano())
		want := step
		if step.Abs() < leastStep {
			want = 0
		}
		if (moved - want).Abs() > 5*time.Millisecond {
			t.Errorf("step of %v: moved by %v", step, moved)
		}
		if c.Unix(uint64(at)) != after.UnixNano() {
			t.Errorf("step of %v: %d is not %v", step, c.Unix(uint64(at)), after)
		}
	}
}
