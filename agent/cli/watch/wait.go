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

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/profiling"
	"github.com/hotspan/hotspan/agent/cli/tables"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

// Wait ends when something has been seen in the samples of processes.
type Wait struct {
	watchFlags
	ForSamples int           `help:"${forsamples}" placeholder:"N"`
	ForLabel   []string      `help:"${forlabel}" placeholder:"NAME[=VALUE]" sep:"none"`
	ForStall   time.Duration `help:"${forstall}" placeholder:"TIME"`
	Timeout    time.Duration `default:"30s" help:"${timeout} (${default})." placeholder:"TIME"`
	JSON       bool          `name:"json" help:"Print what was seen, and what not, as JSON."`
}

// lookEvery is how often wait looks at what was sampled.
const lookEvery = 200 * time.Millisecond

// Why a wait ends, as the cause of its context.
var (
	errSeen    = errors.New("seen")
	errTimeout = errors.New("timeout")
)

// Run waits, and prints what was seen.
func (v *Wait) Run(stdout io.Writer, c terminal.Console) error {
	labels, err := v.labelFilter()
	if err = errors.Join(err, v.check()); err != nil {
		return err
	}
	interrupted, stop := signal.NotifyContext(context.Background(), profiling.EndSignals()...)
	defer stop()
	ctx, end := context.WithCancelCause(interrupted)
	defer end(nil)
	if v.Timeout > 0 {
		// of a deadline an agent would know, and might end the stream before it has passed here
		defer time.AfterFunc(v.Timeout, func() { end(errTimeout) }).Stop()
	}
	a := &awaited{
		began: time.Now(), need: int64(max(v.ForSamples, 1)), labels: labels, stall: v.ForStall > 0,
		stalls: report.NewStalls(v.ForStall.Nanoseconds()), end: func() { end(errSeen) },
	}
	err = v.run(ctx, c, lookEvery, a, commandStreams{os.Stdin, c.Writer}, func(func(int) error) {})
	w := a.ended()
	if w.Outcome == "" {
		err = v.unseen(w, context.Cause(ctx), err)
	}
	if w.Outcome == "" {
		return err
	}
	return errors.Join(err, v.print(stdout, w))
}

// unseen returns why it was not seen, and sets the outcome if the wait was in vain, but did not fail. cause is that of
// the end of the context, nil if it has not ended.
func (v *Wait) unseen(w *waited, cause, err error) error {
	text, code, outcome := v.lack(w), exit.Ended, outcomeEnded
	switch {
	case errors.Is(err, agent.ErrGone):
		text = err.Error()
	case err != nil:
		return err
	case errors.Is(cause, errTimeout):
		text, code, outcome = "timeout after "+v.Timeout.String()+": "+text, exit.Timeout, outcomeTimeout
	case cause != nil:
		return errors.New("interrupted: " + text)
	case !v.profiles():
		return errors.New("the agent has ended: " + text)
	default:
		text = "the processes have ended: " + text
	}
	w.Outcome = outcome
	return &exit.NotSeen{Text: text, Code: code, Quiet: v.Quiet}
}

func (v *Wait) check() error {
	switch {
	case v.ForSamples < 0:
		return exit.Usagef("--for-samples %d: at least 1", v.ForSamples)
	case v.ForStall != 0 && v.ForStall < report.LeastStall:
		return exit.Usagef("--for-stall %v: at least %v", v.ForStall, time.Duration(report.LeastStall))
	case v.Timeout < 0:
		return exit.Usagef("--timeout %v: less than 0", v.Timeout)
	case v.ForStall > 0 && (v.ForSamples > 0 || len(v.ForLabel) > 0):
		return exit.Usagef("either --for-stall, or --for-samples and --for-label")
	case v.ForStall == 0 && v.ForSamples == 0 && len(v.ForLabel) == 0:
		return exit.Usagef("say what to wait for: --for-samples N, --for-label NAME=VALUE or --for-stall TIME")
	}
	return v.Flags.Check()
}

// labelFilter returns the condition that --for-label states.
func (v *Wait) labelFilter() (f pprofx.Filter, err error) {
	for _, text := range v.ForLabel {
		key, value, has := strings.Cut(text, "=")
		if key == "" {
			return f, exit.Usagef("--for-label %q: want NAME=VALUE, or NAME for any value", text)
		}
		l := pprofx.LabelFilter{Key: key}
		if has {
			l.Values = []string{value}
		}
		f.Labels = append(f.Labels, l)
	}
	return f, nil
}

// lack says how far it is from what is waited for.
func (v *Wait) lack(w *waited) string {
	of := fmt.Sprintf("%d samples, %d lost", w.Samples, w.Lost)
	switch {
	case v.ForStall > 0 && w.Loops == 0:
		return "the turns of no event loop are known, in " + of
	case v.ForStall > 0:
		return fmt.Sprintf("no event loop held up for %v, in %s", v.ForStall, of)
	case len(v.ForLabel) > 0:
		return fmt.Sprintf("%d with %s, of %s", w.Matching, terminal.Printable(strings.Join(v.ForLabel, " ")), of)
	}
	return of
}

// print prints what was seen as a line, or how the wait ended as an object.
func (v *Wait) print(to io.Writer, w *waited) error {
	if v.JSON {
		return terminal.PrintJSON(to, w)
	}
	if v.Quiet || w.Outcome != outcomeSeen {
		return nil
	}
	_, err := fmt.Fprintf(to, "%s after %.2f s: %s\n", time.Unix(0, w.Time).UTC().Format("2006-01-02T15:04:05.000Z"),
		w.After, v.seen(w))
	return err
}

func (v *Wait) seen(w *waited) string {
	if s := w.Stall; s != nil {
		return fmt.Sprintf("process %d, thread %d: the event loop was held up for %d ms or more: %s  %s", s.PID, s.TID,
			time.Duration(s.Length).Milliseconds(), terminal.Printable(tables.StallRequests(s.Requests, "")),
			terminal.Printable(tables.StallCalls(s)))
	}
	s := w.Sample
	return fmt.Sprintf("process %d, thread %d %s%s: %d of %d samples", s.PID, s.TID, terminal.Printable(s.Thread),
		terminal.LabelText(s.labels), w.Matching, w.Samples)
}
