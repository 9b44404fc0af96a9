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

// Timer takes samples by a timer on each CPU.
type Timer struct{ events []int } // descriptors of perf events

// startTimer starts a timer on each online CPU, with rate samples a second. It needs CAP_PERFMON.
func startTimer(p *ebpf.Program, rate int) (*Timer, error) {
	cpus, err := onlineCPUs()
	if err != nil {
		return nil, err
	}
	t := &Timer{}
	for _, cpu := range cpus {
		if err := t.start(p, cpu, rate); err != nil {
			t.Stop()
			return nil, fmt.Errorf("timer on CPU %d: %w", cpu, err)
		}
	}
	return t, nil
}

func (t *Timer) start(p *ebpf.Program, cpu, rate int) error {
	attr := unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_SOFTWARE,
		Config: unix.PERF_COUNT_SW_CPU_CLOCK,
		Size:   unix.PERF_ATTR_SIZE_VER5,
		Sample: uint64(time.Second) / uint64(rate), // a period: the clock of this event counts nanoseconds
		// The program has nothing to do on an idle CPU.
		Bits: unix.PerfBitDisabled | unix.PerfBitExcludeIdle,
	}
	fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return err
	}
	t.events = append(t.events, fd)
	if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_BPF, p.FD()); err != nil {
		return fmt.Errorf("attach the BPF program: %w", err)
	}
	return unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0)
}

// Stop stops the timers.
func (t *Timer) Stop() {
	for _, fd := range t.events {
		unix.Close(fd)
	}
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
