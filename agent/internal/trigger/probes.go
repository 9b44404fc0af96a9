package trigger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/probe"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Probes take a sample at each hit of a probe, as far as a limit admits. Their methods are safe for concurrent use, but
// Start and Stop.
type Probes struct {
	objects *bpf.Objects
	specs   []probe.Spec
	limit   limit
	log     *slog.Logger

	mu        sync.Mutex
	started   bool
	stopped   bool           // nothing is put on any more
	attaching sync.WaitGroup // which Stop waits for: it uses BPF programs
	all       []io.Closer    // to system calls and tracepoints, of all processes
	on        map[int]*uprobes
	reached   []int           // processes that each uprobe was put on
	began     time.Time       // to count; zero: not yet
	late      []time.Duration // of each uprobe: after began, and after a process had its file, at the most
}

// uprobes are those of one process.
type uprobes struct {
	links   [][]io.Closer // by number of the probe, from 0 on; nil: not yet
	found   []probe.Place // likewise, where they will be; without a file: not looked for yet, or put there
	failed  []bool        // likewise: it will never be
	wanted  []time.Time   // likewise, since when its file is mapped, as far as is known yet; zero: it is not
	adding  bool          // by a call of Add
	delayed bool          // addLater waits
	closed  chan struct{} // not nil: they are taken off, and closed then
}

// Wanted says which BPF programs probes need.
func Wanted(specs []probe.Spec) (w bpf.Probes) {
	for _, s := range specs {
		w.Uprobes = w.Uprobes || s.Kind == probe.Uprobe || s.Kind == probe.USDT
		w.Uretprobes = w.Uretprobes || s.Kind == probe.Uretprobe
		w.Syscalls = w.Syscalls || s.Kind == probe.Syscall
		w.SyscallEnds = w.SyscallEnds || s.Kind == probe.SyscallEnd
		w.Tracepoints = w.Tracepoints || s.Kind == probe.Tracepoint
	}
	return w
}

const maxProbes = bpf.MaxSpecs - 1

// NewProbes prepares probes, of which each takes so many samples a second on each CPU at most, and after a pause so
// many at once; 0 is 1,000. The hits beyond are counted. log receives what Start does not wait for.
func NewProbes(objects *bpf.Objects, specs []probe.Spec, perSecond int, log *slog.Logger) (*Probes, error) {
	if len(specs) > maxProbes {
		return nil, fmt.Errorf("%d probes, at most %d", len(specs), maxProbes)
	}
	if err := checkKernel(specs); err != nil {
		return nil, err
	}
	limit, err := newLimit(objects, perSecond)
	if err != nil {
		return nil, err
	}
	p := &Probes{
		objects: objects, specs: specs, limit: limit, on: map[int]*uprobes{}, reached: make([]int, len(specs)),
		late: make([]time.Duration, len(specs)), log: log,
	}
	for i, s := range specs {
		if err := limit.admit(Number(i)); err != nil {
			return nil, err
		}
		c := bpf.Condition{Value: s.If.Value, Operand: s.If.Operand, Comparison: s.If.Comparison,
			Factors: s.Weight.Factors, First: s.Weight.First, Second: s.Weight.Second, Every: s.Every}
		if err := objects.Conditions.Put(Number(i), &c); err != nil {
			return nil, fmt.Errorf("condition of probe %s: %w", s.Text, err)
		}
	}
	return p, nil
}

// Number is that of a probe in the BPF program, where 0 is none.
func Number(i int) uint32 { return uint32(i + 1) }

// Add puts uprobes on a process that the BPF program samples, or, if they are on it, those whose files were not
// mapped. Before Start it only looks whether that is possible: then each file must be mapped. It reads these files, and
// may wait for them. It takes CAP_SYS_ADMIN. ok is false if the process is not to be sampled: a probe of its cannot be.
func (p *Probes) Add(pid int) (ok bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	u, first := p.uprobesOf(pid)
	if u.adding {
		return true, nil
	}
	err = p.addRest(pid, u)
	if err != nil && first {
		u.close()
		p.forget(pid, u)
		return false, err
	}
	return true, err
}

// addRest is addAll, and again if Start was called meanwhile, which does not wait for it.
func (p *Probes) addRest(pid int, u *uprobes) (err error) {
	u.adding = true
	for again := true; again; {
		started := p.started
		err = errors.Join(err, p.addAll(pid, u))
		again = p.started && !started
	}
	u.adding = false
	return err
}

// uprobesOf returns those of a process, and whether they are new. The caller holds p.mu.
func (p *Probes) uprobesOf(pid int) (u *uprobes, first bool) {
	for u = p.on[pid]; u != nil && u.closed != nil; u = p.on[pid] { // else the kernel would count a hit twice
		p.mu.Unlock()
		<-u.closed
		p.mu.Lock()
		p.forget(pid, u)
	}
	if u != nil {
		return u, false
	}
	n := len(p.specs)
	u = &uprobes{links: make([][]io.Closer, n), found: make([]probe.Place, n), failed: make([]bool, n),
		wanted: make([]time.Time, n)}
	p.on[pid] = u
	return u, true
}

// forget drops the uprobes of a process, which are closed. The caller holds p.mu.
func (p *Probes) forget(pid int, u *uprobes) {
	if p.on[pid] == u {
		delete(p.on, pid)
	}
}

// addAll puts on those probes that are not yet. The caller holds p.mu, but not while files are read.
func (p *Probes) addAll(pid int, u *uprobes) (err error) {
	begun := time.Now()
	for i := range p.specs {
		if p.lacks(u, i) && u.wanted[i].IsZero() {
			u.wanted[i] = begun
		}
	}
	for i := range p.specs {
		started, place := p.started, u.found[i]
		if !p.lacks(u, i) || place.File != nil && !started || p.stopped {
			continue
		}
		u.found[i] = probe.Place{}
		p.mu.Unlock()
		var links []io.Closer
		var failed error
		procs.Waited(procs.UserOf(pid), func() { place, links, failed = p.put(pid, i, place, started) })
		p.mu.Lock()
		switch {
		case p.on[pid] != u || u.closed != nil: // removed meanwhile
			closeAll(links)
			closePlace(place)
			return nil
		case failed == nil:
			u.found[i] = place
			if u.links[i] = links; links != nil {
				p.reached[i]++
				p.noteLate(i, u)
			}
		case errors.Is(failed, probe.ErrStarting):
			p.addLater(pid, u)
		case !started || !errors.Is(failed, probe.ErrNotMapped):
			u.failed[i] = true
			err = errors.Join(err, failed)
		default:
			u.wanted[i] = time.Time{}
		}
	}
	return err
}

// lacks reports whether a uprobe is to be put on a process.
func (p *Probes) lacks(u *uprobes, i int) bool {
	return p.specs[i].Kind.InFile() && u.links[i] == nil && !u.failed[i]
}

// noteLate notes how long hits of a probe have not counted. The caller holds p.mu.
func (p *Probes) noteLate(i int, u *uprobes) {
	if !p.began.IsZero() {
		p.late[i] = max(p.late[i], min(time.Since(p.began), time.Since(u.wanted[i])))
	}
}

// noteLacking notes that of the probes that are not on a process none will be. The caller holds p.mu.
func (p *Probes) noteLacking(u *uprobes) {
	for i := range p.specs {
		if p.lacks(u, i) && !u.wanted[i].IsZero() {
			p.noteLate(i, u)
		}
	}
}

// threadEvery is how often a process that starts is asked whether it has a second thread.
const threadEvery = 5 * time.Millisecond

// addLater puts the rest on when a process that is starting has a second thread. The caller holds p.mu.
func (p *Probes) addLater(pid int, u *uprobes) {
	if u.delayed {
		return
	}
	u.delayed = true
	go func() {
		for {
			time.Sleep(threadEvery)
			starting := procs.ThreadCount(pid) == 1
			p.mu.Lock()
			if p.on[pid] != u || u.closed != nil {
				p.mu.Unlock()
				return
			}
			if !starting && !u.adding {
				break
			}
			p.mu.Unlock()
		}
		defer p.mu.Unlock()
		u.delayed = false
		if err := p.addRest(pid, u); err != nil && !procs.Ended(pid) {
			p.log.Warn("a probe is not on a process", "pid", pid, "why", err)
		}
	}()
}

// put puts a probe on a process, or before Start only looks where that will be: then it returns the place, with which
// it is called again. So Start need not read files, which takes most of the time.
func (p *Probes) put(pid, i int, place probe.Place, started bool) (probe.Place, []io.Closer, error) {
	if place.File == nil {
		var err error
		if place, err = probe.Find(pid, p.specs[i]); err != nil || !started {
			return place, nil, err
		}
	}
	if !p.begin() {
		closePlace(place)
		return probe.Place{}, nil, nil
	}
	defer p.attaching.Done()
	links, err := attach(p.objects, p.specs[i].Kind, pid, Number(i), place)
	if !errors.Is(err, procs.ErrSlow) { // else the kernel may still open it
		procs.Close(place.File)
	}
	if err == nil {
		return probe.Place{}, links, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("the kernel permits uprobes to CAP_SYS_ADMIN only: run hotspan as root (%w)", err)
	}
	return probe.Place{}, nil, fmt.Errorf("probe %s: %w", p.specs[i].Text, err)
}

// begin reports whether a probe may be put on; not after Stop. Call attaching.Done when it is.
func (p *Probes) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped {
		p.attaching.Add(1)
	}
	return !p.stopped
}

// closePlace closes the file of a place that is not used. It does not wait for its file system.
func closePlace(at probe.Place) {
	if at.File != nil {
		go procs.Close(at.File)
	}
}

// Remove takes the uprobes off a process that the BPF program does not sample any more. It does not wait for that.
func (p *Probes) Remove(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.on[pid]
	if u == nil || u.closed != nil {
		return
	}
	u.closed = make(chan struct{})
	p.noteLacking(u)
	go func() {
		u.close()
		close(u.closed)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.forget(pid, u)
	}()
}

func (u *uprobes) close() {
	for i, links := range u.links {
		closeAll(links)
		closePlace(u.found[i])
	}
}

// How long Start waits for the processes: for those whose files are slow, and in any case. The others have their probes
// later, and one after the other.
const startSlow, startAnyway = 3 * time.Second, 10 * time.Second

// Start puts the probes on the processes that were added. Then the hits of all begin to count.
func (p *Probes) Start() error {
	if err := p.addAdded(); err != nil {
		return err
	}
	if err := errors.Join(
		p.startSyscalls(probe.Syscall, p.objects.Syscalls, p.objects.HotspanSyscall),
		p.startSyscalls(probe.SyscallEnd, p.objects.SyscallEnds, p.objects.HotspanSyscallEnd),
		p.startTracepoints(),
	); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began = time.Now()
	return p.limit.start()
}

// addAdded puts the probes on the processes that were added, side by side, and waits for most of them.
func (p *Probes) addAdded() error {
	p.mu.Lock()
	p.started = true
	pids := slices.Collect(maps.Keys(p.on))
	p.mu.Unlock()
	const most = 8 // at a time
	added, left := make(chan error, len(pids)), make(chan int, len(pids))
	for _, pid := range pids {
		left <- pid
	}
	close(left)
	var late atomic.Bool
	add := func() {
		for pid := range left {
			_, err := p.Add(pid)
			if procs.Ended(pid) {
				err = nil
			}
			if err != nil && (late.Load() || errors.Is(err, procs.ErrSlow)) {
				p.log.Warn("a probe is not on a process", "pid", pid, "why", err)
				err = nil
			}
			added <- err
		}
	}
	for range min(most, len(pids)) {
		go add()
	}
	begun, ticks := time.Now(), time.NewTicker(100*time.Millisecond)
	defer ticks.Stop()
	for n := len(pids); n > 0; {
		select {
		case err := <-added:
			if err != nil {
				return err
			}
			n--
		case <-ticks.C:
			if took := time.Since(begun); took > startAnyway || took > startSlow && procs.Late() {
				late.Store(true)
				p.log.Warn("hits of some processes begin to count later than the others", "processes", n)
				return nil
			}
		}
	}
	return nil
}

// startSyscalls has a program run where system calls begin, or where they end, if there are probes of that kind, whose
// numbers it finds in a map.
func (p *Probes) startSyscalls(kind probe.Kind, numbers *ebpf.Map, program *ebpf.Program) error {
	wanted := false
	for i, s := range p.specs {
		if s.Kind != kind {
			continue
		}
		if err := numbers.Put(s.Number, Number(i)); err != nil {
			return fmt.Errorf("probe %s: %w", s.Text, err)
		}
		wanted = true
	}
	if !wanted {
		return nil
	}
	l, err := link.AttachTracing(link.TracingOptions{Program: program})
	if err != nil {
		return fmt.Errorf("attach to system calls: %w", err)
	}
	p.all = append(p.all, l)
	return nil
}

func (p *Probes) startTracepoints() error {
	for i, s := range p.specs {
		if s.Kind != probe.Tracepoint {
			continue
		}
		l, err := startTracepoint(p.objects.HotspanTracepoint, s.Symbol, uint64(Number(i)))
		if err != nil {
			return fmt.Errorf("probe %s: %w", s.Text, err)
		}
		p.all = append(p.all, l)
	}
	return nil
}

// Stop takes the probes off, when the hits of all have ended to count. Add does nothing then.
func (p *Probes) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped {
		for _, u := range p.on {
			p.noteLacking(u)
		}
	}
	p.stopped = true
	p.attaching.Wait() // no file is waited for any longer than procs.Within does
	if p.started {
		p.started = false
		_ = p.limit.stop() // it fails for no map that Start has written to
		waitForPrograms()
		closeAll(p.all)
		p.all = nil
	}
	for pid, u := range p.on {
		if u.closed == nil {
			u.close()
		} else {
			<-u.closed
		}
		delete(p.on, pid)
	}
}

// waitForPrograms returns when BPF programs that run on other CPUs have returned. (membarrier(2),
// MEMBARRIER_CMD_GLOBAL: it waits for a grace period of RCU)
func waitForPrograms() {
	const global = 1
	_, _, _ = unix.Syscall(unix.SYS_MEMBARRIER, global, 0, 0) // fails where CPUs have no tick
}

// Hits are what a probe has counted.
type Hits struct {
	Text string // of the probe
	Counts
	Sampled   int64         // of Weight, what samples stand for that are in snapshots
	Bytes     bool          // Weight is a number of bytes
	InFile    bool          // the probe is on places in a file
	Every     bool          // one of several hits has a sample, which stands for all of them
	Processes int           // that it was put on then
	Late      time.Duration // after it had found a process, at the most: hits before that do not count
}

// Hits reads what the probes have counted, summed over CPUs.
func (p *Probes) Hits() ([]Hits, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]Hits, len(p.specs))
	for i, s := range p.specs {
		h := Hits{Text: s.Text, Bytes: s.Weight.Bytes, InFile: s.Kind.InFile(), Every: s.Every > 0,
			Processes: p.reached[i], Late: p.late[i]}
		var err error
		if h.Counts, err = p.limit.counts(Number(i)); err != nil {
			return nil, err
		}
		out[i] = h
	}
	return out, nil
}
