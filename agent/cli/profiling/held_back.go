package profiling

import (
	"fmt"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/cgroup"
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

// leastUnsampled is more than a process uses until it is attached to, unless hotspan is late.
const leastUnsampled = 100 * time.Millisecond

// Unsampled returns a line that says how much CPU time processes that started had used until they were attached to;
// nothing for as little as is usual.
func Unsampled(d time.Duration) string {
	if d < leastUnsampled {
		return ""
	}
	return fmt.Sprintf("processes that started had used %.2f s of CPU before hotspan sampled them\n", d.Seconds())
}

// Throttled returns lines that say which control groups had used up the CPU time that they may have, whatever is
// sampled: their threads could run and had to wait, which no sample shows.
func Throttled(groups []cgroup.Throttled) (lines string) {
	for _, g := range groups {
		lines += fmt.Sprintf("the control group %s was throttled in %d of %d periods, for %.3f s (cpu.stat)\n",
			terminal.Printable(g.Folder), g.Reached, g.Periods, g.Time.Seconds())
	}
	return lines
}
