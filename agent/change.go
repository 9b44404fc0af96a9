package agent

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"reflect"
	"runtime/debug"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/jobs"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/resource"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/trigger"
	reqctx "github.com/hotspan/hotspan/context"
)

// ErrPartly says that the system has refused a part of a change. The rest of it is made.
var ErrPartly = errors.New("a part of the change is not made")

// Change goes on with another configuration while Run samples: with its Select, Rate, SnapshotEvery, CPUBudget,
// MemoryLimit, Rules, Labels and NoSourceMaps. The other fields keep their values. It returns when that has happened;
// an error that is not ErrPartly says why nothing has changed. Processes that have not been read when ctx ends are
// profiled when they are. Intervals touch. Another rate begins with a snapshot; other rules, labels and source maps
// too, and take a pause of sampling of some milliseconds, which is logged. It is safe for concurrent use.
func (a *Agent) Change(ctx context.Context, c Config) error {
	if err := cmp.Or(ctx.Err(), c.check()); err != nil {
		return err
	}
	done := make(chan error, 1)
	a.async.Post(func() { a.change(ctx, &c, func(err error) { done <- err }) })
	select {
	case err := <-done:
		return err
	case <-a.ended:
		return errors.New("the agent has ended")
	}
}

// change makes a change, and calls done. It runs on the goroutine of Run, whose a.config is.
func (a *Agent) change(ctx context.Context, c *Config, done func(error)) {
	switch {
	case !a.config.timed():
		done(errors.New("the configuration of probes and waits cannot be changed"))
		return
	case a.changing:
		done(errors.New("another change of the configuration is under way"))
		return
	}
	next := a.config
	next.Select, next.Rate, next.SnapshotEvery, next.CPUBudget = c.Select, c.Rate, c.SnapshotEvery, c.CPUBudget
	next.MemoryLimit, next.Rules, next.Labels, next.NoSourceMaps = c.MemoryLimit, c.Rules, c.Labels, c.NoSourceMaps
	if next.Labels == a.config.Labels && next.NoSourceMaps == a.config.NoSourceMaps &&
		reflect.DeepEqual(next.Rules, a.config.Rules) {
		done(a.apply(&next, nil, nil))
		return
	}
	tree, err := reqctx.NewTree(next.Labels.Rules(next.Rules))
	if err != nil {
		done(err)
		return
	}
	r := a.newReading(tree, &next)
	pids := slices.Collect(maps.Keys(a.targets))
	a.changing = a.async.Run(jobs.All, func() func() {
		targets := map[int]*target{}
		for i := 0; i < len(pids) && ctx.Err() == nil; i++ {
			if t, err := a.readProcess(&resource.Origin{PID: pids[i]}, r, false); err == nil {
				targets[pids[i]] = t
			}
		}
		return func() { done(a.apply(&next, r, targets)) }
	})
	if !a.changing {
		done(errCrowd)
	}
}

// newReading makes what contexts are read by.
func (a *Agent) newReading(tree *reqctx.Tree, c *Config) *reading {
	r := &reading{
		tree: tree, decoder: labels.NewDecoder(tree, a.sampler, a.log), maps: !c.NoSourceMaps, code: c.JITCode,
	}
	r.decoder.ContextIDs = c.ContextIDs
	return r
}

// apply makes next the configuration. If r is not nil, samples are read by it from now on, and targets are the
// processes as r needs them.
func (a *Agent) apply(next *Config, r *reading, targets map[int]*target) (err error) {
	a.changing = false
	before := a.config
	a.config = *next
	a.drain()
	if next.limits() != before.limits() {
		if next.MemoryLimit == 0 && before.MemoryLimit > 0 {
			debug.SetMemoryLimit(math.MaxInt64)
		}
		a.budget.SetLimits(next.limits())
		a.keepLess(a.budget.State().Saving)
	}
	rate := a.budget.State().Rate
	switch {
	case r != nil:
		err = a.reread(r, targets, rate)
	case rate != a.rate:
		err = a.setRate(rate)
	}
	if next.SnapshotEvery != before.SnapshotEvery {
		a.open(a.since)
		if now := a.now(); now.After(a.end) {
			a.end = now
		}
	}
	if !reflect.DeepEqual(next.Select, before.Select) {
		err = errors.Join(err, a.selectAgain())
	}
	if err != nil {
		err = errors.Join(ErrPartly, err)
	}
	return err
}

// reread puts processes in the place of those that are read by other rules. Nothing is sampled meanwhile: what a sample
// has of its context can be told by its own rules only.
func (a *Agent) reread(r *reading, targets map[int]*target, rate int) error {
	from, err := a.sampler.Pause()
	a.drainAll(math.MaxInt64)
	a.stats.BadLabels += a.reading.decoder.BadValues
	a.reading = r
	for pid, old := range maps.Clone(a.targets) {
		a.detach(old)
		t := targets[pid]
		if t == nil || t.opened < old.opened { // it has started, or called execve, since
			a.attachNew(&resource.Origin{PID: pid}, false, func(error) {})
			continue
		}
		delete(targets, pid)
		if err := a.activate(t); err != nil {
			a.log.Warn("process is not profiled any more", "pid", pid, "why", err)
		}
	}
	for _, t := range targets { // of processes that have ended, or run another program
		t.release(true)
	}
	to, changing := a.sampler.Change(trigger.Config{Rate: rate})
	if to == 0 {
		rate = a.rate // the timers are those that there were
	}
	a.begin(from, rate)
	a.log.Info("contexts are read by other settings", "processes", len(a.targets),
		"sampling paused", time.Duration(max(to-from, 0)).Round(time.Microsecond))
	return errors.Join(err, changing)
}

// selectAgain ends the profiling of processes that are not selected any more, and begins that of others.
func (a *Agent) selectAgain() error {
	s := a.config.Select
	if err := a.sampler.ReportExecs(s.PIDs, s.open()); err != nil {
		return err
	}
	a.selected = sampler.Now()
	return a.list(a.setSelected)
}

// setSelected profiles the selected processes, and of others those only that hotspan has met since at.
func (a *Agent) setSelected(selected []int, at int64) {
	var left []*target
	for pid, t := range a.targets {
		if !slices.Contains(selected, pid) && t.opened < at {
			_ = a.sampler.RemoveProcess(pid) // if that fails, detach says so
			left = append(left, t)
		}
	}
	a.drain() // what was sampled of them
	for _, t := range left {
		if a.targets[t.PID] == t {
			a.detach(t)
		}
	}
	a.starts.Forget(func(pid int) bool { return slices.Contains(selected, pid) })
	a.attachOthers(selected)
}
