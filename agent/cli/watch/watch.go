// Package watch has the verbs that look at samples while they are taken: top and wait.
package watch

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/flags"
	"github.com/hotspan/hotspan/agent/cli/profiling"
	"github.com/hotspan/hotspan/agent/cli/remote"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/client"
	"github.com/hotspan/hotspan/pprofx"
)

// watchFlags say whose samples a verb looks at while they are taken: its own, or those of an agent.
type watchFlags struct {
	profiling.Flags
	remote.ConnectFlags
	Quiet   bool     `short:"q" help:"${quiet}"`
	Command []string `arg:"" optional:"" passthrough:"partial" help:"Command to run and profile, after --."`
}

// watcher gets samples while they are taken.
type watcher interface {
	add(*pprofx.Snapshot)
	soFar(agent.Progress)
	missed(samples int64)
}

// profiles reports whether the verb samples itself; else it watches what an agent samples.
func (v *watchFlags) profiles() bool { return v.Selects() || len(v.Command) > 0 }

// Accept returns an error that names the flags of a command line that would have no effect.
func (v *watchFlags) Accept(line *flags.Line) error {
	useless := []string{"socket", "connect", "ca", "token-file"}
	why := "with processes to profile there is no agent to ask"
	if !v.profiles() {
		useless = []string{"rate", "label", "rules", "labels", "source-maps", "cache", "ring-buffer", "verbose"}
		why = "an agent samples as its own settings say; to profile without one say what: -p PID, --name REGEX, -a " +
			"or -- COMMAND"
	}
	var given []string
	for _, name := range useless {
		if line.Given(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) == 0 {
		return nil
	}
	return exit.Usagef("%s: %s", strings.Join(given, ", "), why)
}

// commandStreams are where the command reads and prints. in is nil for nothing.
type commandStreams struct {
	in  io.Reader
	out io.Writer
}

// run passes samples to a watcher until the context ends, or the processes have: those of an agent that runs on this
// machine, if no processes are selected. rate gets what changes the rate, if that can be changed.
func (v *watchFlags) run(ctx context.Context, c terminal.Console, every time.Duration, to watcher, its commandStreams,
	rate func(func(int) error)) error {
	if !v.profiles() {
		return v.follow(ctx, to)
	}
	config, err := v.Config(c)
	if err != nil {
		return err
	}
	if v.Quiet {
		terminal.SetLevel(config.Log, slog.LevelWarn)
	}
	config.SnapshotEvery, config.Progress = every, to.soFar
	config.Sinks = []agent.Sink{watcherSink{to}}
	if len(v.Command) > 0 {
		child, err := profiling.StartCommand(v.Command, its.in, its.out, its.out)
		if err != nil {
			return err
		}
		defer child.Kill()
		child.SelectIn(&config)
	}
	a, err := agent.New(config)
	if err != nil {
		return exit.Explain(err)
	}
	rate(func(n int) error {
		next := config
		next.Rate = n
		return a.Change(ctx, next)
	})
	stats, err := a.Run(ctx)
	if !v.Quiet || stats.LostSum()+stats.SnapshotsLost > 0 {
		fmt.Fprintln(c, closing(&stats))
		fmt.Fprint(c, profiling.Throttled(stats.Throttled))
	}
	return err
}

// closing says how many samples were taken and lost, and whether some were not looked at.
func closing(s *agent.Stats) string {
	text := fmt.Sprintf("%d samples taken in %.1f s, %d lost%s", s.Taken, s.End.Sub(s.Start).Seconds(), s.LostSum(),
		terminal.Counts(s.Lost))
	if s.SnapshotsLost > 0 {
		text += fmt.Sprintf("; those of %d intervals were not looked at: they came too fast", s.SnapshotsLost)
	}
	return text
}

// follow passes on what an agent samples.
func (v *watchFlags) follow(ctx context.Context, to watcher) error {
	from, err := v.Dial()
	if err != nil {
		return err
	}
	defer from.Close()
	for e, err := range from.Samples(ctx, client.Filter{}, 1) {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("%w\nto profile without an agent say what: -p PID, --name REGEX, -a or -- COMMAND", err)
		case e.Lost != nil:
			to.missed(int64(e.Lost.Count))
		default:
			to.add(e.Snapshot)
		}
	}
	return nil
}

// watcherSink passes snapshots to a watcher. It is an agent.Sink.
type watcherSink struct{ to watcher }

func (watcherSink) Name() string { return "what watches" }

// Write implements agent.Sink.
func (s watcherSink) Write(_ context.Context, snapshot *pprofx.Snapshot) error {
	s.to.add(snapshot)
	return nil
}
