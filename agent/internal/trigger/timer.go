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
	program *ebpf.Program
	events  []int // descriptors of perf events
}

// startTimer starts a timer on each online CPU, with rate samples a second. It needs CAP_PERFMON.
func startTimer(p *ebpf.Program, rate int) (*Timer, error) {
	events, err := openEvents(p, rate)
	if err != nil {
		return nil, err
	}
	t := &Timer{p, events}
	if err := t.each(unix.PERF_EVENT_IOC_ENABLE); err != nil {
		t.Stop()
		return nil, err
	}
	return t, nil
}

// openEvents makes a timer on each online CPU that does not run yet.
func openEvents(p *ebpf.Program, rate int) (events []int, err error) {
	cpus, err := onlineCPUs()
	if err != nil {
		return nil, err
	}
	for _, cpu := range cpus {
		fd, err := openEvent(p, cpu, rate)
		if err != nil {
			closeEvents(events)
			return nil, fmt.Errorf("timer on CPU %d: %w", cpu, err)
		}
		events = append(events, fd)
	}
	return events, nil
}

func openEvent(p *ebpf.Program, cpu, rate int) (fd int, err error) {
	attr := unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_SOFTWARE,
		Config: unix.PERF_COUNT_SW_CPU_CLOCK,
		Size:   unix.PERF_ATTR_SIZE_VER5,
		Sample: uint64(time.Second) / uint64(rate), // a period: the clock of this event counts nanoseconds
		// The program has nothing to do on an idle CPU.
		Bits: unix.PerfBitDisabled | unix.PerfBitExcludeIdle,
	}
	if fd, err = unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC); err != nil {
		return 0, err
	}
	if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_BPF, p.FD()); err != nil {
		unix.Close(fd)
		return 0, fmt.Errorf("attach the BPF program: %w", err)
	}
	return fd, nil
}

func closeEvents(events []int) {
	for _, fd := range events {
		unix.Close(fd)
	}
}

// each enables or disables each timer. The kernel does it on the timer's CPU: when a timer is disabled, the BPF program
// has returned there.
func (t *Timer) each(request uint) error {
	var errs []error
	for _, fd := range t.events {
		errs = append(errs, unix.IoctlSetInt(fd, request, 0))
	}
	return errors.Join(errs...)
}

// Pause takes no samples until Change.
func (t *Timer) Pause() error { return t.each(unix.PERF_EVENT_IOC_DISABLE) }

// Change goes over to another rate, or on after Pause. It calls between when the last sample of the old rate has been
// taken, and none of the new one. If it fails, the old timers go on.
func (t *Timer) Change(rate int, between func()) error {
	events, err := openEvents(t.program, rate)
	if err != nil {
		return errors.Join(err, t.each(unix.PERF_EVENT_IOC_ENABLE))
	}
	err = t.Pause()
	between()
	old := t.events
	t.events = events
	err = errors.Join(err, t.each(unix.PERF_EVENT_IOC_ENABLE))
	closeEvents(old)
	return err
}

// Stop stops the timers.
func (t *Timer) Stop() {
	closeEvents(t.events)
	t.events = nil
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

// onlineCPUs parses a list such as 0-3,8.
func onlineCPUs() ([]int, error) {
	b, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return nil, err
	}
	return parseCPUs(strings.TrimSpace(string(b)))
}

func parseCPUs(list string) ([]int, error) {
	var cpus []int
	for _, part := range strings.Split(list, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		a, err1 := strconv.Atoi(low)
		b, err2 := strconv.Atoi(high)
		if err := errors.Join(err1, err2); err != nil || a < 0 || b > 1<<16 {
			return nil, fmt.Errorf("list of CPUs %q: %w", list, errors.Join(err, strconv.ErrRange))
		}
		for ; a <= b; a++ {
			cpus = append(cpus, a)
		}
	}
	return cpus, nil
}
