package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/client"
	"github.com/hotspan/hotspan/agent/internal/screen"
	"github.com/hotspan/hotspan/pprofx"
)

type topCmd struct {
	profileFlags
	connectFlags
	tableFlags
	Window  time.Duration `default:"10s" help:"${window} (${default})." placeholder:"TIME"`
	Older   time.Duration `help:"${older}" placeholder:"TIME"`
	Command []string      `arg:"" optional:"" passthrough:"partial" help:"Command to run and profile, after --."`
}

// refreshEvery is how often the screen gets new samples.
const refreshEvery = 500 * time.Millisecond

// topDisplay is the screen, or what is printed instead of it.
type topDisplay interface {
	add(*pprofx.Snapshot)
	soFar(agent.Progress)
	missed(samples int64)
}

func (v *topCmd) Run(stdout io.Writer, c console, line *kong.Context) error {
	if err := errors.Join(v.check(), v.checkGiven(line)); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	defer stop()
	if v.Count > 0 || v.JSON || !isTerminal(stdout) || os.Getenv("TERM") == "dumb" {
		return v.print(ctx, stdout, c)
	}
	return v.show(ctx, stdout, c)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (v *topCmd) check() error {
	switch {
	case v.Interval < 10*time.Millisecond || v.Window < refreshEvery:
		return usagef("--interval %v, --window %v: at least 10ms and %v", v.Interval, v.Window, refreshEvery)
	case v.Older < 0:
		return usagef("--older %v: less than 0", v.Older)
	case v.Count < 0 || v.Lines < 1:
		return usagef("-n %d, --lines %d: at least 1", v.Count, v.Lines)
	}
	return v.profileFlags.check()
}

// profiles reports whether top samples itself; else it shows what an agent samples.
func (v *topCmd) profiles() bool { return v.selects() || len(v.Command) > 0 }

// checkGiven returns an error that names the flags of a command line that would have no effect.
func (v *topCmd) checkGiven(line *kong.Context) error {
	useless := []string{"socket", "connect", "ca", "token-file"}
	why := "with processes to profile there is no agent to ask"
	if !v.profiles() {
		useless = []string{"rate", "label", "rules", "labels", "source-maps", "cache", "ring-buffer", "verbose"}
		why = "an agent samples as its own settings say; to profile without one say what: -p PID, --name REGEX, -a " +
			"or -- COMMAND"
	}
	var given []string
	for _, p := range line.Path {
		if p.Flag != nil && !p.Resolved && slices.Contains(useless, p.Flag.Name) {
			given = append(given, "--"+p.Flag.Name)
		}
	}
	if len(given) == 0 {
		return nil
	}
	return usagef("%s: %s", strings.Join(given, ", "), why)
}

// print prints a table each interval. The command prints on standard error then: the tables are on standard output.
func (v *topCmd) print(ctx context.Context, stdout io.Writer, c console) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p := &topPrinter{tableFlags: v.tableFlags, to: stdout, columns: widthOf(stdout), stop: stop}
	err := v.run(ctx, c, v.Interval, p, commandStreams{os.Stdin, c.Writer}, func(func(int) error) {})
	return errors.Join(err, p.end())
}

// show shows the screen until a key ends it. What it showed last is printed then.
func (v *topCmd) show(ctx context.Context, stdout io.Writer, c console) error {
	tty, err := screen.Open()
	if err != nil {
		return v.print(ctx, stdout, c)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	view := newTopView(v.title(), v.By, v.Window)
	ended := make(chan error, 1)
	held, printed := &heldMessages{to: c}, &heldMessages{to: c}
	go func() {
		defer stop()
		ended <- v.run(ctx, console{io.MultiWriter(view, held)}, refreshEvery, view, commandStreams{nil, printed},
			func(set func(int) error) { view.follow(v.rate(), set) })
	}()
	err = screen.Show(ctx, tty, view, view.changed)
	stop()
	err = errors.Join(err, <-ended)
	view.printLast(stdout)
	printed.print()
	held.print()
	return err
}

// title says what is profiled, and what of it is shown.
func (v *topCmd) title() string {
	if v.Older > 0 {
		return fmt.Sprintf("%s, requests of %v and more", v.profiled(), v.Older)
	}
	return v.profiled()
}

func (v *topCmd) profiled() string {
	switch {
	case !v.profiles():
		return "hotspan top of the agent's processes"
	case len(v.Command) > 0 && !v.selects():
		return "hotspan top of " + strings.Join(v.Command, " ")
	case len(v.PID) == 1 && !v.given() && !v.All:
		return fmt.Sprintf("hotspan top of process %d", v.PID[0])
	}
	return "hotspan top"
}

// commandStreams are where the command reads and prints. in is nil for nothing.
type commandStreams struct {
	in  io.Reader
	out io.Writer
}

// run passes samples to a display until the context ends, or the processes have: those of an agent that runs on this
// machine, if no processes are selected. rate gets what changes the rate, if that can be changed.
func (v *topCmd) run(ctx context.Context, c console, every time.Duration, to topDisplay, its commandStreams,
	rate func(func(int) error)) error {
	to = v.chosen(to)
	if !v.profiles() {
		return v.follow(ctx, to)
	}
	config, err := v.config(c)
	if err != nil {
		return err
	}
	config.SnapshotEvery, config.Progress = every, to.soFar
	config.Sinks = []agent.Sink{topSink{to}}
	var child *command
	if len(v.Command) > 0 {
		if child, err = startCommand(v.Command, its.in, its.out, its.out); err != nil {
			return err
		}
		defer child.kill()
		child.selectIn(&config)
	}
	a, err := agent.New(config)
	if err != nil {
		return explain(err)
	}
	if child != nil {
		child.resume()
	}
	rate(func(n int) error {
		next := config
		next.Rate = n
		return a.Change(ctx, next)
	})
	stats, err := a.Run(ctx)
	fmt.Fprintf(c, "%d samples taken in %.1f s, %d lost%s\n", stats.Taken, stats.End.Sub(stats.Start).Seconds(),
		stats.LostSum(), counts(stats.Lost))
	return err
}

// follow shows what an agent samples.
func (v *topCmd) follow(ctx context.Context, to topDisplay) error {
	from, err := v.dial()
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

// chosen returns a display of the samples that are to be shown of all.
func (v *topCmd) chosen(to topDisplay) topDisplay {
	if v.Older == 0 {
		return to
	}
	return chosenDisplay{to, rowFilter{older: v.Older.Nanoseconds()}}
}

// chosenDisplay passes on what a filter chooses. Counts are of all samples.
type chosenDisplay struct {
	topDisplay
	rows rowFilter
}

func (d chosenDisplay) add(s *pprofx.Snapshot) { d.topDisplay.add(d.rows.apply(s)) }

// topSink passes snapshots to a display. It is an agent.Sink.
type topSink struct{ to topDisplay }

func (topSink) Name() string { return "top" }

// Write implements agent.Sink.
func (s topSink) Write(_ context.Context, snapshot *pprofx.Snapshot) error {
	s.to.add(snapshot)
	return nil
}
