package agent

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/hotspan/hotspan/pprofx"
)

// waiting is how many snapshots may wait for a slow sink.
const waiting = 64

// farewell is how long a sink has, after sampling has ended, for what still waits.
const farewell = 30 * time.Second

// delivery hands snapshots to one sink at its own speed.
type delivery struct {
	sink  Sink
	queue chan *pprofx.Snapshot
	done  chan error
	log   *slog.Logger
	lost  int64 // snapshots
	stop  context.CancelFunc
}

func newDelivery(s Sink, log *slog.Logger) *delivery {
	ctx, cancel := context.WithCancel(context.Background())
	d := &delivery{sink: s, queue: make(chan *pprofx.Snapshot, waiting), done: make(chan error, 1), log: log, stop: cancel}
	go d.run(ctx)
	return d
}

func (d *delivery) run(ctx context.Context) {
	var first error
	failed := 0
	for s := range d.queue {
		if err := d.sink.Write(ctx, s); err != nil {
			d.log.Error("snapshot not delivered", "to", d.sink.Name(), "why", err)
			first = cmp.Or(first, err)
			failed++
		}
	}
	if failed > 1 {
		first = fmt.Errorf("%d snapshots not delivered, the first: %w", failed, first)
	}
	d.done <- first
}

// put never waits: a snapshot for which there is no room is lost for this sink.
func (d *delivery) put(s *pprofx.Snapshot) {
	select {
	case d.queue <- s:
	default:
		d.lost++
		d.log.Warn("sink is too slow, snapshot lost", "to", d.sink.Name())
	}
}

func (d *delivery) close() error {
	close(d.queue)
	defer d.stop()
	select {
	case err := <-d.done:
		return err
	case <-time.After(farewell):
		d.stop()
	}
	select {
	case err := <-d.done:
		return err
	case <-time.After(time.Second): // it does not heed its context
		return fmt.Errorf("still busy %v after the end", farewell)
	}
}
