package agent

import (
	"time"

	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// clock converts the kernel's monotonic time to Unix time. It measures the offset once, so that samples and snapshots
// stay in order when the time of day is set.
type clock struct{ offset int64 }

// set reads both clocks several times and uses the reading that took the least time: between the two clocks this thread
// may be preempted.
func (c *clock) set() {
	least := int64(1<<63 - 1)
	for range 16 {
		before := sampler.Now()
		now := time.Now().UnixNano()
		after := sampler.Now()
		if after-before < least {
			least, c.offset = after-before, now-(before+after)/2
		}
	}
}

func (c *clock) unix(monotonic uint64) int64 { return int64(monotonic) + c.offset }
