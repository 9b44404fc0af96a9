// Package agent is the profiler: it samples Node.js processes from outside, names what it finds, joins each sample to
// the request that ran, and hands immutable snapshots to sinks. ARCHITECTURE.md follows one sample through it.
package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/binary"
	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/symbols"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// Config says what to profile and what to do with it.
type Config struct {
	Select        Selection
	Rate          int            // samples a second and CPU
	Rules         []reqctx.Rule  // of labels, beside the built-in ones
	Labels        reqctx.Kinds   // of the kinds of label that are wanted
	SnapshotEvery time.Duration  // 0 = one snapshot of the whole time
	RingBytes     int            // of the ring buffer, a power of two; 0 = 16 MiB
	Sinks         []Sink         // get each snapshot
	NoSourceMaps  bool           // generated positions stay
	Preload       []string       // executables that are about to run: what is read of them now delays no sample then
	Log           *slog.Logger   // for what a user should know; nil = nothing
	Progress      func(Progress) // called about twice a second; nil = not
}

// Sink takes snapshots. Write is called from one goroutine a sink; it may be slow: then snapshots of its own are lost,
// counted, and no others.
type Sink interface {
	Write(context.Context, *pprofx.Snapshot) error
	Name() string // for messages
}

// slack is how long after the end of a snapshot its last samples may still be on their way: the program puts a sample
// into the ring buffer microseconds after it took the time.
const slack = 20 * time.Millisecond

const progressEvery = 500 * time.Millisecond

// Agent is a running profiler.
type Agent struct {
	config  Config
	log     *slog.Logger
	tree    *reqctx.Tree
	sampler *sampler.Sampler
	files   *binary.Cache
	kernel  func() *symbols.Table // nil if they cannot be read
	targets map[int]*target
	pupils  sync.Map         // *pupil by pid
	young   map[int]schedule // processes that have started lately, without V8
	control control

	kernelFrames map[uint64]*pprofx.Frame
	labelSets    map[string][]pprofx.Label // by the bytes that they were made of
	matched      map[string]bool           // labels that were made
	seen         []string                  // properties of stores, of processes that have ended

	builder *pprofx.Builder
	clock   clock
	stats   Stats
	maps    *sourceMaps // nil: they are not applied
	sinks   []*delivery
	passes  *passes
	shown   time.Time
}

// New loads the BPF program and attaches to the processes that are selected. It does not sample before Run.
func New(c Config) (*Agent, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.RingBytes == 0 {
		c.RingBytes = 16 << 20
	}
	if !procs.InHostPIDNamespace() {
		return nil, errors.New("process ids here are not the kernel's: run hotspan in the host's PID namespace (docker run --pid=host)")
	}
	tree, err := reqctx.NewTree(c.Labels.Rules(c.Rules))
	if err != nil {
		return nil, err
	}
	a := &Agent{
		config: c, log: c.Log, tree: tree, targets: map[int]*target{}, young: map[int]schedule{}, control: newControl(),
		kernel:       sync.OnceValue(func() *symbols.Table { return kernelSymbols(c.Log) }),
		kernelFrames: map[uint64]*pprofx.Frame{}, labelSets: map[string][]pprofx.Label{}, matched: map[string]bool{},
	}
	go a.kernel() // a tenth of a second, in which samples that wait for a name would lose it
	if !c.NoSourceMaps {
		a.maps = newSourceMaps(c.Log)
	}
	if a.sampler, err = sampler.Open(sampler.Config{RingBytes: uint32(c.RingBytes), First: a.teach}); err != nil {
		return nil, err
	}
	a.files = binary.NewCache(a.sampler)
	for _, path := range c.Preload {
		if err := a.files.Preload(path); err != nil {
			a.log.Debug("not read ahead", "file", path, "why", err)
		}
	}
	if err := a.attachSelected(); err != nil {
		a.sampler.Close()
		return nil, err
	}
	return a, nil
}

func kernelSymbols(log *slog.Logger) *symbols.Table {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		log.Warn("kernel frames will have no names", "why", err)
		return nil
	}
	defer f.Close()
	t, err := symbols.Kernel(f)
	if err != nil {
		log.Warn("kernel frames will have no names", "why", err)
	}
	return t
}

// Run samples until the context ends or all processes have. This is the life of a sample: it is read from the ring
// buffer, named, joined to its request and folded into the snapshot of its time; when that is over it is cut and given
// to the sinks.
func (a *Agent) Run(ctx context.Context) (Stats, error) {
	defer a.sampler.Close()
	go a.control.work() // from here on the file cache is its own
	defer close(a.control.jobs)
	hurry()
	a.start()
	if err := a.sampler.Start(a.config.Rate); err != nil {
		return a.stats, err
	}
	end := a.nextCut(a.stats.Start)
	for ctx.Err() == nil && !a.finished() {
		a.readUntil(a.soon(end))
		if now := time.Now(); now.After(end.Add(slack)) {
			a.drain()
			a.cut(end)
			end = a.nextCut(end)
		}
		a.tend()
	}
	a.stop()
	return a.finish()
}

// stop ends the sampling and takes what there still is.
func (a *Agent) stop() {
	a.stats.End = time.Now()
	a.sampler.Stop()
	a.drain()
	a.cut(time.Now())
}

func (a *Agent) start() {
	a.stats.Start = time.Now()
	a.clock.set()
	a.builder = pprofx.NewBuilder(a.stats.Start.UnixNano(), int64(time.Second)/int64(a.config.Rate))
	for _, t := range a.targets {
		a.builder.SetProcess(t.pid, t.process)
	}
	for _, s := range a.config.Sinks {
		a.sinks = append(a.sinks, newDelivery(s, a.log))
	}
	a.passes = newPasses(a.maps, a.sinks, a.log)
}

// nextCut is the end of the snapshot that begins at a time.
func (a *Agent) nextCut(start time.Time) time.Time {
	if a.config.SnapshotEvery == 0 {
		return start.AddDate(100, 0, 0)
	}
	return start.Add(a.config.SnapshotEvery)
}

// hurry lets this thread run before others: on a busy machine what samples refer to would be gone before it is read.
// It takes CAP_SYS_NICE; without it names of code that lives for milliseconds are missing more often.
func hurry() {
	runtime.LockOSThread()
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, -10)
}

// soon is when the loop must look up from the ring buffer at the latest.
func (a *Agent) soon(end time.Time) time.Time {
	if tick := time.Now().Add(5 * time.Millisecond); tick.Before(end.Add(slack)) {
		return tick
	}
	return end.Add(slack)
}

// readUntil handles records until a deadline.
func (a *Agent) readUntil(deadline time.Time) {
	for time.Now().Before(deadline) {
		r, err := a.sampler.Read(deadline)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			a.handle(r, err)
			a.drain()
		}
		a.settle()
	}
}

// drain handles what is in the ring buffer now, and not what comes while it does.
func (a *Agent) drain() {
	now := monotonic()
	for {
		r, err := a.sampler.Read(time.Unix(1, 0))
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		a.handle(r, err)
		if r.Sample != nil && int64(r.Sample.Time) > now {
			return
		}
	}
}

func (a *Agent) handle(r sampler.Record, err error) {
	switch {
	case err != nil:
		a.lose(LostMalformed, 1)
	case r.Sample != nil:
		a.sample(r.Sample)
	default:
		a.lifecycle(*r.Lifecycle)
	}
}

// sample makes one sample of what the program read, and folds it.
func (a *Agent) sample(s *sampler.Sample) {
	t := a.targets[int(s.Pid)]
	if t == nil {
		a.lose(LostExited, 1)
		return
	}
	out := &t.sample
	out.Time = a.clock.unix(s.Time)
	out.PID, out.TID, out.CPU = int(s.Pid), int(s.Tid), int(s.Cpu)
	out.Thread = t.threadName(s)
	out.State = vmState(s.VmState)
	out.Stop = stopNames[min(int(s.Stop), len(stopNames)-1)]
	t.flags = flags{}
	out.Labels = a.join(t, s)
	if s.Work != 0 {
		out.Labels = t.jobLabels(s, out.Labels)
	}
	out.Stack = a.name(t, s)
	a.meet(t)
	a.stats.count(out, t.flags)
	a.builder.Add(out)
}

// cut ends the snapshot at a time and hands it over.
func (a *Agent) cut(end time.Time) {
	a.countRing()
	snapshot := a.builder.Cut(end.UnixNano())
	a.stats.written(snapshot)
	a.passes.put(snapshot)
}

// countRing puts what the program could not hand over since the last time into the snapshot.
func (a *Agent) countRing() {
	c, err := a.sampler.Counters()
	if err != nil {
		a.log.Warn("the program's counters cannot be read", "why", err)
		return
	}
	a.stats.Taken = int64(c.Taken)
	a.stats.InKernel = time.Duration(c.Nanoseconds)
	if n := int64(c.RingFull) - a.stats.ringFull; n > 0 {
		a.stats.ringFull = int64(c.RingFull)
		a.lose(LostRingFull, n)
	}
	if n := int64(c.EventRingFull); n > a.stats.eventsLost {
		a.log.Warn("the ring buffer had no room for starts and ends of processes", "events", n-a.stats.eventsLost)
		a.stats.eventsLost = n
		a.forgetEnded()
	}
}

func (a *Agent) lose(reason string, n int64) { a.builder.Lose(reason, n) }

func (a *Agent) finish() (Stats, error) {
	a.passes.close()
	a.stats.SourceMaps, a.stats.SnapshotsLost = a.maps.counts(), a.passes.lost
	var errs []error
	for _, d := range a.sinks {
		if err := d.close(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", d.sink.Name(), err))
		}
		a.stats.SnapshotsLost += d.lost
	}
	a.stats.Unmatched = a.unmatched()
	return a.stats, errors.Join(errs...)
}

// stopNames say why a walk ended, by number of the BPF program.
var stopNames = [...]string{
	0:                  "unknown",
	bpf.StopRoot:       "root",
	bpf.StopDepth:      "too deep",
	bpf.StopUnreadable: "stack unreadable",
	bpf.StopNoRule:     "no unwind rule",
	bpf.StopNoProgress: "no progress",
	bpf.StopBadPC:      "bad return address",
	bpf.StopBadPC + 1:  "unknown",
}
