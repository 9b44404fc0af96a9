package trial

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// maxSlew is how far the wall clock may be slewed during a recording: at most half a millisecond a second.
const maxSlew = 5 * time.Millisecond

// clock returns what Unix time is ahead of CLOCK_MONOTONIC, in nanoseconds: of several readings the one that took the
// least time, since a thread may be preempted between the two clocks.
func clock() (ahead int64) {
	least := int64(math.MaxInt64)
	for range 16 {
		before := now(unix.CLOCK_MONOTONIC)
		wall := now(unix.CLOCK_REALTIME)
		if took := now(unix.CLOCK_MONOTONIC) - before; took < least {
			least, ahead = took, wall-before-took/2
		}
	}
	return ahead
}

func now(clock int32) int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		panic(err) // there is no such clock
	}
	return t.Nano()
}
