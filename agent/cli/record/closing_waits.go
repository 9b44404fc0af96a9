package record

import (
	"fmt"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/terminal"
)

// waits prints how long threads waited, with --off-cpu or --wall, and what of it the samples are.
func waits(c terminal.Console, s *agent.Stats) {
	w := s.Waits
	if w.Since == 0 {
		return
	}
	if w.OnCPU > 0 {
		fmt.Fprintf(c, "threads were on a CPU for %s of samples\n", inSeconds(w.OnCPU))
	}
	fmt.Fprintf(c, "threads waited %s in system calls and page faults = "+
		"%s of samples + %s idle + %s shorter than %v%s\n", inSeconds(w.Ended), inSeconds(w.Sampled),
		inSeconds(s.Idle), inSeconds(w.Brief), w.Shortest,
		timed(" + %s without a sample", w.Ended-w.Sampled-s.Idle-w.Brief))
	fmt.Fprintf(c, "besides: %s for a CPU%s%s\n", inSeconds(w.Ready),
		timed(", %s stopped or elsewhere", w.Elsewhere),
		timed(", %s in waits that have not ended", w.Unfinished))
	if w.Unknown > 0 {
		fmt.Fprintf(c, "not known of %d threads: there are too many\n", w.Unknown)
	}
}

func inSeconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }

// timed is a text with a time; empty for none.
func timed(format string, d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf(format, inSeconds(d))
}
