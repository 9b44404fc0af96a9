package sampler

import "time"

// UnixClock converts the kernel's monotonic time to Unix time. It measures the offset once, so that samples and
// snapshots stay in order when the time of day is set.
type UnixClock struct{ offset int64 }

// Set reads both clocks several times and uses the reading that took the least time: between the two clocks this thread
// may be preempted.
func (c *UnixClock) Set() {
	least := int64(1<<63 - 1)
	for range 16 {
		before := Now()
		now := time.Now().UnixNano()
		after := Now()
		if after-before < least {
			least, c.offset = after-before, now-(before+after)/2
		}
	}
}

// Unix returns the Unix time, in nanoseconds, of a Sample.Time.
func (c *UnixClock) Unix(monotonic uint64) int64 { return int64(monotonic) + c.offset }
