// Package sampler runs the BPF program on a timer on each CPU, and reads what it found.
package sampler

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// Config says how to sample.
type Config struct {
	Rate      int           // samples a second and CPU
	RingBytes uint32        // size of the ring buffer, a power of two
	First     func(*Sample) // is given each sample as soon as it is there, on a goroutine of its own; nil = nothing
}

// Sampler owns the BPF program, its maps and its timers. Reading (Read) and the control of processes and tables may
// go on at the same time from different goroutines.
type Sampler struct {
	objects *bpf.Objects
	reader  *ringbuf.Reader
	records *records
	timers  []int // perf event descriptors
	links   []link.Link
	tables  tableSlots
}

// Open loads the program and follows the life of processes. It does not sample before Start.
func Open(c Config) (*Sampler, error) {
	objects, err := bpf.Load(c.RingBytes)
	if err != nil {
		return nil, err
	}
	s := New(objects)
	if s.reader, err = ringbuf.NewReader(objects.Events); err != nil {
		s.Close()
		return nil, fmt.Errorf("open the ring buffer: %w", err)
	}
	s.records = newRecords(s.reader, c.First)
	for _, p := range []*ebpf.Program{objects.HotspanExec, objects.HotspanExit} {
		l, err := link.AttachTracing(link.TracingOptions{Program: p})
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("follow the life of processes: %w", err)
		}
		s.links = append(s.links, l)
	}
	return s, nil
}

// New is a Sampler of a program that is loaded: what fills its maps, but reads no records and follows no processes.
func New(objects *bpf.Objects) *Sampler { return &Sampler{objects: objects} }

// Start starts a timer on each CPU that is online, rate times a second.
func (s *Sampler) Start(rate int) error {
	cpus, err := onlineCPUs()
	if err != nil {
		return err
	}
	for _, cpu := range cpus {
		if err := s.startTimer(cpu, rate); err != nil {
			return fmt.Errorf("timer on CPU %d: %w", cpu, err)
		}
	}
	return nil
}

func (s *Sampler) startTimer(cpu, rate int) error {
	attr := unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_SOFTWARE,
		Config: unix.PERF_COUNT_SW_CPU_CLOCK,
		Size:   unix.PERF_ATTR_SIZE_VER5,
		Sample: uint64(time.Second) / uint64(rate), // a period: the clock of this event counts nanoseconds
		Bits:   unix.PerfBitDisabled,
	}
	fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return err
	}
	s.timers = append(s.timers, fd)
	if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_BPF, s.objects.HotspanSample.FD()); err != nil {
		return fmt.Errorf("attach the program: %w", err)
	}
	return unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0)
}

// Stop stops the timers. What they took before can still be read.
func (s *Sampler) Stop() {
	for _, fd := range s.timers {
		unix.Close(fd)
	}
	s.timers = nil
}

// Close lets go of everything.
func (s *Sampler) Close() {
	s.Stop()
	for _, l := range s.links {
		l.Close()
	}
	if s.reader != nil {
		s.reader.Close()
	}
	if s.records != nil {
		s.records.stop()
	}
	s.objects.Close()
}

// Record is what Read returns: a sample or an event in the life of a process.
type Record struct {
	Sample    *Sample
	Lifecycle *bpf.Lifecycle
}

// Read waits for the next record, until the deadline at most: then the error is os.ErrDeadlineExceeded. A deadline in
// the past reads only what is there. An ErrMalformed concerns one record, the next can be read.
func (s *Sampler) Read(deadline time.Time) (Record, error) {
	b, err := s.records.next(deadline)
	if err != nil {
		return Record{}, err
	}
	if len(b) < 4 {
		return Record{}, fmt.Errorf("%w: %d bytes", ErrMalformed, len(b))
	}
	switch binary.LittleEndian.Uint32(b) {
	case bpf.RecordSample:
		sample, err := DecodeSample(b)
		return Record{Sample: &sample}, err
	case bpf.RecordExec, bpf.RecordExit:
		l, err := decodeLifecycle(b)
		return Record{Lifecycle: &l}, err
	}
	return Record{}, fmt.Errorf("%w: type %d", ErrMalformed, binary.LittleEndian.Uint32(b))
}

// Counters are the program's own counts since Open.
type Counters struct {
	Taken         uint64 // samples of profiled processes
	RingFull      uint64 // of them lost because the ring buffer was full
	EventRingFull uint64 // events in the life of processes that were lost
	Nanoseconds   uint64 // that taking the samples took, on all CPUs together
}

// Counters reads the counters, summed over CPUs.
func (s *Sampler) Counters() (Counters, error) {
	var c Counters
	for counter, to := range map[uint32]*uint64{
		bpf.CountTaken: &c.Taken, bpf.CountRingFull: &c.RingFull, bpf.CountEventRingFull: &c.EventRingFull,
		bpf.CountNanoseconds: &c.Nanoseconds,
	} {
		var perCPU []uint64
		if err := s.objects.Counters.Lookup(counter, &perCPU); err != nil {
			return c, fmt.Errorf("read counter %d: %w", counter, err)
		}
		for _, n := range perCPU {
			*to += n
		}
	}
	return c, nil
}

// MaxRate is the highest rate that the kernel allows, in hertz; 0 if it does not say.
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
