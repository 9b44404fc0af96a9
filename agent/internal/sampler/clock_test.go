package sampler

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// A thread that loses its CPU between two clocks must not have all times wrong for it.
func TestReadClocks(t *testing.T) {
	const origin = int64(1e12)
	begin, passed, reads := time.Now(), time.Duration(0), 0
	now := func() time.Time {
		passed += time.Microsecond
		return begin.Add(passed)
	}
	monotonic := func() int64 {
		passed += time.Microsecond
		at := origin + int64(passed)
		if reads++; reads != 7 {
			passed += 3 * time.Millisecond // it is preempted, but for once
		}
		return at
	}
	mono, at := readClocks(now, monotonic)
	if slow := origin + int64(at.Sub(begin)) - mono; slow < 0 || slow > int64(2*time.Microsecond) {
		t.Errorf("the clock is %d ns slow", slow)
	}
}

func TestNow(t *testing.T) {
	for range 1000 {
		before := procs.Monotonic()
		got := Now()
		after := procs.Monotonic()
		if got < before-int64(time.Millisecond) || got > after {
			t.Fatalf("%d is not between %d and %d", got, before, after)
		}
	}
}
