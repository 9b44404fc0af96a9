// Package sampler runs the BPF program on a timer on each CPU, fills its maps and reads its samples.
package sampler

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/trigger"
)

// Config says how to sample.
type Config struct {
	RingBytes uint32        // size of the ring buffer, a power of two
	First     func(*Sample) // called with each sample as soon as it arrives, on a goroutine of its own; may be nil
	// RaisePriority runs that goroutine at the nice level Nice.
	RaisePriority bool
}

// Sampler owns the BPF program, its maps and its timers. One goroutine may call Read while others set processes, tables
// and the rest of the BPF maps.
type Sampler struct {
	objects *bpf.Objects
	reader  *ringbuf.Reader
	records *records
	trigger *trigger.Timer // nil: stopped
	links   []link.Link
	tables  tableSlots
}

// Open loads the BPF program and attaches to the exec and exit of processes. It does not sample before Start.
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
	s.records = newRecords(s.reader, c.First, c.RaisePriority)
	for _, p := range []*ebpf.Program{objects.HotspanExec, objects.HotspanExit} {
		l, err := link.AttachTracing(link.TracingOptions{Program: p})
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("attach to the exec and exit of processes: %w", err)
		}
		s.links = append(s.links, l)
	}
	return s, nil
}

// New makes a Sampler of a BPF program that is loaded. It only fills the BPF maps: it reads no records and reports no
// exec or exit.
func New(objects *bpf.Objects) *Sampler { return &Sampler{objects: objects} }

// Start starts the trigger, which takes samples until Stop.
func (s *Sampler) Start(c trigger.Config) (err error) {
	s.trigger, err = trigger.Start(s.objects, c)
	return err
}

// Stop stops the trigger. Samples that were taken before can still be read.
func (s *Sampler) Stop() {
	if s.trigger != nil {
		s.trigger.Stop()
		s.trigger = nil
	}
}

// Close stops the timers, unloads the BPF program and releases everything else.
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

// Record is a record of the ring buffer: a sample, or the exec or exit of a process.
type Record struct {
	Sample    *Sample
	Lifecycle *bpf.Lifecycle
}

// Read waits for the next record. At the deadline the error is os.ErrDeadlineExceeded; with a deadline in the past Read
// returns only records that are there already. ErrMalformed concerns one record: the next can be read.
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

// Counters are the BPF program's own counts since Open.
type Counters struct {
	Taken         uint64 // samples of profiled processes
	RingFull      uint64 // of these, lost because the ring buffer was full
	EventRingFull uint64 // exec and exit events lost because the ring buffer was full
	Nanoseconds   uint64 // time that taking the samples took, on all CPUs together
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
