package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/selfcheck"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// New loads the BPF program and attaches to the processes that are selected. Sampling starts in Run. Without a call of
// Run or Close the BPF program stays loaded until this process ends. The error is ErrNoProcess, ErrNotNode or ErrGone,
// that of an invalid Config, or one of the system.
func New(c Config) (*Agent, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if !procs.InHostPIDNamespace() {
		return nil, errors.New("process ids here are not the kernel's: " +
			"run hotspan in the host's PID namespace (docker run --pid=host)")
	}
	tree, err := reqctx.NewTree(c.Labels.Rules(c.Rules))
	if err != nil {
		return nil, err
	}
	a := &Agent{
		config: c, log: c.Log, tree: tree, kernel: symbolize.NewKernel(c.Log),
		begun:   sampler.Now() - int64(time.Since(c.Begun)),
		targets: map[int]*target{}, pendingStarts: map[int]schedule{},
	}
	a.checks = selfcheck.New(c.Log, a.found)
	if !c.NoSourceMaps {
		a.maps = sourcemaps.New(c.Log)
	}
	a.sampler, err = sampler.Open(sampler.Config{
		RingBytes: uint32(c.RingBytes), Execs: c.Select.PIDs, AllExecs: c.Select.open(),
	})
	if err != nil {
		return nil, err
	}
	a.async = newAsync(a.sampler.Interrupt)
	a.learners = labels.NewLearners(tree, a.sampler, c.Log)
	a.decoder = labels.NewDecoder(tree, a.sampler, c.Log)
	a.files = elffile.NewCache(a.sampler)
	a.keepFiles()
	for _, path := range c.Preload {
		if err := a.files.Preload(path); err != nil {
			a.log.Debug("not read ahead", "file", path, "why", err)
		}
	}
	if err := a.attachSelected(); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// Close releases an Agent on which Run was not called.
func (a *Agent) Close() {
	a.sampler.Close()
	a.files.Close()
}

// Run samples until the context ends or all selected processes have ended, and then releases the Agent. Call it once.
// The error is that of a sink, or says why sampling could not start. The life of a sample: it is read from the ring
// buffer, symbolized, labelled and added to the current snapshot; at the end of its interval the snapshot is cut and
// given to the sinks.
func (a *Agent) Run(ctx context.Context) (Stats, error) {
	defer a.Close()
	if a.config.RaisePriority {
		defer priority.Raise()()
	}
	defer context.AfterFunc(ctx, a.sampler.Interrupt)()
	defer a.checks.Close()
	go a.async.work() // from here on only this goroutine uses the file cache
	defer close(a.async.jobs)
	if err := a.start(); err != nil {
		return a.stats, err
	}
	if err := a.sampler.Start(a.config.trigger()); err != nil {
		stats, closing := a.finish()
		return stats, errors.Join(err, closing)
	}
	a.sampling = sampler.Now()
	a.tell()
	end := a.nextCut(a.stats.Start)
	for ctx.Err() == nil && !a.finished() {
		a.sampler.Wait(earliest(end.Add(slack), a.nextMaintenance()))
		a.drain()
		a.async.drainResults()
		if now := time.Now(); now.After(end.Add(slack)) {
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
		a.builder.SetProcess(t.PID, t.described())
		a.checks.Add(t.Process, selfcheck.Running)
	}
	var sinks []*delivery
	for _, s := range a.config.Sinks {
		sinks = append(sinks, newDelivery(s, a.log))
	}
	a.passes = newPasses(a.maps, sinks, a.log)
	return nil
}

// slack is how long the last samples of a snapshot may take to arrive after its end: the BPF program writes a sample to
// the ring buffer microseconds after it has read the clock.
const slack = 20 * time.Millisecond

// stop ends sampling and handles the samples that are left.
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
	a.stats.BadLabels = a.decoder.BadValues
	a.stats.Unmatched = a.unmatched()
	return a.stats, errors.Join(errs...)
}

// unmatched returns the user's rules that never made a label.
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
