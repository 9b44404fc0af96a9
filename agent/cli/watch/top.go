package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/profiling"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/screen"
	"github.com/hotspan/hotspan/pprofx"
)

// Top is the verb that shows what uses the CPU now.
type Top struct {
	watchFlags
	tableFlags
	Window time.Duration `default:"10s" help:"${window} (${default})." placeholder:"TIME"`
	Older  time.Duration `help:"${older}" placeholder:"TIME"`
}

// refreshEvery is how often the screen gets new samples.
const refreshEvery = 500 * time.Millisecond

// Run shows a screen on a terminal, and prints tables elsewhere.
func (v *Top) Run(stdout io.Writer, c terminal.Console) error {
	if err := v.check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), profiling.EndSignals()...)
	defer stop()
	if v.Count > 0 || v.JSON || !terminal.IsTerminal(stdout) || os.Getenv("TERM") == "dumb" {
		return v.print(ctx, stdout, c)
	}
	return v.show(ctx, stdout, c)
}

func (v *Top) check() error {
	switch {
	case v.Interval < 10*time.Millisecond || v.Window < refreshEvery:
		return exit.Usagef("--interval %v, --window %v: at least 10ms and %v", v.Interval, v.Window, refreshEvery)
	case v.Older < 0:
		return exit.Usagef("--older %v: less than 0", v.Older)
	case v.Count < 0 || v.Lines < 1:
		return exit.Usagef("-n %d, --lines %d: at least 1", v.Count, v.Lines)
	}
	return v.Flags.Check()
}

// print prints a table each interval. The command prints on standard error then: the tables are on standard output.
func (v *Top) print(ctx context.Context, stdout io.Writer, c terminal.Console) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	columns := terminal.WidthOf(stdout)
	p := &topPrinter{tableFlags: v.tableFlags, older: v.Older, to: stdout, columns: columns, stop: stop}
	err := v.run(ctx, c, v.Interval, v.chosen(p), commandStreams{os.Stdin, c.Writer}, func(func(int) error) {})
	return errors.Join(err, p.end())
}

// show shows the screen until a key ends it. What it showed last is printed then.
func (v *Top) show(ctx context.Context, stdout io.Writer, c terminal.Console) error {
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
		ended <- v.run(ctx, terminal.Console{Writer: io.MultiWriter(view, held)}, refreshEvery, v.chosen(view),
			commandStreams{nil, printed}, func(set func(int) error) { view.follow(v.SampleRate(), set) })
	}()
	err = screen.Show(ctx, tty, view, view.changed)
	stop()
	err = errors.Join(err, <-ended)
	view.printLast(stdout)
	printed.print()
	held.print()
	return err
}

// title says what of what is profiled is shown. What is chosen stands first: the end of a line may be cut.
func (v *Top) title() string {
	if v.Older > 0 {
		return recording.OlderText(v.Older) + ": " + v.profiled()
	}
	return v.profiled()
}

func (v *Top) profiled() string {
	switch {
	case !v.profiles():
		return "hotspan top of the agent's processes"
	case len(v.Command) > 0 && !v.Selects():
		return "hotspan top of " + strings.Join(v.Command, " ")
	case len(v.PID) == 1 && !v.SelectsLater():
		return fmt.Sprintf("hotspan top of process %d", v.PID[0])
	}
	return "hotspan top"
}

// chosen returns a display of the samples that are to be shown of all.
func (v *Top) chosen(to watcher) watcher {
	if v.Older == 0 {
		return to
	}
	return chosenDisplay{to, recording.RowFilter{Older: v.Older.Nanoseconds()}}
}

// chosenDisplay passes on what a filter chooses. Counts are of all samples.
type chosenDisplay struct {
	watcher
	rows recording.RowFilter
}

func (d chosenDisplay) add(s *pprofx.Snapshot) { d.watcher.add(d.rows.Apply(s)) }
