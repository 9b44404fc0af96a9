package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// New loads the BPF program and attaches to the processes that are selected. It does not sample before Run. Call Run or
// Close, or the BPF program stays loaded until this process ends. The error is ErrNoProcess, ErrNotNode, ErrGone, one
// of a Config that makes no sense, or the system's.
func New(c Config) (*Agent, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if !procs.InHostPIDNamespace() {
		return nil, errors.New("process ids here are not the kernel's: run hotspan in the host's PID namespace (docker run --pid=host)")
	}
	tree, err := reqctx.NewTree(c.Labels.Rules(c.Rules))
	if err != nil {
		return nil, err
	}
	a := &Agent{
		config: c, log: c.Log, tree: tree, kernel: symbolize.NewKernel(c.Log),
		learners: labels.NewLearners(tree, c.Log),
		async:    newAsync(), targets: map[int]*target{}, pendingStarts: map[int]schedule{},
	}
	if !c.NoSourceMaps {
		a.maps = sourcemaps.New(c.Log)
	}
	a.sampler, err = sampler.Open(sampler.Config{
		RingBytes: uint32(c.RingBytes), First: a.learners.Answer, RaisePriority: c.RaisePriority,
	})
	if err != nil {
		return nil, err
	}
	a.learners.Connect(a.sampler)
	a.decoder = labels.NewDecoder(tree, a.sampler, c.Log)
	a.files = elffile.NewCache(a.sampler)
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

// Close lets go of an Agent that is not run.
func (a *Agent) Close() { a.sampler.Close() }

// Run samples until the context ends or all processes have, and lets go of the Agent; it can be called once. The error
// is of a sink, or says that sampling could not begin. This is the life of a sample: it is read from the ring buffer,
// named, joined to its request and folded into the snapshot of its time; when that is over it is cut and given to the
// sinks.
func (a *Agent) Run(ctx context.Context) (Stats, error) {
	defer a.sampler.Close()
	go a.async.work() // from here on the file cache is its own
	defer close(a.async.jobs)
	if a.config.RaisePriority {
		defer raisePriority()()
	}
	if err := a.start(); err != nil {
		return a.stats, err
	}
	if err := a.sampler.Start(a.config.trigger()); err != nil {
		return a.stats, err
	}
	end := a.nextCut(a.stats.Start)
	for ctx.Err() == nil && !a.finished() {
		a.readUntil(nextDeadline(end))
		if now := time.Now(); now.After(end.Add(slack)) {
			a.drain()
			a.cut(end)
			end = a.nextCut(end)
		}
		a.maintain()
	}
	a.stop()
	return a.finish()
}

func (a *Agent) start() (err error) {
	a.stats.Start = time.Now()
	a.clock.set()
	period := a.config.trigger().Period()
	if a.builder, err = pprofx.NewBuilder(a.stats.Start.UnixNano(), int64(period)); err != nil {
		return err
	}
	for _, t := range a.targets {
		a.builder.SetProcess(t.PID, t.labels.Described())
	}
	var sinks []*delivery
	for _, s := range a.config.Sinks {
		sinks = append(sinks, newDelivery(s, a.log))
	}
	a.passes = newPasses(a.maps, sinks, a.log)
	return nil
}

// raisePriority lets the calling goroutine run before others, and returns what undoes it: on a busy machine what
// samples refer to would be gone before it is read. It takes CAP_SYS_NICE; without it names of code that lives for
// milliseconds are missing more often.
func raisePriority() (undo func()) {
	runtime.LockOSThread()
	tid := unix.Gettid()
	before, err := unix.Getpriority(unix.PRIO_PROCESS, tid)
	if err == nil {
		err = unix.Setpriority(unix.PRIO_PROCESS, tid, sampler.Nice)
	}
	return func() {
		if err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, tid, 20-before) // the system call gives 20 less the level
		}
		runtime.UnlockOSThread()
	}
}

// slack is how long after the end of a snapshot its last samples may still be on their way: the BPF program puts a
// sample into the ring buffer microseconds after it took the time.
const slack = 20 * time.Millisecond

// lookUp is how often the loop looks up from the ring buffer.
const lookUp = 5 * time.Millisecond

// nextDeadline is when the loop must look up from the ring buffer at the latest.
func nextDeadline(end time.Time) time.Time {
	if tick := time.Now().Add(lookUp); tick.Before(end.Add(slack)) {
		return tick
	}
	return end.Add(slack)
}

// stop ends the sampling and takes what there still is.
func (a *Agent) stop() {
	a.stats.End = time.Now()
	a.sampler.Stop()
	a.drain()
	a.cut(time.Now())
}

// finish waits for the sinks.
func (a *Agent) finish() (Stats, error) {
	a.passes.close()
	if a.maps != nil {
		a.stats.SourceMaps = MapStats(a.maps.Stats())
	}
	a.stats.SnapshotsLost = a.passes.lost
	var errs []error
	for _, d := range a.passes.sinks {
		if err := d.close(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", d.sink.Name(), err))
		}
		a.stats.SnapshotsLost += d.lost
	}
	if a.decoder != nil {
		a.stats.BadLabels = a.decoder.BadValues
	}
	a.stats.Unmatched = a.unmatched()
	return a.stats, errors.Join(errs...)
}

// unmatched are the rules of the user that never made a label.
func (a *Agent) unmatched() []Unmatched {
	seen := slices.Clone(a.properties)
	for _, t := range a.targets {
		seen = append(seen, t.learner.StoreProperties()...)
	}
	slices.Sort(seen)
	seen = slices.Compact(seen)
	var out []Unmatched
	for _, r := range a.config.Rules {
		if !a.decoder.Matched(r.Label) {
			out = append(out, Unmatched{Label: r.Label, Seen: seen})
		}
	}
	return out
}
