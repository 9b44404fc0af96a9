// Package trigger is what makes the BPF program take a sample: a timer on each CPU, the hits of probes, or the ends of
// waits. Each trigger keeps the same contract:
//   - the BPF program runs on the CPU and in the context of the thread that it samples;
//   - it finds that thread's user registers by bpf_task_pt_regs, whatever the thread was doing;
//   - two samples on one CPU never overlap, so that one scratch for each CPU is enough;
//   - once Stop has returned, the trigger runs it no more.
//
// A timer interrupts the BPF program of a probe or a wait: they cannot share their scratches.
package trigger

import (
	"fmt"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/probe"
	"github.com/hotspan/hotspan/pprofx"
)

// Config says what makes the BPF program take samples.
type Config struct {
	Rate int // of the timer on each CPU, samples a second
}

// Measures returns what samples count: those at probes, else those of waits, else those of the timer. Where timer says
// that it runs besides, hits are the second measure, and waits have one with the timer.
func Measures(probes []string, waits, timer bool) []pprofx.Measure {
	stall, _ := probe.Stall(probes)
	switch {
	case stall > 0:
		return []pprofx.Measure{pprofx.HitCount}
	case len(probes) > 0:
		specs, _ := probe.ParseAll(probes) // NewProbes returns the error
		m, _ := probe.Measure(specs)
		if timer {
			return []pprofx.Measure{pprofx.CPUTime, m}
		}
		return []pprofx.Measure{m}
	case waits && timer:
		return []pprofx.Measure{pprofx.WallTime}
	case waits:
		return []pprofx.Measure{pprofx.OffCPU}
	}
	return []pprofx.Measure{pprofx.CPUTime}
}

// Period is the CPU time that one sample of the timer stands for, at most a second.
func (c Config) Period() time.Duration { return time.Second / time.Duration(max(c.Rate, 1)) }

// Start starts what c asks for. It takes CAP_PERFMON.
func Start(objects *bpf.Objects, c Config) (*Timer, error) {
	if c.Rate < 1 {
		return nil, fmt.Errorf("%d samples a second: at least 1", c.Rate)
	}
	return startTimer(objects.HotspanSample, c.Rate)
}
