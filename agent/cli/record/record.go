// Package record has the verb record: samples go to files and to OTLP, and at the end it says what became of them.
package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/output"
	"github.com/hotspan/hotspan/agent/cli/profiling"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/budget"
	"github.com/hotspan/hotspan/agent/internal/probe"
	"github.com/hotspan/hotspan/pprofx"
)

// A recording without --snapshot-every cuts a snapshot every foldEvery, which is added to its one file: memory holds
// what is distinct in the recording, and single samples of this time only. A .otlp file has a snapshot every
// streamEvery: each repeats the names, but what is written is there if hotspan is killed.
const (
	foldEvery   = 30 * time.Second
	streamEvery = 10 * time.Second
)

// What --min-wait and --probe-limit are where they are not given.
const (
	DefaultMinWait    = time.Millisecond
	DefaultProbeLimit = 1000 // samples of one probe, or of waits, a second on each CPU
)

// Verb records profiles of processes, or of a command.
type Verb struct {
	profiling.Flags
	Probe         []string       `help:"${probe}" placeholder:"SPEC" sep:"none"`
	ProbeLimit    *int           `help:"${probelimit}" placeholder:"N"`
	OffCPU        bool           `name:"off-cpu" help:"Sample what threads wait for, instead of what uses the CPU."`
	Wall          bool           `help:"Sample what uses the CPU and what threads wait for, in one profile."`
	MinWait       *time.Duration `help:"${minwait}" placeholder:"TIME"`
	Wait          bool           `help:"${wait}"`
	Duration      *time.Duration `short:"d" help:"How long to record, as 10s; else until Ctrl-C." placeholder:"TIME"`
	Output        string         `short:"o" help:"${output}" placeholder:"FILE"`
	Format        string         `help:"${format}" placeholder:"FORMAT"`
	LabelStyle    string         `default:"hotspan" help:"${style}" placeholder:"STYLE"`
	Source        bool           `help:"${source}"`
	SnapshotEvery time.Duration  `help:"Write a snapshot at this interval, without gaps." placeholder:"TIME"`
	JITCode       string         `name:"jit-code" help:"${jitcode}" placeholder:"DIR"`
	OTLP          string         `name:"otlp" help:"${otlp}" placeholder:"URL"`
	Quiet         bool           `short:"q" help:"${quiet}"`
	JSON          bool           `name:"json" help:"${recordjson}"`
	Command       []string       `arg:"" optional:"" passthrough:"partial" help:"Command to run and profile, after --."`
}

// The values of --label-style.
const (
	styleHotspan = "hotspan"
	styleDatadog = "datadog"
)

// Run records until the processes end, the time is over or a signal comes.
func (r *Verb) Run(stdout io.Writer, c terminal.Console) error {
	if err := r.check(); err != nil {
		return err
	}
	config, err := r.config(c)
	if err != nil {
		return err
	}
	files, err := r.outputs()
	if err != nil {
		return err
	}
	total := newSummary(config.Rules...)
	config.Sinks = append(config.Sinks, files, total)
	if r.OTLP != "" {
		sink, err := dialOTLP(r.OTLP, config.Log) // does not connect: only the URL can be wrong
		if err != nil {
			return exit.Usage(err)
		}
		defer sink.Close()
		config.Sinks = append(config.Sinks, sink)
	}
	if config.JITCode, err = openCode(r.JITCode, r.measured()); err != nil {
		return err
	}
	if r.SnapshotEvery == 0 && files.format == recording.OTLP {
		config.SnapshotEvery = streamEvery
	}
	return r.profile(stdout, c, config, files, total)
}

// profile runs the agent, and the command if there is one, until the processes end, the time is over or a signal comes.
func (r *Verb) profile(
	stdout io.Writer, c terminal.Console, config agent.Config, files *fileSink, total *summary,
) error {
	l := leaver{Console: c, files: files}
	ctx, stop := profiling.UntilSignal(l.leave)
	defer stop()
	profiling.OutliveReaders()
	var child *profiling.Command
	if len(r.Command) > 0 {
		var err error
		if child, err = profiling.StartCommand(r.Command, os.Stdin, os.Stdout, os.Stderr); err != nil {
			return err
		}
		defer child.Kill()
		child.SelectIn(&config)
		files.pid = child.PID()
		l.child.Store(child)
	}
	budget.CollectLater()
	a, err := agent.New(config)
	if err != nil {
		return r.explain(err)
	}
	if r.Duration != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *r.Duration)
		defer cancel()
	} else if c.IsTerminal() && !r.Quiet {
		fmt.Fprintln(c, "hotspan: sampling. Press Ctrl-C to stop and write the profile.")
	}
	running := ctx
	if child != nil && r.Selects() { // else until all that the command has started has ended
		running = child.While(ctx)
	}
	stats, err := a.Run(running)
	if stats.End.IsZero() { // it has not begun
		return errors.Join(exit.Explain(err), files.close())
	}
	code, failed := closeCode(config.JITCode)
	err = errors.Join(err, files.close(), failed)
	c.Clear()
	if child != nil && ctx.Err() == nil { // it has ended by itself
		sayFailed(c, child)
	}
	if r.JSON {
		return errors.Join(err, printAccount(stdout, &stats, files, r.JITCode, code))
	}
	lost := stats.LostSum() + files.left.Samples + files.unwritten(&stats) + stats.SnapshotsLost + code.Lost
	if r.Quiet && lost == 0 {
		return err
	}
	total.print(c)
	files.tag = total.tag()
	files.noRoute = files.tag == "" && config.Labels.Route && stats.Labelled > 0
	closing(c, &stats, files)
	sayCode(c, r.JITCode, code)
	files.source.Say(c)
	return err
}

// explain adds what a user can do about an error by which hotspan does not begin.
func (r *Verb) explain(err error) error {
	if errors.Is(err, agent.ErrNoProcess) && r.SelectsLater() {
		return fmt.Errorf("%w; record --wait waits for one", err)
	}
	return exit.Explain(err)
}

// sayFailed says how a command has ended, if not with exit code 0: hotspan has an exit code of its own.
func sayFailed(c terminal.Console, child *profiling.Command) {
	if err := child.Failed(); err != nil {
		fmt.Fprintf(c, "hotspan: the command has ended with %v\n", err)
	}
}

func (r *Verb) check() error {
	switch {
	case r.Duration != nil && *r.Duration <= 0:
		return exit.Usagef("-d %v: more than 0; without -d it records until Ctrl-C", *r.Duration)
	case r.SnapshotEvery < 0:
		return exit.Usagef("a time must not be negative")
	case r.SnapshotEvery > 0 && r.SnapshotEvery < 10*time.Millisecond:
		return exit.Usagef("--snapshot-every %v: at least 10ms", r.SnapshotEvery)
	case r.LabelStyle != styleHotspan && r.LabelStyle != styleDatadog:
		return exit.Usagef("--label-style %s: %s or %s", r.LabelStyle, styleHotspan, styleDatadog)
	case len(r.Command) == 0 && !r.Selects():
		return exit.Usagef("say what to profile: -p PID, --name REGEX, -a, or -- COMMAND")
	case r.Wait && (len(r.Command) > 0 || !r.SelectsLater()):
		return exit.Usagef("--wait goes with --name, --cgroup, --container, --env or -a")
	}
	if err := r.checkMeasure(); err != nil {
		return err
	}
	return r.Flags.Check()
}

// untimed are the formats that can have hits of probes, and waits: the others show CPU time.
var untimed = []pprofx.Format{recording.Pprof, recording.Datadog, recording.Collapsed, recording.JSONL, recording.OTLP}

// measured returns the flag by which something else than CPU time is recorded; empty for that.
func (r *Verb) measured() string {
	switch {
	case len(r.Probe) > 0:
		return "--probe"
	case r.OffCPU:
		return "--off-cpu"
	case r.Wall:
		return "--wall"
	}
	return ""
}

// timed reports whether there are samples of the timer.
func (r *Verb) timed() bool { return r.measured() == "" || r.Wall || r.beside() || r.stalls() }

// beside reports whether hits of probes are recorded beside CPU time.
func (r *Verb) beside() bool { return len(r.Probe) > 0 && r.Rate != nil && !r.stalls() }

// stalls reports whether hits are stalls of event loops, which are seen by samples of the timer and of waits.
func (r *Verb) stalls() bool {
	least, _ := probe.Stall(r.Probe)
	return least > 0
}

// minWait is the shortest wait that is sampled, probeLimit how many samples a probe and waits have at most.
func (r *Verb) minWait() time.Duration { return *cmp.Or(r.MinWait, new(DefaultMinWait)) }
func (r *Verb) probeLimit() int        { return *cmp.Or(r.ProbeLimit, new(DefaultProbeLimit)) }

func (r *Verb) checkMeasure() error {
	switch limit := r.probeLimit(); {
	case limit < 1 || limit > 1e6:
		return exit.Usagef("--probe-limit %d: from 1 to 1000000 samples a second", limit)
	case r.OffCPU && r.Wall, len(r.Probe) > 0 && (r.OffCPU || r.Wall):
		return exit.Usagef("--probe, --off-cpu, --wall: one in a recording")
	case r.Rate != nil && !r.timed():
		return exit.Usagef("-F: %s has no timer, --wall has", r.measured())
	case r.minWait() < time.Microsecond:
		return exit.Usagef("--min-wait %v: at least 1µs", r.minWait())
	case r.MinWait != nil && !r.OffCPU && !r.Wall:
		return exit.Usagef("--min-wait goes with --off-cpu or --wall")
	case r.ProbeLimit != nil && r.measured() == "":
		return exit.Usagef("--probe-limit goes with --probe, --off-cpu or --wall")
	}
	if _, err := probe.Stall(r.Probe); err != nil {
		return exit.Usage(err)
	}
	return nil
}

func (r *Verb) config(c terminal.Console) (agent.Config, error) {
	config, err := r.Flags.Config(c)
	config.SnapshotEvery, config.FollowClock = cmp.Or(r.SnapshotEvery, foldEvery), r.SnapshotEvery > 0
	if r.measured() != "" {
		config.Probes, config.ProbeLimit = r.Probe, r.probeLimit()
	}
	if r.OffCPU || r.Wall {
		config.OffCPU, config.Wall = r.minWait(), r.Wall
	}
	if !r.timed() {
		config.Rate = 0
	}
	config.Labels.Root = r.LabelStyle == styleDatadog
	config.Wait = r.Wait
	if r.Quiet {
		terminal.SetLevel(config.Log, slog.LevelWarn)
	} else if c.IsTerminal() {
		config.Progress = func(p agent.Progress) { c.Progress(progressLine(p)) }
	}
	return config, err
}

// outputs returns the sink for files. It checks that the folder is writable, so that an error comes before sampling.
func (r *Verb) outputs() (*fileSink, error) {
	format := recording.Pprof
	var err error
	switch {
	case r.Format != "":
		format, err = recording.ParseFormat(r.Format)
	case r.Output != "":
		format, err = recording.FormatOf(r.Output)
	}
	if err != nil {
		return nil, exit.Usage(err)
	}
	if by := r.measured(); by != "" && !slices.Contains(untimed, format) {
		return nil, exit.Usagef("%s: %s shows CPU time: write .pb.gz, .otlp, .collapsed or .jsonl", by, format)
	}
	if r.beside() && format == recording.Collapsed {
		return nil, exit.Usagef("--probe with -F: %s has either hits or CPU time: write .pb.gz, .otlp or .jsonl",
			format)
	}
	if r.LabelStyle == styleDatadog {
		if format != recording.Pprof {
			return nil, exit.Usagef("--label-style datadog: only pprof has it, not %s", format)
		}
		format = recording.Datadog
	}
	name := r.Output
	if name == "" {
		name = "hotspan-%t" + map[bool]string{true: "-%n"}[r.SnapshotEvery > 0] + recording.Extension(format)
	}
	source, err := output.OpenSources(r.Source, format)
	if err != nil {
		return nil, err
	}
	s := &fileSink{
		pattern: name, format: format, start: time.Now(), whole: r.SnapshotEvery == 0, both: r.beside(), source: source,
	}
	if len(r.PID) == 1 {
		s.pid = r.PID[0]
	}
	if r.SnapshotEvery > 0 && !s.numbered() {
		return nil, exit.Usagef("-o %s: with --snapshot-every the name needs %%n, or each snapshot would replace "+
			"the last", name)
	}
	return s, output.Writable(s.path(1))
}
