package sampler

import (
	"time"

	"golang.org/x/sys/unix"
)

// The Go runtime reads CLOCK_MONOTONIC without a system call, but only tells differences.
var (
	startMonotonic = monotonic()
	startTime      = time.Now()
)

// Now is CLOCK_MONOTONIC, the clock of Sample.Time, in nanoseconds. It may be some microseconds slow, never fast.
func Now() int64 { return startMonotonic + int64(time.Since(startTime)) }

func monotonic() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return 0
	}
	return t.Nano()
}
