package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/agent/internal/export"
	"github.com/hotspan/hotspan/agent/internal/store"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// outputs are the agent's destinations.
type outputs struct {
	from         []destination
	receivers    []export.Receiver
	closers      []func() error
	destinations []*export.Destination
	running      sync.WaitGroup
	stop         context.CancelFunc
}

// openOutputs opens what snapshots are sent to. It does not connect: an error is one of the configuration.
func openOutputs(from []destination, log *slog.Logger) (*outputs, error) {
	o := &outputs{from: from}
	seen := map[string]bool{}
	for i := range from {
		name := from[i].name()
		if name == "" || seen[name] {
			err := exit.Usagef("%s: two destinations called %q: give one a name=…", from[i].url.Redacted(), name)
			return nil, errors.Join(err, o.close())
		}
		seen[name] = true
		r, closer, err := from[i].receiver(log)
		if err != nil {
			return nil, errors.Join(exit.Usage(err), o.close())
		}
		o.receivers, o.closers = append(o.receivers, r), append(o.closers, closer)
	}
	return o, nil
}

// take takes places in a store, where the destinations will begin.
func (o *outputs) take(from *store.Store, log *slog.Logger) error {
	for i := range o.from {
		d, err := export.New(o.from[i].name(), o.receivers[i], o.from[i].keep(), from, log)
		if err != nil {
			return err
		}
		o.destinations = append(o.destinations, d)
	}
	return nil
}

// start begins to deliver, after take.
func (o *outputs) start() {
	ctx, stop := context.WithCancel(context.Background())
	o.stop = stop
	for _, d := range o.destinations {
		o.running.Go(func() { d.Run(ctx) })
	}
}

// goOn has destinations go on where those of the same name are, of outputs that have ended.
func (o *outputs) goOn(before *outputs) {
	for _, d := range o.destinations {
		for _, b := range before.destinations {
			if b.Name() == d.Name() {
				d.Continue(b)
			}
		}
	}
}

// end stops delivering. What is not delivered stays in the store.
func (o *outputs) end() {
	if o.stop != nil {
		o.stop()
	}
	o.running.Wait()
	_ = o.close() // nothing is under way that could fail
}

// finish waits until all is delivered, at most so long.
func (o *outputs) finish(within time.Duration) error {
	const often = 20 * time.Millisecond
	for end := time.Now().Add(within); time.Now().Before(end) && o.waiting(); {
		time.Sleep(often)
	}
	if o.waiting() {
		return errors.New("not all is delivered: the next agent with this store sends the rest")
	}
	return nil
}

func (o *outputs) waiting() bool {
	for _, d := range o.destinations {
		if d.Stats().Waiting > 0 {
			return true
		}
	}
	return false
}

func (o *outputs) close() error {
	var errs []error
	for _, closer := range o.closers {
		errs = append(errs, closer())
	}
	return errors.Join(errs...)
}

// storeSink keeps the agent's snapshots. One without samples and losses is not kept. One that the disk does not take is
// in memory: the log says when that begins and ends.
type storeSink struct {
	*store.Store
	log     *slog.Logger
	failing bool
}

func (s *storeSink) Name() string { return "the store" }

// Write implements agent.Sink.
func (s *storeSink) Write(_ context.Context, snapshot *pprofx.Snapshot) error {
	if len(snapshot.Rows) == 0 && len(snapshot.Lost) == 0 {
		return nil
	}
	frame, err := otlp.Compress(snapshot, recording.ThisBuild())
	if err != nil {
		return err
	}
	_, err = s.Append(frame, snapshot.Start, snapshot.End)
	s.tell(err)
	return nil
}

// tell logs when the disk begins to fail, and when it works again.
func (s *storeSink) tell(err error) {
	failed := err != nil
	if s.failing == failed {
		return
	}
	s.failing = failed
	if failed {
		s.log.Error("the disk does not take snapshots: the newest are in memory, and lost if the agent ends", "why",
			withoutPath(err))
	} else {
		s.log.Info("the disk takes snapshots again")
	}
}

// withoutPath returns the cause of an error of a file whose name means nothing to users.
func withoutPath(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}
