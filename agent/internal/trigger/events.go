package trigger

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cilium/ebpf"
)

// events has a program run each time that a software event of perf (linux/perf_event.h, perf_sw_ids) has come as often
// on a CPU as period says, on each CPU that is online. It needs CAP_PERFMON.
type events struct {
	program       *ebpf.Program
	event, period uint64
	enabled       bool
	of            map[int]event // by CPU
}

// openEvents makes events that are disabled.
func openEvents(p *ebpf.Program, kind, period uint64) (*events, error) {
	e := &events{program: p, event: kind, period: period, of: map[int]event{}}
	if _, err := e.follow(); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// follow goes over to the CPUs that are online now: one that has come gets an event, one that has gone loses its own,
// which would be dead when it comes again. It returns which have come.
func (e *events) follow() (came []int, err error) {
	online, err := onlineCPUs()
	if err != nil {
		return nil, err
	}
	for cpu, of := range e.of {
		if !slices.Contains(online, cpu) {
			of.close()
			delete(e.of, cpu)
		}
	}
	var errs []error
	for _, cpu := range online {
		if _, ok := e.of[cpu]; ok {
			continue
		}
		if err := e.add(cpu); err != nil {
			errs = append(errs, fmt.Errorf("CPU %d: %w", cpu, err))
			continue
		}
		came = append(came, cpu)
	}
	return came, errors.Join(errs...)
}

func (e *events) add(cpu int) error {
	of, err := openEvent(e.program, cpu, e.event, e.period)
	if err != nil {
		return err
	}
	e.of[cpu] = of
	if e.enabled {
		return of.enable(true)
	}
	return nil
}

// enable has the events count, or not. The kernel does it on their CPUs: when one is disabled, the program has returned
// there.
func (e *events) enable(on bool) error {
	e.enabled = on
	var errs []error
	for _, of := range e.of {
		errs = append(errs, of.enable(on))
	}
	return errors.Join(errs...)
}

// stopped returns for how long clocks were enabled and did not run, all CPUs together.
func (e *events) stopped() (sum time.Duration) {
	for _, of := range e.of {
		sum += of.stopped()
	}
	return sum
}

func (e *events) close() {
	for _, of := range e.of {
		of.close()
	}
	e.of = nil
}

func onlineCPUs() ([]int, error) {
	list, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return nil, err
	}
	return parseCPUs(strings.TrimSpace(string(list)))
}

// parseCPUs parses a list such as 0-3,8.
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
