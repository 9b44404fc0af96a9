package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/signal"
	"syscall"
	"time"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/output"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/client"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/jsonl"
)

// Stream is the verb that prints or writes what an agent samples, or has kept.
type Stream struct {
	ConnectFlags
	recording.SampleFlags
	PID      []int          `name:"pid" short:"p" help:"Only samples of this process." placeholder:"PID"`
	Since    time.Duration  `help:"Snapshots of the last TIME from the agent's store, such as 1h." placeholder:"TIME"`
	Last     int            `help:"The N newest snapshots." placeholder:"N"`
	From     uint64         `help:"Snapshots from this number on." placeholder:"N"`
	Follow   bool           `short:"f" help:"Go on with snapshots that are cut later."`
	OneIn    int            `default:"1" help:"Only one in N samples." placeholder:"N"`
	Rate     int            `short:"F" help:"${capture}" placeholder:"HZ"`
	Duration *time.Duration `short:"d" help:"End after this time; else with Ctrl-C." placeholder:"TIME"`
	Output   string         `short:"o" help:"File to write; else JSON lines are printed." placeholder:"FILE"`
	Quiet    bool           `short:"q" help:"${quiet}"`
}

// Run prints or writes what the agent sends.
func (v *Stream) Run(stdout io.Writer, c terminal.Console) error {
	switch {
	case v.Rate > 0 && len(v.PID) != 1:
		return exit.Usagef("--rate %d: name one process by --pid", v.Rate)
	case v.Since < 0 || v.Last < 0:
		return exit.Usagef("--since %v, --last %d: not less than 0", v.Since, v.Last)
	case v.Duration != nil && *v.Duration <= 0:
		return exit.Usagef("-d %v: more than 0; without -d it streams until Ctrl-C", *v.Duration)
	}
	agent, err := v.Dial()
	if err != nil {
		return err
	}
	defer agent.Close()
	out, err := v.output(stdout)
	if err != nil {
		return exit.Usage(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if v.Duration != nil && v.Rate == 0 {
		// of a deadline the agent would know, and may end the stream before it has passed here
		timer := time.AfterFunc(*v.Duration, stop)
		defer timer.Stop()
	}
	got, err := v.read(ctx, agent, out)
	nothing := err != nil && got == received{} // the error says it all
	if nothing {
		out.Remove()
	} else {
		err = errors.Join(err, out.Finish())
	}
	if !v.Quiet && !nothing || got.incomplete() {
		fmt.Fprintln(c, got)
	}
	return err
}

// output returns the file, or standard output.
func (v *Stream) output(stdout io.Writer) (streamOutput, error) {
	if v.Output == "" {
		return printed{jsonl.NewWriter(stdout)}, nil
	}
	format, err := recording.FormatOf(v.Output)
	if err != nil {
		return nil, err
	}
	return output.Create(v.Output, format)
}

// streamOutput is where snapshots go.
type streamOutput interface {
	Add(*pprofx.Snapshot) error
	Finish() error
	Remove()
}

type printed struct{ pprofx.Writer }

func (p printed) Finish() error { return p.Close() }
func (p printed) Remove()       {}

// read writes all that comes until the context ends.
func (v *Stream) read(ctx context.Context, from *client.Client, to streamOutput) (got received, err error) {
	events, err := v.events(ctx, from)
	if err != nil {
		return got, err
	}
	for e, err := range events {
		switch {
		case err != nil && ctx.Err() != nil:
			return got, nil
		case err != nil:
			return got, err
		case e.Lost != nil:
			got.lose(e.Lost)
		default:
			got.samples += int64(len(e.Snapshot.Rows))
			got.snapshots++
			for _, n := range e.Snapshot.Lost {
				got.dropped += n
			}
			if err := to.Add(e.Snapshot); err != nil {
				return got, err
			}
		}
	}
	return got, nil
}

func (v *Stream) events(ctx context.Context, from *client.Client) (iter.Seq2[client.Event, error], error) {
	filter := v.clientFilter()
	switch {
	case v.Rate > 0:
		profile, end, err := from.Capture(context.Background(), client.Capture{
			Process: filter.Processes[0], Duration: *cmp.Or(v.Duration, new(time.Duration)), Rate: v.Rate,
		})
		if err == nil {
			context.AfterFunc(ctx, func() { _ = end() }) // what fails then shows in profile
		}
		return profile, err
	case v.Since > 0 || v.Last > 0 || v.From > 0 || v.Follow:
		s := client.Snapshots{Filter: filter, From: v.From, Last: v.Last, Follow: v.Follow}
		if v.Since > 0 {
			s.Since = time.Now().Add(-v.Since)
		}
		return from.Stream(ctx, s), nil
	}
	return from.Samples(ctx, filter, v.OneIn), nil
}

func (v *Stream) clientFilter() (f client.Filter) {
	chosen := v.Filter()
	f.Services = chosen.Services
	for _, l := range chosen.Labels {
		f.Labels = append(f.Labels, client.Label{Name: l.Key, Values: l.Values})
	}
	for _, pid := range v.PID {
		f.Processes = append(f.Processes, client.Process{PID: pid})
	}
	return f
}

// received says what has come.
type received struct {
	samples, snapshots     int64
	dropped                int64 // samples of all processes, as snapshots say
	lost, removed, damaged uint64
}

// incomplete reports whether anything is missing.
func (r received) incomplete() bool { return r.dropped > 0 || r.lost+r.removed+r.damaged > 0 }

func (r *received) lose(l *client.Lost) {
	switch l.Reason {
	case client.TooSlow:
		r.lost += l.Count
	case client.Removed:
		r.removed += l.Count
	default:
		r.damaged += l.Count
	}
}

func (r received) String() string {
	return fmt.Sprintf("%d samples in %d snapshots", r.samples, r.snapshots) + terminal.Counts(map[string]int64{
		"samples lost by the agent": r.dropped, "samples lost, which were not read in time": int64(r.lost),
		"snapshots removed before": int64(r.removed), "snapshots damaged": int64(r.damaged),
	})
}
