package sampler

import (
	"math"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// The Go runtime reads CLOCK_MONOTONIC without a system call, but only tells differences.
var startMonotonic, startTime = readClocks(time.Now, procs.Monotonic)

// Now is procs.Monotonic, the clock of Sample.Time, in nanoseconds. It may be some microseconds slow, never fast.
func Now() int64 { return startMonotonic + int64(time.Since(startTime)) }

// readClocks reads both clocks several times, and returns the reading that took the least time: in between this thread
// may lose its CPU for milliseconds, by which all times would be wrong from then on.
func readClocks(now func() time.Time, monotonic func() int64) (mono int64, at time.Time) {
	least := time.Duration(math.MaxInt64)
	for range 16 {
		before, m := now(), monotonic()
		after := now()
		if took := after.Sub(before); took < least {
			least, mono, at = took, m, after
		}
	}
	return mono, at
}
