package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/jobs"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/resource"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/selfcheck"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/v8/functions"
)

// attachSelected attaches to the selected processes that are running.
func (a *Agent) attachSelected() error {
	s := &a.config.Select
	for _, pid := range s.PIDs {
		if err := a.attachNow(pid); err != nil {
			return err
		}
	}
	needed := s.Tree == 0 && !a.config.Wait
	if s.open() {
		if err := a.attachMatching(needed); err != nil {
			return err
		}
	}
	if len(a.targets) == 0 && needed {
		return fmt.Errorf("%w: none of the selected ones is running; hotspan doctor lists those that are", ErrNoProcess)
	}
	return nil
}

// attachNow attaches to a process, with V8 or without. It is read again if it calls execve meanwhile, as shells do.
func (a *Agent) attachNow(pid int) error {
	for tries := 10; ; tries-- {
		t, err := a.readProcess(&resource.Origin{PID: pid}, a.reading, true)
		if err == nil {
			err = a.activate(t)
		}
		if err == nil {
			_, err = a.sampler.AddProbes(pid)
		}
		if tries == 0 || !errors.Is(err, ErrGone) || procs.Ended(pid) {
			return err
		}
	}
}

// How long after the last process that was read others are slow, if some file is late, and in any case.
const slowAfter, slowAnyway = 2 * time.Second, 10 * time.Second

// attachMatching attaches to the processes that run and were not named by pid, side by side. One that starts meanwhile
// is reported. It does not wait for slow ones, unless one is needed: Run attaches to these when they have been read.
func (a *Agent) attachMatching(needed bool) error {
	watching := a.sampler.Watching()
	pids, err := procs.All()
	if err := errors.Join(watching, err); err != nil {
		return err
	}
	hidden := 0
	for _, pid := range pids {
		o := &resource.Origin{PID: pid}
		selected, ask := a.config.Select.atOnce(o)
		if slices.Contains(a.config.Select.PIDs, pid) || !selected && !ask {
			continue
		}
		for a.async.Full(pid) {
			a.async.Wait(time.Minute)
		}
		a.attachAsync(o, !selected, func(err error) {
			if errors.Is(err, fs.ErrPermission) {
				hidden++
				return
			}
			process.LogRefused(a.log, pid, err)
		})
	}
	a.async.WaitAll(slowAfter, func(after time.Duration) bool {
		return (len(a.targets) > 0 || !needed) && (procs.Late() || after >= slowAnyway)
	})
	process.LogDenied(a.log, hidden)
	process.LogFewFiles(a.log, len(a.targets))
	return nil
}

// attachAsync reads a process beside others, attaches to it, and then calls done, unless it is not selected any more,
// or does not meet the conditions that it is asked for. One that is profiled without V8 need not have it later.
func (a *Agent) attachAsync(o *resource.Origin, ask bool, done func(error)) {
	pid, r, met, s := o.PID, a.reading, sampler.Now(), a.config.Select
	anyway := a.targets[pid] == nil && a.shells.Has(pid)
	started := a.async.Run(pid, func() func() {
		if ask && !s.meets(o) {
			return func() {}
		}
		t, err := a.readProcess(o, r, anyway)
		return func() {
			if r != a.reading || met < a.selected { // the configuration has changed meanwhile
				if err == nil {
					t.release(true)
				}
				if selected, ask := a.config.Select.atOnce(o); selected || ask {
					a.attachAsync(o, !selected, done)
				}
				return
			}
			if old := a.targets[pid]; old != nil && !errors.Is(err, ErrNotNode) {
				a.detach(old)
			}
			if err == nil {
				err = a.activate(t)
			}
			if err == nil {
				a.addProbes(t)
			}
			process.LogFewFiles(a.log, len(a.targets))
			done(err)
		}
	})
	if !started {
		done(errCrowd)
	}
}

// readProcess reads everything that profiling a process by some rules needs, and with anyway one without V8, too. It is
// slow for a file that is not cached yet, and safe for concurrent use.
func (a *Agent) readProcess(o *resource.Origin, r *reading, anyway bool) (*target, error) {
	opened, pid := sampler.Now(), o.PID
	p, err := process.OpenToSample(pid, a.files, anyway)
	if err != nil {
		return nil, err
	}
	config := labels.Configure(r.tree, p.Layout)
	labels.ConfigureUVPool(config, p)
	t := &target{
		Process: p, config: config, opened: opened, threads: sampler.ThreadNames{},
		labels:  r.decoder.Process(p, config, resource.Of(o, p.Executable)),
		learner: labels.NewLearner(p, config.Id, a.sampler, a.log),
		reading: r,
	}
	t.symbolizer = symbolize.New(p, a.kernel, a.natives, a.followMaps(t))
	t.symbolizer.SetRead(opened)
	t.symbolizer.KeepCode(r.code.Process(pid))
	t.symbolizer.Follow(p, a.log)
	if p.HasV8() {
		a.findIsolates(t)
	}
	t.frames, t.hooks = config.V8.Cped, config.V8.FirstJsObject
	t.lookFirst(a.checks.Off(p.Layout))
	t.symbolizer.Tell(a.sampler.Known(), config.Id) // from here on by the goroutine that names samples
	t.ready = sampler.Now()
	return t, nil
}

// followMaps returns the function that gives a symbolizer the source map of a script; nil if source maps are not
// applied.
func (a *Agent) followMaps(t *target) func(functions.MappedScript) int32 {
	if !t.reading.maps {
		return nil
	}
	t.maps = a.maps.Process(t.PID)
	return t.maps.Add
}

// activate adds a process to those that the BPF program samples.
func (a *Agent) activate(t *target) error {
	t.labels.FindPublished(time.Now())
	err := a.publish(t)
	if err == nil && (t.Ended() || t.Executed()) { // before the BPF program could report it
		_ = a.sampler.RemoveProcess(t.PID)
		err = fmt.Errorf("process %d: %w", t.PID, ErrGone)
	}
	if err != nil {
		t.release(true)
		return err
	}
	t.LogProblems(a.log)
	t.labels.LearnCalls()
	a.targets[t.PID] = t
	a.stats.Profiled++
	a.shells.Note(t.Process)
	a.groups.Add(t.PID)
	if a.builder != nil {
		a.builder.SetProcess(t.PID, t.described())
		a.checks.Add(t.Process, selfcheck.Started)
	}
	return nil
}

// addProbes has probes put on a process, whose files are read for that. If one cannot be at first, it is not profiled.
func (a *Agent) addProbes(t *target) {
	started := len(a.config.Probes) == 0 || a.async.Run(t.PID, func() func() {
		ok, err := a.sampler.AddProbes(t.PID)
		return func() {
			if !ok && a.targets[t.PID] == t {
				a.detach(t)
				process.LogRefused(a.log, t.PID, err)
			} else if ok && err != nil {
				a.log.Warn("a probe is not on a process", "pid", t.PID, "why", err)
			}
		}
	})
	if !started {
		a.log.Warn("a process has no probes", "pid", t.PID, "why", errCrowd)
	}
}

// findIsolates finds where threads have the address of their isolate, for the BPF program. It is false if nobody knows.
func (a *Agent) findIsolates(t *target) bool {
	at, err := t.IsolateOffset()
	if err == nil {
		t.keyExpected, t.config.V8.IsolateTls = false, at
		return true
	}
	if t.refreshed.IsZero() && errors.Is(err, process.ErrNoKey) {
		t.keyExpected, t.refreshAt = true, jobs.AfterStart(time.Now())
	} else if t.keyExpected = t.keyExpected && len(t.refreshAt) > 0; !t.keyExpected && !t.Ended() {
		a.log.Warn("isolates are not found: samples have no thread state and no labels", "pid", t.PID, "why", err)
	}
	return false
}

// publish writes the mappings and the configuration of a process to the BPF maps.
func (a *Agent) publish(t *target) error {
	n, left := t.Mappings.BPF(t.config.Mappings[:])
	t.config.N_mappings, t.config.Read = uint32(n), uint64(t.symbolizer.Read())
	if left > 0 {
		a.log.Warn("process has more executable mappings than are kept", "pid", t.PID, "left out", left)
	}
	if err := a.sampler.SetProcess(t.PID, t.config); err != nil {
		return fmt.Errorf("process %d: %w", t.PID, err)
	}
	t.code.Begin(t.Mappings, sampler.Now()) // nothing has told what was replaced meanwhile
	a.watch(t)
	return nil
}

// watch has maintain look at a process: there may be something to do after a sample, and after the BPF program was told
// of it.
func (a *Agent) watch(t *target) {
	if !t.watched {
		t.watched, a.watched = true, append(a.watched, t)
	}
}

func (a *Agent) detach(t *target) {
	err := a.sampler.RemoveProcess(t.PID)
	if err != nil {
		a.log.Warn("process not removed from the BPF map", "pid", t.PID, "why", err)
	}
	a.checks.Remove(t.Process)
	t.release(err == nil)
	a.properties.Add(t.learner.StoreProperties())
	delete(a.targets, t.PID)
	a.builder.EndProcess(t.PID, a.clock.Unix(uint64(sampler.Now())))
}
