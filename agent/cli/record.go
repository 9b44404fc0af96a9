package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/hotspan/hotspan/agent"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
)

// A recording without --snapshot-every cuts a snapshot every foldEvery, which is added to its one file: memory holds
// what is distinct in the recording, and single samples of this time only. A .otlp file has a snapshot every
// streamEvery: each repeats the names, but what is written is there if hotspan is killed.
const (
	foldEvery   = 30 * time.Second
	streamEvery = 10 * time.Second
)

type recordCmd struct {
	PID      []int         `short:"p" help:"Process to profile; may be repeated." placeholder:"PID"`
	Name     string        `help:"${name}" placeholder:"REGEX"`
	All      bool          `short:"a" help:"${all}"`
	Rate     int           `short:"F" default:"99" help:"${rate} (${default})." placeholder:"HZ"`
	Duration time.Duration `short:"d" help:"How long to record, such as 10s; else until Ctrl-C." placeholder:"TIME"`
	Output   string        `short:"o" help:"${output}" placeholder:"FILE"`
	Format   string        `help:"${format}" placeholder:"FORMAT"`
	ruleFlags
	Labels        string        `default:"trace,route,custom" help:"${labels} (${default})." placeholder:"KINDS"`
	LabelStyle    string        `default:"hotspan" help:"${style}" placeholder:"STYLE"`
	SnapshotEvery time.Duration `help:"Write a snapshot at this interval, without gaps." placeholder:"TIME"`
	OTLP          string        `name:"otlp" help:"${otlp}" placeholder:"URL"`
	SourceMaps    bool          `default:"true" negatable:"" help:"${maps}"`
	Cache         bool          `default:"true" negatable:"" help:"${cache}"`
	RingBuffer    *int          `help:"${ring}." placeholder:"MIB"`
	Verbose       bool          `short:"v" help:"Log more about the processes."`
	Command       []string      `arg:"" optional:"" passthrough:"partial" help:"Command to run and profile, after --."`
}

// begun is when the program began, but for the milliseconds in which the Go runtime starts and packages initialise.
var begun = time.Now()

// The values of --label-style.
const (
	styleHotspan = "hotspan"
	styleDatadog = "datadog"
)

func (r *recordCmd) Run(c console) error {
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
	total := newSummary()
	config.Sinks = append(config.Sinks, files, total)
	if r.OTLP != "" {
		sink, err := dialOTLP(r.OTLP, config.Log) // does not connect: only the URL can be wrong
		if err != nil {
			return usageError{err}
		}
		defer sink.Close()
		config.Sinks = append(config.Sinks, sink)
	}
	if r.SnapshotEvery == 0 && files.format == formatOTLP {
		config.SnapshotEvery = streamEvery
	}
	return r.profile(c, config, files, total)
}

// profile runs the agent, and the command if there is one, until the processes end, the time is over or a signal comes.
func (r *recordCmd) profile(c console, config agent.Config, files *fileSink, total *summary) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var child *command
	if len(r.Command) > 0 {
		var err error
		if child, err = startCommand(r.Command); err != nil {
			return err
		}
		defer child.kill()
		config.Select.Tree = child.pid()
		config.Preload = child.executables()
		files.pid = child.pid()
	}
	a, err := agent.New(config)
	if err != nil {
		return explain(err)
	}
	if child != nil {
		child.resume()
	}
	if r.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Duration)
		defer cancel()
	} else if c.isTerminal() {
		fmt.Fprintln(c, "hotspan: sampling. Press Ctrl-C to stop and write the profile.")
	}
	stats, err := a.Run(ctx)
	err = errors.Join(err, files.close())
	c.clear()
	total.print(c)
	closing(c, &stats, files)
	return err
}

func (r *recordCmd) check() error {
	kinds := 0
	for _, given := range []bool{len(r.PID) > 0, r.Name != "", r.All, len(r.Command) > 0} {
		if given {
			kinds++
		}
	}
	limit, ring := agent.MaxRate(), cmp.Or(r.RingBuffer, new(1))
	switch {
	case kinds == 0:
		return usagef("say what to profile: -p PID, --name REGEX, -a, or -- COMMAND")
	case r.Rate < 1:
		return usagef("rate %d: at least 1 sample a second", r.Rate)
	case limit > 0 && r.Rate > limit:
		return usagef("rate %d: this kernel allows at most %d (kernel.perf_event_max_sample_rate)", r.Rate, limit)
	case r.Duration < 0 || r.SnapshotEvery < 0:
		return usagef("a time must not be negative")
	case r.SnapshotEvery > 0 && r.SnapshotEvery < 10*time.Millisecond:
		return usagef("--snapshot-every %v: at least 10ms", r.SnapshotEvery)
	case r.LabelStyle != styleHotspan && r.LabelStyle != styleDatadog:
		return usagef("--label-style %s: %s or %s", r.LabelStyle, styleHotspan, styleDatadog)
	case *ring < 1 || *ring > 1024 || bits.OnesCount(uint(*ring)) != 1:
		return usagef("--ring-buffer %d: a power of two from 1 to 1024", *ring)
	}
	return nil
}

func (r *recordCmd) config(c console) (agent.Config, error) {
	config := agent.Config{
		Select: agent.Selection{PIDs: r.PID, All: r.All}, Rate: r.Rate,
		SnapshotEvery: cmp.Or(r.SnapshotEvery, foldEvery),
		NoSourceMaps:  !r.SourceMaps, RaisePriority: true, Begun: begun, Log: c.logger(r.Verbose),
	}
	if r.Cache {
		config.FileCache = fileCache()
	}
	if r.RingBuffer != nil {
		config.RingBytes = *r.RingBuffer << 20
	}
	if r.Name != "" {
		re, err := regexp.Compile(r.Name)
		if err != nil {
			return config, usagef("--name: %v", err)
		}
		config.Select.Name = re
	}
	var err error
	if config.Labels, err = reqctx.ParseKinds(r.Labels); err != nil {
		return config, usageError{err}
	}
	config.Labels.Root = r.LabelStyle == styleDatadog
	if config.Rules, err = r.rules(); err != nil {
		return config, err
	}
	if c.isTerminal() {
		config.Progress = func(p agent.Progress) { c.progress(progressLine(p)) }
	}
	return config, nil
}

// fileCache is the directory for what is parsed of executable files; empty if this user has none.
func fileCache() string {
	dir, err := os.UserCacheDir() // fails without $HOME and $XDG_CACHE_HOME, as in a service of systemd
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "hotspan", "files")
}

// outputs returns the sink for files. It checks that the folder is writable, so that an error comes before sampling.
func (r *recordCmd) outputs() (*fileSink, error) {
	format := pprofx.Pprof
	var err error
	switch {
	case r.Format != "":
		format, err = parseFormat(r.Format)
	case r.Output != "":
		format, err = formatOf(r.Output)
	}
	if err != nil {
		return nil, usageError{err}
	}
	if r.LabelStyle == styleDatadog {
		if format != pprofx.Pprof {
			return nil, usagef("--label-style datadog: only pprof has it, not %s", format)
		}
		format = pprofx.Datadog
	}
	name := r.Output
	if name == "" {
		name = "hotspan-%t" + map[bool]string{true: "-%n"}[r.SnapshotEvery > 0] + extension(format)
	}
	s := &fileSink{pattern: name, format: format, start: time.Now(), whole: r.SnapshotEvery == 0}
	if len(r.PID) == 1 {
		s.pid = r.PID[0]
	}
	if r.SnapshotEvery > 0 && !s.numbered() {
		return nil, usagef("-o %s: with --snapshot-every the name needs %%n, or each snapshot would replace the last",
			name)
	}
	return s, writable(filepath.Dir(s.path(1)))
}

func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".hotspan-*")
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
