package agent

import (
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/budget"
	"github.com/hotspan/hotspan/agent/internal/deliver"
	"github.com/hotspan/hotspan/agent/internal/elffile"
	"github.com/hotspan/hotspan/agent/internal/firstsample"
	"github.com/hotspan/hotspan/agent/internal/jobs"
	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/live"
	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/process"
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
		config: c, log: c.Log, natives: symbolize.NewNatives(), maps: sourcemaps.New(c.Log),
		first:   firstsample.Log{Log: c.Log, Begun: sampler.Now() - int64(time.Since(c.Begun))},
		targets: map[int]*target{}, shells: process.Shells{}, starts: process.NewStarts(), properties: labels.Names{},
		ended: make(chan struct{}), stats: Stats{Lost: map[pprofx.LostReason]int64{}},
	}
	a.checks = selfcheck.New(c.Log, a.found)
	a.sampler, err = sampler.Open(sampler.Config{
		RingBytes: uint32(c.RingBytes), Execs: c.Select.PIDs, AllExecs: c.Select.open(), Log: c.Log,
		OffCPU: c.OffCPU, Probes: c.Probes, Timer: c.both(), ProbeLimit: c.ProbeLimit,
		TableBytes: max(c.TableBytes, c.MemoryLimit/2), Beside: c.TableBytes > 0, SampledRecords: c.ContextIDs,
	})
	if err != nil {
		return nil, err
	}
	a.kernel = symbolize.NewKernel(c.Log)
	a.heapLimit = debug.SetMemoryLimit(-1)
	if c.MemoryLimit > 0 { // files are parsed now, in bursts that the collector follows too late
		debug.SetMemoryLimit((c.MemoryLimit - sampler.MapBytes()) / 2)
	}
	a.async = jobs.New(a.sampler.Interrupt)
	a.reading = a.newReading(tree, &c)
	a.files = elffile.NewCache(a.sampler)
	if err := a.files.KeepIn(c.FileCache, c.Log); err != nil {
		c.Log.Warn("executable files are parsed at each start: the cache directory is not used", "why", err)
	}
	a.files.Preload(c.Preload, c.Log)
	a.files.Defer() // but of a command all is done before it starts
	if err := a.attachSelected(); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// SampledRecords returns what the process that is profiled may map (sampler.Sampler), if the Config has ContextIDs.
func (a *Agent) SampledRecords() (*os.File, error) { return a.sampler.SampledRecords() }

// Close releases an Agent on which Run was not called.
func (a *Agent) Close() {
	if a.config.MemoryLimit > 0 { // else it is that of another Agent, or of nobody
		debug.SetMemoryLimit(a.heapLimit)
	}
	a.async.Close()
	a.files.Close() // first: it writes to the sampler's BPF maps
	a.kernel.Close()
	a.sampler.Close()
	for _, t := range a.targets {
		t.release(true)
	}
	a.maps.Forget(math.MaxInt)
}

// Run samples until the context ends or all selected processes have ended, and then releases the Agent. Call it once.
// The error is that of a sink, or says why sampling could not start. The life of a sample: it is read from the ring
// buffer, symbolized, labelled and added to the current snapshot, which is cut in time and given to the sinks.
func (a *Agent) Run(ctx context.Context) (Stats, error) {
	defer a.Close()
	defer close(a.ended)
	if a.config.RaisePriority {
		defer priority.Raise()()
		defer priority.EaseMonitor()()
		defer priority.OneByOne()()
		defer budget.CollectSooner()()
	}
	defer context.AfterFunc(ctx, a.sampler.Interrupt)()
	defer a.checks.Close()
	if err := a.start(); err != nil {
		return a.stats, err
	}
	defer a.config.Live.Serve(a.sampler.Interrupt)()
	if err := a.sampler.Start(a.trigger()); err != nil {
		stats, closing := a.finish()
		return stats, errors.Join(err, closing)
	}
	a.first.Sampling = sampler.Now()
	if a.config.Sampling != nil {
		a.config.Sampling()
	}
	a.files.RunDeferred()
	a.tell()
	a.open(a.stats.Start)
	for ctx.Err() == nil && !a.finished() {
		a.sampler.Wait(jobs.Earliest(jobs.Earliest(a.end.Add(slack), a.nextMaintenance()), a.builder.Due(slack)))
		now := a.now() // before drain, which may take long: what is sampled meanwhile is drained before the next cut
		a.handling += budget.CPUOf(a.drain)
		a.async.DrainResults()
		if now.After(a.end.Add(slack)) {
			a.cut(a.end)
		}
		a.keepBudget(now)
		a.followLive(now)
		a.maintain()
	}
	a.stop()
	return a.finish()
}

func (a *Agent) start() (err error) {
	a.stats.Start = time.Now()
	a.clock.Set()
	a.rate = a.config.Rate
	if a.builder, err = live.NewBuilders(a.stats.Start, a.trigger().Period(), a.config.measures()...); err != nil {
		return err
	}
	a.startBudget(a.stats.Start)
	for _, t := range a.targets {
		a.builder.SetProcess(t.PID, t.described())
		a.checks.Add(t.Process, selfcheck.Running)
	}
	a.passes = deliver.Start(a.maps, a.config.Sinks, a.config.Live, a.log)
	return nil
}

// stop ends sampling and handles the samples that are left.
func (a *Agent) stop() {
	a.stats.End = time.Now()
	a.sampler.Stop()
	a.drain()
	a.cut(a.now())
}

// finish waits for the sinks.
func (a *Agent) finish() (Stats, error) {
	lost, err := a.passes.Close()
	a.stats.SourceMaps, a.stats.SnapshotsLost = a.maps.Stats(), lost
	a.stats.BadLabels += a.reading.decoder.BadValues
	a.stats.Hits, _ = a.sampler.Hits() // the counters have been read a moment ago
	a.stats.Waits, _ = a.sampler.Waits()
	a.stats.Throttled, a.stats.TimerThrottled = a.groups.Throttled(), a.sampler.Throttled()
	seen := slices.Collect(maps.Keys(a.properties))
	for _, t := range a.targets {
		seen = append(seen, t.learner.StoreProperties()...)
	}
	a.stats.Unmatched = a.reading.decoder.Unmatched(a.config.Rules, seen)
	a.log.Debug("kept in caches at the end", a.sizes()...)
	return a.stats, err
}

// sizes are the names and sizes of all caches, to be logged.
func (a *Agent) sizes() []any {
	var all []*symbolize.Symbolizer
	for _, t := range a.targets {
		all = append(all, t.symbolizer)
	}
	return slices.Concat(a.files.Sizes(), symbolize.Sizes(a.natives, all), a.kernel.Sizes(), a.reading.decoder.Sizes(),
		a.sampler.Sizes(), a.maps.Sizes(), a.checks.Sizes())
}
