// Package sampler runs the BPF program on a timer on each CPU, fills its maps and reads its samples.
package sampler

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/probe"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/trigger"
	"github.com/hotspan/hotspan/agent/internal/uvloop"
	"github.com/hotspan/hotspan/pprofx"
)

// Config says how to sample.
type Config struct {
	RingBytes uint32 // size of the ring buffer, a power of two
	// Execs are processes whose execve is reported before they are sampled, too. AllExecs reports that of every process
	// on the machine, which costs each some microseconds.
	Execs    []int
	AllExecs bool
	// TableBytes is the most that unwind tables may take; 0 is any amount. Files beyond it go without.
	TableBytes int64
	Beside     bool // its maps are not in MapBytes, but in MapBytesBeside
	// Probes are sampled instead of a timer, or waits of at least OffCPU, not both; each probe, and waits, ProbeLimit
	// times a second on each CPU at most. Timer samples by the timer, too. The probe stall has samples of the timer and
	// of waits: see Counts.
	Probes     []string
	OffCPU     time.Duration
	Timer      bool
	ProbeLimit int
	Log        *slog.Logger // of probes and CPUs; may be nil where there are no probes
	// SampledRecords has the addresses of the records in samples kept: see Sampler.SampledRecords.
	SampledRecords bool
}

// Sampler owns the BPF program, its maps and its timers. One goroutine may call Wait, Read and LookAhead while others
// set processes, tables and the rest of the BPF maps.
type Sampler struct {
	objects *bpf.Objects
	records *turns // of the ring buffer
	waiter  *waiter
	known   *Known
	read    bool   // a record was read since the last call of Wait
	sample  Sample // what Read has returned, if it was one
	ahead   Sample // what LookAhead has
	learned *learnedMaps
	trigger *trigger.Timer   // nil: stopped
	probes  *trigger.Probes  // nil: there are none
	offCPU  *trigger.OffCPU  // nil: waits are not sampled
	timed   bool             // the timer takes samples
	labels  *probe.Labels    // nil: samples have none that say what took them
	period  int64            // of the timer beside waits, nanoseconds
	kept    map[uint16]int64 // what samples in snapshots stand for, by the number of the probe; 0 is the timer
	lost    map[lost]int64   // what others stand for that were read
	stalls  stalls
	links   []link.Link
	tables  *tableSlots
	places  *places
	placing placing
	loaded  chan struct{} // closed when the programs are loaded, or loadErr says why not
	loadErr error

	watching chan struct{} // closed when exec and exit are reported, or watchErr says why not
	watchErr error

	closing   sync.RWMutex     // see use
	closed    bool             // the BPF maps are
	hotplug   *trigger.Hotplug // nil: nothing tells that a CPU has come online
	throttled time.Duration    // of a trigger that has stopped
	inKernel  kernelTime
}

// Open creates the BPF maps, and loads the BPF program on a goroutine: see Loaded. It does not sample before Start.
func Open(c Config) (*Sampler, error) {
	stalls, err := newStalls(c.Probes)
	if err != nil {
		return nil, err
	}
	if stalls.least > 0 {
		c.Probes, c.OffCPU, c.Timer = nil, stallWait, true
	}
	probes, err := probe.ParseAll(c.Probes)
	if err != nil {
		return nil, err
	}
	wanted := trigger.Wanted(probes)
	wanted.Waits, wanted.Timer = c.OffCPU > 0, c.Timer
	objects, load, err := bpf.Create(c.RingBytes, c.SampledRecords, wanted)
	if err != nil {
		return nil, err
	}
	s := New(objects)
	s.stalls, s.tables = stalls, newTableSlots(c.TableBytes)
	addMaps(objects, s.tables, c.Beside)
	s.watching, s.loaded = make(chan struct{}), make(chan struct{})
	go s.load(load)
	if err := s.open(c, probes); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Sampler) load(l *bpf.Loader) {
	defer close(s.loaded)
	if s.loadErr = l.Lifecycle(); s.loadErr == nil {
		s.loadErr = s.attach()
	}
	s.watchErr = s.loadErr
	close(s.watching)
	if s.loadErr == nil {
		s.loadErr = l.Sampling()
	}
}

func (s *Sampler) open(c Config, probes []probe.Spec) (err error) {
	s.timed = c.Timer || len(probes) == 0 && c.OffCPU == 0
	if len(probes) > 0 {
		s.labels = probe.NewLabels(pprofx.ProbeLabel, probe.Texts(probes))
		if s.probes, err = trigger.NewProbes(s.objects, probes, c.ProbeLimit, c.Log); err != nil {
			return err
		}
	}
	if c.OffCPU > 0 {
		if s.offCPU, err = trigger.NewOffCPU(s.objects, c.OffCPU, c.ProbeLimit); err != nil {
			return err
		}
		if c.Timer {
			s.labels = probe.NewLabels(pprofx.CPULabel, []string{"on", "off"})
		}
		if text := s.stalls.text; text != "" {
			s.labels = probe.NewLabels(pprofx.ProbeLabel, []string{text, text})
		}
	}
	ring, err := newRing(s.objects.Events)
	if err != nil {
		return err
	}
	s.records = newTurns(ring, processOf)
	if s.waiter, err = newWaiter(s.objects.Events, s.objects.Consumers); err != nil {
		return err
	}
	// Wait returns when a CPU has come: no sample on it would wake hotspan.
	if s.hotplug, err = trigger.WatchCPUs(s.Interrupt); err != nil && c.Log != nil {
		c.Log.Warn("CPUs that come online later are not sampled", "why", err)
	}
	if s.known, err = NewKnown(s.objects); err != nil {
		return err
	}
	return s.ReportExecs(c.Execs, c.AllExecs)
}

// ReportExecs has the execve of processes reported before they are sampled, too: of these, or of all. It adds to what
// was asked for before, but that of all is ended.
func (s *Sampler) ReportExecs(pids []int, all bool) error {
	if all {
		pids = []int{0}
	} else if err := s.objects.Execs.Delete(uint32(0)); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return fmt.Errorf("have the exec of processes not reported: %w", err)
	}
	for _, pid := range pids {
		if err := s.objects.Execs.Put(uint32(pid), uint8(1)); err != nil {
			return fmt.Errorf("have the exec of processes reported: %w", err)
		}
	}
	return nil
}

// attach has the exec and exit of processes reported, and the replacing of code noticed.
func (s *Sampler) attach() error {
	for _, p := range []*ebpf.Program{s.objects.HotspanExec, s.objects.HotspanExit, s.objects.HotspanMap} {
		l, err := link.AttachTracing(link.TracingOptions{Program: p})
		if err != nil {
			return fmt.Errorf("attach to what processes do: %w", err)
		}
		s.links = append(s.links, l)
	}
	return nil
}

// Watching waits until the exec and exit of processes is reported, and returns the error if it is not. Processes that
// are looked for afterwards are found, or reported.
func (s *Sampler) Watching() error {
	<-s.watching
	return s.watchErr
}

// Loaded waits until the BPF program is loaded, and returns the error if it is not.
func (s *Sampler) Loaded() error {
	<-s.loaded
	return s.loadErr
}

// New makes a Sampler of a BPF program that is loaded. It only fills the BPF maps: it reads no records and reports no
// exec or exit.
func New(objects *bpf.Objects) *Sampler {
	s := &Sampler{
		objects: objects, learned: newLearnedMaps(objects), kept: map[uint16]int64{}, lost: map[lost]int64{},
		places: newPlaces(int(objects.Processes.MaxEntries())), tables: newTableSlots(0), loaded: make(chan struct{}),
	}
	s.watching = s.loaded
	close(s.loaded)
	return s
}

// Start starts the trigger, which takes samples until Stop. It waits until the BPF program is loaded.
func (s *Sampler) Start(c trigger.Config) (err error) {
	if err := s.Loaded(); err != nil {
		return err
	}
	switch {
	case s.probes != nil:
		err = s.probes.Start()
	case s.offCPU != nil:
		err, s.period = s.offCPU.Start(uint64(procs.Monotonic())), int64(c.Period())
	}
	if err == nil && s.timed {
		s.trigger, err = trigger.Start(s.objects, c)
	}
	return err
}

// Stop stops the trigger. Samples that were taken before can still be read.
func (s *Sampler) Stop() {
	if s.probes != nil {
		s.probes.Stop()
	}
	if s.offCPU != nil {
		s.offCPU.Stop()
	}
	if s.trigger != nil {
		s.trigger.Stop()
		s.throttled = s.trigger.Throttled()
		s.trigger = nil
	}
}

// Pause takes no samples until Change, and returns when that begins, on the clock of samples. A timer's only.
func (s *Sampler) Pause() (int64, error) {
	err := s.trigger.Pause()
	return procs.Monotonic(), err
}

// Change goes on with another trigger. at is a time, on the clock of samples, between the last sample of the old one
// and the first of the new one. All samples of the old one are in the ring buffer then. After an error the old one goes
// on, and at is 0.
func (s *Sampler) Change(c trigger.Config) (at int64, err error) {
	if err = s.trigger.Change(c.Rate, func() { at = procs.Monotonic() }); err != nil {
		at = 0
	}
	return at, err
}

// Close stops the timers, unloads the BPF program and releases everything else.
func (s *Sampler) Close() {
	removeMaps(s.objects)
	s.Stop()
	<-s.loaded
	s.placing.all()
	s.closing.Lock()
	s.closed = true
	s.closing.Unlock()
	for _, l := range s.links {
		l.Close()
	}
	if s.hotplug != nil {
		s.hotplug.Close()
	}
	if s.records != nil {
		s.records.close()
	}
	if s.waiter != nil {
		s.waiter.close()
	}
	if s.known != nil {
		s.known.Close()
	}
	s.objects.Close()
}

// Known is what the BPF program is told of what has been read.
func (s *Sampler) Known() *Known { return s.known }

// Wait waits until records should be read, until the deadline, or until Interrupt is called. The zero time is no
// deadline.
func (s *Sampler) Wait(deadline time.Time) {
	s.waiter.wait(deadline, s.read)
	s.read = false
}

// Interrupt ends the current call of Wait, or the next. It is safe for concurrent use.
func (s *Sampler) Interrupt() { s.waiter.interrupt() }

// ThreadEnded returns when a thread of a process ended last, on the clock of samples; 0: none has. The thread may be
// another process's that is profiled, too, and has a pid that is equal modulo bpf.MaxEnded.
func (s *Sampler) ThreadEnded(pid int) int64 { return s.waiter.threadEnded(pid) }

// Record is a record of the ring buffer: a sample, or the exec or exit of a process.
type Record struct {
	Sample    *Sample
	Lifecycle *bpf.Lifecycle
}

// ErrEmpty says that there is no record in the ring buffer.
var ErrEmpty = errors.New("no record in the ring buffer")

// Read returns a record of the ring buffer, or ErrEmpty: the oldest of the process whose turn it is. It does not wait.
// A record is valid until the next call of Read or Beyond.
// ErrMalformed concerns one record: the next can be read.
func (s *Sampler) Read() (Record, error) {
	b := s.records.next()
	if b == nil {
		return Record{}, ErrEmpty
	}
	s.read = true
	switch recordType(b) {
	case bpf.RecordSample:
		var err error
		s.sample, err = DecodeSample(b)
		return Record{Sample: &s.sample}, err
	case bpf.RecordExec, bpf.RecordExit:
		l, err := decodeLifecycle(b)
		return Record{Lifecycle: &l}, err
	}
	return Record{}, fmt.Errorf("%w: type %d, %d bytes", ErrMalformed, recordType(b), len(b))
}

// Took notes the work that the record took which Read has returned, as heap.Reader counts it: a process that takes much
// has its next turn later.
func (s *Sampler) Took(work int) { s.records.work = work }

// Beyond reports whether the oldest record that was looked at and not read is a sample taken after a time.
func (s *Sampler) Beyond(to int64) bool {
	s.records.free()
	b := s.records.oldest()
	of, err := decodeHeader(b)
	return err == nil && recordType(b) == bpf.RecordSample && int64(of.Time) > to
}

// Empty reports whether all records were read, and none is being written.
func (s *Sampler) Empty() bool { return s.records.empty() }

// LookAhead calls f with each sample that Read has still to return, once. A sample is valid while f runs.
func (s *Sampler) LookAhead(f func(*Sample)) {
	for b := s.records.lookAhead(); b != nil; b = s.records.lookAhead() {
		if recordType(b) != bpf.RecordSample {
			continue
		}
		var err error
		if s.ahead, err = DecodeSample(b); err == nil { // else it is counted when it is read
			f(&s.ahead)
		}
	}
}

// Counters are the BPF program's own counts since Open.
type Counters struct {
	Taken         uint64                      // samples of profiled processes, or hits of probes, or waits, in them
	EventRingFull uint64                      // exec and exit events lost because the ring buffer was full
	Nanoseconds   uint64                      // time that taking the samples took, on all CPUs together
	Lost          map[pprofx.LostReason]int64 // of those taken by the timer
	LostHits      map[pprofx.LostReason]int64 // of the others
}

// Counters reads the counters, summed over CPUs.
func (s *Sampler) Counters() (Counters, error) {
	var c Counters
	var ringFull, ringFullHit, overlapped uint64
	for counter, to := range map[uint32]*uint64{
		bpf.CountTaken: &c.Taken, bpf.CountRingFull: &ringFull, bpf.CountOverlapped: &overlapped,
		bpf.CountRingFullHit: &ringFullHit, bpf.CountEventRingFull: &c.EventRingFull,
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
	s.inKernel.count(c.Nanoseconds)
	c.Lost = map[pprofx.LostReason]int64{
		pprofx.LostRingFull: int64(ringFull), pprofx.LostOverlapped: int64(overlapped),
	}
	c.LostHits = map[pprofx.LostReason]int64{pprofx.LostRingFull: int64(ringFullHit)}
	hits, err := s.hits()
	if err != nil {
		return c, err
	}
	if s.offCPU != nil {
		waits, err := s.offCPU.Counts()
		if err != nil {
			return c, err
		}
		hits = append(hits, trigger.Hits{Counts: waits})
	}
	for _, h := range hits {
		c.Taken += uint64(h.All)
		for reason, n := range h.Lost {
			c.LostHits[reason] += n
		}
	}
	return c, nil
}

// Waits reads what threads have waited so far; nothing without Config.OffCPU.
func (s *Sampler) Waits() (trigger.Waits, error) {
	if s.offCPU == nil || s.OfStalls() {
		return trigger.Waits{}, nil
	}
	w, err := s.offCPU.Waits()
	w.Sampled, w.OnCPU = time.Duration(s.kept[trigger.OffCPUNumber]), time.Duration(s.kept[0])
	return w, err
}

// Hits reads what the probes have counted; nothing without probes.
func (s *Sampler) Hits() ([]trigger.Hits, error) {
	if s.OfStalls() {
		return s.stalls.counted(), nil
	}
	all, err := s.hits()
	for i := range all {
		number := uint16(trigger.Number(i))
		all[i].Sampled = s.kept[number]
		for of, weight := range s.lost {
			if of.probe == number {
				all[i].LostWeight[of.reason] += weight
			}
		}
	}
	return all, err
}

// hits reads what the BPF program has counted of probes.
func (s *Sampler) hits() ([]trigger.Hits, error) {
	if s.probes == nil {
		return nil, nil
	}
	return s.probes.Hits()
}

// OfStalls reports whether the probe is stall.
func (s *Sampler) OfStalls() bool { return s.stalls.least > 0 }

// Counts reports whether a sample is one of what was asked for: all are, but for those of the probe stall that are no
// hit. It is called once for each sample, named, with the loops of its process.
func (s *Sampler) Counts(of *Sample, named *pprofx.Sample, loops *uvloop.Loops) bool {
	return !s.OfStalls() || s.stalls.hit(of, named, loops)
}

// Weight returns what a sample stands for: of a wait, and of the timer beside waits, nanoseconds; 0 if it only counts.
func (s *Sampler) Weight(of *Sample) int64 {
	switch {
	case s.OfStalls():
		return 0
	case of.Probe == 0:
		return s.period
	}
	return int64(of.Weight)
}

// Kept counts what a sample stands for that is in a snapshot. Hits and Waits have the sums.
func (s *Sampler) Kept(of *Sample) { s.kept[of.Probe] += s.Weight(of) }

// lost is why samples of a probe are in no snapshot.
type lost struct {
	probe  uint16 // its number
	reason pprofx.LostReason
}

// Lost counts what a sample stands for that is in no snapshot. Hits has the sums.
func (s *Sampler) Lost(of *Sample, reason pprofx.LostReason) {
	s.lost[lost{of.Probe, reason}] += s.Weight(of)
}

// Labels returns labels, and with them the probe whose hit a sample is, if it is one.
func (s *Sampler) Labels(of *Sample, labels []pprofx.Label) []pprofx.Label {
	if s.labels == nil {
		return labels
	}
	return s.labels.With(labels, int(of.Probe))
}

// Sizes are the names and sizes of caches, to be logged: shapes of resources that were learned of processes.
func (s *Sampler) Sizes() []any { return []any{"shapes", s.learned.resources.len()} }
