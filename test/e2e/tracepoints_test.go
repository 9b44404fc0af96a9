package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
)

// TestTracepoints: what a request has the kernel do is a hit with that request; what interrupts do meanwhile is none.
func TestTracepoints(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		const fork, signal = "tp:sched:sched_process_fork", "tp:signal:signal_generate,if=arg0==18"
		for function, probe := range map[string]string{"spawning": fork, "signalling": signal, "priority": onEnter} {
			t.Run(function, func(t *testing.T) {
				env := []string{"REQUESTS=30", "FUNCTION=" + function}
				r := recordProbes(t, node, env, []string{probe}, "--probe-limit", "1000000")
				got := map[string]int{}
				for _, s := range r.samples {
					if s.Labels["hotspan.probe"] != probe {
						continue
					}
					got[endpoint(&s)]++
					if js := s.JS(); s.Stop != "root" || len(js) == 0 || js[len(js)-1].F != "processTimers" {
						t.Errorf("%s: %d frames, %d of JavaScript, up to %s", probe, len(s.Stack), len(js), s.Stop)
					}
				}
				compareHits(t, probe, r.Called, got, unlabelledOf(r.said))
				if lost := lostOf(t, r.said); lost != 0 {
					t.Errorf("%d hits are lost", lost)
				}
			})
		}
		t.Run("interrupts", func(t *testing.T) { // of a thread that is in system calls, and between them
			env := []string{"REQUESTS=0", "CALLS=5000000"}
			probes := []string{
				"tp:irq_vectors:local_timer_entry", "tp:timer:hrtimer_expire_entry", "tp:irq:softirq_entry",
			}
			r := recordProbes(t, node, env, probes)
			for _, probe := range probes {
				hits, _ := hitsOf(t, r.said, probe)
				want := fmt.Sprintf("%s: %d hits (not in a system call %[2]d)\n", probe, hits)
				if least := int(r.CPU / 1000 * 20); hits < least || !strings.Contains(r.said, want) {
					t.Errorf("%d hits in %.0f ms of CPU time, or %q is not said", hits, r.CPU, want)
				}
			}
			lostOf(t, r.said)
		})
	})
}
