package sampler

import "time"

// UnixClock converts the kernel's monotonic time to Unix time. It measures the offset once, so that samples and
// snapshots stay in order when the time of day is set.
type UnixClock struct{ offset int64 }

// Set reads both clocks.
func (c *UnixClock) Set() {
	mono, at := readClocks(time.Now, Now)
	c.offset = at.UnixNano() - mono
}

// Unix returns the Unix time, in nanoseconds, of a Sample.Time.
func (c *UnixClock) Unix(monotonic uint64) int64 { return int64(monotonic) + c.offset }
