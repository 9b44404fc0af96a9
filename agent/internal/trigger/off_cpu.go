package trigger

import (
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// OffCPU takes a sample at the end of each system call or page fault in which a thread has waited long enough, as far
// as a limit admits it. It is not safe for concurrent use.
type OffCPU struct {
	objects  *bpf.Objects
	shortest time.Duration
	limit    limit
	links    []link.Link
	faults   []*events // the ends of page faults
	rest     rest      // at the end
}

// OffCPUNumber is its number among probes: there are no others beside it. (bpf/off_cpu.h)
const OffCPUNumber = 1

// NewOffCPU prepares to sample waits of at least a time, so many a second on each CPU at most; 0 is 1,000.
func NewOffCPU(objects *bpf.Objects, shortest time.Duration, perSecond int) (*OffCPU, error) {
	limit, err := newLimit(objects, perSecond)
	if err != nil {
		return nil, err
	}
	return &OffCPU{objects: objects, shortest: max(shortest, 1), limit: limit}, limit.admit(OffCPUNumber)
}

// Start has waits count from now on: of those that began before, the rest.
func (o *OffCPU) Start(now uint64) error {
	times := make([]bpf.WaitTimes, len(o.limit.state))
	for i := range times {
		times[i] = bpf.WaitTimes{Since: now, Shortest: uint64(o.shortest)}
	}
	if err := o.objects.WaitTimes.Put(uint32(0), times); err != nil {
		return fmt.Errorf("set where waits begin: %w", err)
	}
	if err := o.limit.start(); err != nil {
		return err
	}
	for _, program := range []*ebpf.Program{
		o.objects.HotspanCallEnd, o.objects.HotspanWakeup, o.objects.HotspanSwitch,
	} {
		l, err := link.AttachTracing(link.TracingOptions{Program: program})
		if err != nil {
			return fmt.Errorf("attach to the scheduler: %w", err)
		}
		o.links = append(o.links, l)
	}
	if err := noteStopped(o.objects, now); err != nil {
		return err
	}
	return o.startFaults()
}

// startFaults has the program run at the end of each page fault.
func (o *OffCPU) startFaults() error {
	for _, kind := range []uint64{unix.PERF_COUNT_SW_PAGE_FAULTS_MAJ, unix.PERF_COUNT_SW_PAGE_FAULTS_MIN} {
		events, err := openEvents(o.objects.HotspanFaultEnd, kind, 1)
		if err != nil {
			return fmt.Errorf("page faults: %w", err)
		}
		o.faults = append(o.faults, events)
		if err := events.enable(true); err != nil {
			return fmt.Errorf("page faults: %w", err)
		}
	}
	return nil
}

// Follow goes over to the CPUs that are online now.
func (o *OffCPU) Follow() error {
	var errs []error
	for _, e := range o.faults {
		_, err := e.follow()
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Stop takes no samples from now on.
func (o *OffCPU) Stop() {
	if len(o.links) == 0 {
		return
	}
	end := procs.Monotonic()
	_ = o.limit.stop() // it fails for no map that Start has written to
	for _, e := range o.faults {
		e.close()
	}
	waitForPrograms()
	for _, l := range o.links {
		l.Close()
	}
	o.links, o.faults = nil, nil
	o.rest = findRest(o.objects, uint64(end))
}

// Waits are what threads of profiled processes have waited.
type Waits struct {
	Since      uint64        // when waits began to count, CLOCK_MONOTONIC, nanoseconds; 0 = never
	Shortest   time.Duration // that has a sample
	Counts                   // of waits that are long enough for a sample
	Ended      time.Duration // in system calls and page faults that have ended
	Brief      time.Duration // of that, in waits that are too short for a sample
	Sampled    time.Duration // of that, in samples that are in snapshots
	OnCPU      time.Duration // beside, that samples of the timer in snapshots stand for
	Elsewhere  time.Duration // outside of these: stopped, or in a page fault that has not ended
	Ready      time.Duration // for a CPU
	Unfinished time.Duration // in waits that had not ended at the end
	Unknown    int64         // threads of which no waits are known: there were too many
}

// Counts reads how many waits there were that are long enough for a sample.
func (o *OffCPU) Counts() (Counts, error) { return o.limit.counts(OffCPUNumber) }

// Waits reads what was counted, and after Stop what had not ended by then.
func (o *OffCPU) Waits() (w Waits, err error) {
	var times []bpf.WaitTimes
	if err := o.objects.WaitTimes.Lookup(uint32(0), &times); err != nil {
		return w, fmt.Errorf("waits: %w", err)
	}
	w.Since, w.Shortest = times[0].Since, o.shortest
	for _, t := range times {
		w.Ended += time.Duration(t.Ended)
		w.Brief += time.Duration(t.Brief)
		w.Elsewhere += time.Duration(t.Elsewhere) // may be less than 0 of one CPU
		w.Ready += time.Duration(t.Ready)
	}
	w.Unknown = unknown(times)
	if w.Counts, err = o.Counts(); err != nil {
		return w, err
	}
	w.Unfinished += o.rest.unfinished
	w.Elsewhere += o.rest.stopped
	w.Ready += o.rest.ready
	return w, o.rest.err
}
