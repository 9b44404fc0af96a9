package sampler

import "time"

// leastStep is the least by which the time of day has been set when Follow does: to read two clocks may take as long,
// and what is less is no step of ntpd's.
const leastStep = 100 * time.Millisecond

// UnixClock converts the kernel's monotonic time to Unix time. Samples and snapshots stay in order when the time of day
// is set, since only Follow goes over to that.
type UnixClock struct {
	base time.Time // with Go's reading of the monotonic clock, by which times made of it are compared
	mono int64     // CLOCK_MONOTONIC at base
}

// Set reads both clocks.
func (c *UnixClock) Set() { c.mono, c.base = readClocks(time.Now, Now) }

// Unix returns the Unix time, in nanoseconds, of a Sample.Time.
func (c *UnixClock) Unix(monotonic uint64) int64 {
	return c.base.UnixNano() + int64(monotonic) - c.mono
}

// Time returns the same as a time.
func (c *UnixClock) Time(monotonic int64) time.Time {
	return c.base.Add(time.Duration(monotonic - c.mono))
}

// Follow reads both clocks again, and returns what an earlier result of Time is now: the same, unless the time of day
// was set meanwhile.
func (c *UnixClock) Follow(t time.Time) time.Time { return c.follow(t, time.Now) }

func (c *UnixClock) follow(t time.Time, now func() time.Time) time.Time {
	var next UnixClock
	next.mono, next.base = readClocks(now, Now)
	if moved := next.base.UnixNano() - c.Unix(uint64(next.mono)); time.Duration(moved).Abs() < leastStep {
		return t
	}
	monotonic := c.mono + int64(t.Sub(c.base))
	*c = next
	return c.Time(monotonic)
}
