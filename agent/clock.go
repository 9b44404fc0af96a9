package agent

import (
	"time"

	"golang.org/x/sys/unix"
)

// clock turns the kernel's monotonic time into Unix time. The difference is taken once: so samples and cuts stay in
// order when the time of day is set.
type clock struct{ offset int64 }

func (c *clock) set() { c.offset = time.Now().UnixNano() - monotonic() }

func (c *clock) unix(monotonic uint64) int64 { return int64(monotonic) + c.offset }

// monotonic is CLOCK_MONOTONIC, which bpf_ktime_get_ns reads, in nanoseconds.
func monotonic() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return 0
	}
	return t.Nano()
}
