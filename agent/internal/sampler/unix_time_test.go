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
	if d := c.Unix(5_000_000_007) - c.Unix(5_000_000_000); d != 7 {
		t.Errorf("7 ns are %d ns", d)
	}
}
