package profiling

import (
	"fmt"
	"time"

	"github.com/hotspan/hotspan/agent"
)

// enabling is longer than the timer takes to be enabled, some microseconds in which it seems to be held back.
const enabling = time.Millisecond

// HeldBack returns for how long the kernel held the timer back, which did not run for so long, and a line that says it;
// nothing if it did not.
func HeldBack(stopped time.Duration) (d time.Duration, line string) {
	if stopped < enabling {
		return 0, ""
	}
	return stopped, fmt.Sprintf("the kernel held the timer back for %.3f s, all CPUs together: "+
		"kernel.perf_event_max_sample_rate is %d\n", stopped.Seconds(), agent.MaxRate())
}
