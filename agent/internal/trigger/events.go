package trigger

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// openEvents has a program run each time that a software event of perf (linux/perf_event.h, perf_sw_ids) has come as
// often on a CPU as period says, on each online CPU. The events are disabled. It needs CAP_PERFMON.
func openEvents(p *ebpf.Program, event, period uint64) (events []int, err error) {
	cpus, err := onlineCPUs()
	if err != nil {
		return nil, err
	}
	for _, cpu := range cpus {
		fd, err := openEvent(p, cpu, event, period)
		if err != nil {
			closeEvents(events)
			return nil, fmt.Errorf("CPU %d: %w", cpu, err)
		}
		events = append(events, fd)
	}
	return events, nil
}

func openEvent(p *ebpf.Program, cpu int, event, period uint64) (fd int, err error) {
	attr := unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_SOFTWARE,
		Config: event,
		Size:   unix.PERF_ATTR_SIZE_VER5,
		Sample: period,
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

// eachEvent enables or disables events. The kernel does it on their CPUs: when one is disabled, the BPF program has
// returned there.
func eachEvent(events []int, request uint) error {
	var errs []error
	for _, fd := range events {
		errs = append(errs, unix.IoctlSetInt(fd, request, 0))
	}
	return errors.Join(errs...)
}

func closeEvents(events []int) {
	for _, fd := range events {
		unix.Close(fd)
	}
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
