package trigger

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// Timer takes samples by a timer on each CPU. It is not safe for concurrent use.
type Timer struct {
	program   *ebpf.Program
	events    *events
	throttled time.Duration // of rates before
}

// startTimer starts a timer on each online CPU, with rate samples a second. It needs CAP_PERFMON.
func startTimer(p *ebpf.Program, rate int) (*Timer, error) {
	events, err := openTimers(p, rate)
	if err != nil {
		return nil, err
	}
	t := &Timer{program: p, events: events}
	if err := t.events.enable(true); err != nil {
		t.Stop()
		return nil, err
	}
	return t, nil
}

// openTimers makes a timer on each online CPU that does not run yet.
func openTimers(p *ebpf.Program, rate int) (*events, error) {
	period := uint64(time.Second) / uint64(rate) // the clock counts nanoseconds
	events, err := openEvents(p, unix.PERF_COUNT_SW_CPU_CLOCK, period)
	if err != nil {
		return nil, fmt.Errorf("timer: %w", err)
	}
	return events, nil
}

// Pause takes no samples until Change.
func (t *Timer) Pause() error { return t.events.enable(false) }

// Change goes over to another rate, or on after Pause. It calls between when the last sample of the old rate has been
// taken, and none of the new one. If it fails, the old timers go on, though between may have been called.
func (t *Timer) Change(rate int, between func()) error {
	next, err := openTimers(t.program, rate)
	if err != nil {
		return errors.Join(err, t.events.enable(true))
	}
	return t.goOver(next, between)
}

// goOver puts other timers, which do not run yet, in the place of those that do.
func (t *Timer) goOver(next *events, between func()) error {
	err := t.Pause()
	if err == nil {
		between()
		err = next.enable(true)
	}
	if err != nil {
		next.close()
		return errors.Join(err, t.events.enable(true))
	}
	t.throttled += t.events.stopped()
	t.events.close()
	t.events = next
	return nil
}

// Follow goes over to the CPUs that are online now, and returns those that have come.
func (t *Timer) Follow() (came []int, err error) { return t.events.follow() }

// Throttled returns for how long the kernel has throttled the timers, all CPUs together.
func (t *Timer) Throttled() time.Duration { return t.throttled + t.events.stopped() }

// Stop stops the timers.
func (t *Timer) Stop() {
	t.throttled += t.events.stopped()
	t.events.close()
}

// MaxRate returns the highest sample rate that the kernel allows, in hertz; 0 if the kernel does not report one.
func MaxRate() int {
	b, err := os.ReadFile("/proc/sys/kernel/perf_event_max_sample_rate")
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return n
}
