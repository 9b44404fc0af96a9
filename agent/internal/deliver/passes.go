// Package deliver takes snapshots from where samples are taken to sinks, without ever waiting there: it applies source
// maps to them, and keeps a queue for each sink.
package deliver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/hotspan/hotspan/agent/internal/budget"
	"github.com/hotspan/hotspan/agent/internal/live"
	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/sourcemaps"
	"github.com/hotspan/hotspan/pprofx"
)

// maxWaiting bounds the queue of snapshots for a slow sink.
const maxWaiting = 64

// drainTimeout bounds the time in which a sink may write its queued snapshots after sampling has ended.
const drainTimeout = 30 * time.Second

// Sink receives snapshots: see Sink of package agent.
type Sink interface {
	Write(context.Context, *pprofx.Snapshot) error
	Name() string
}

// delivery passes snapshots to one sink, which may be slow.
type delivery struct {
	sink  Sink
	queue chan *pprofx.Snapshot
	done  chan error
	log   *slog.Logger
	lost  atomic.Int64 // snapshots
	stop  context.CancelFunc
}

func newDelivery(s Sink, log *slog.Logger) *delivery {
	ctx, cancel := context.WithCancel(context.Background())
	d := &delivery{
		sink: s, queue: make(chan *pprofx.Snapshot, maxWaiting), done: make(chan error, 1), log: log, stop: cancel,
	}
	go d.run(ctx)
	return d
}

func (d *delivery) run(ctx context.Context) {
	var first error
	failed := 0
	for s := range d.queue {
		if err := d.write(ctx, s); err != nil {
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

func (d *delivery) write(ctx context.Context, s *pprofx.Snapshot) error {
	defer priority.Background()()
	return d.sink.Write(ctx, s)
}

// put never blocks: if the queue is full, the snapshot is dropped for this sink.
func (d *delivery) put(s *pprofx.Snapshot) {
	select {
	case d.queue <- s:
	default:
		d.lost.Add(1)
		d.log.Warn("sink is too slow, snapshot lost", "to", d.sink.Name())
	}
}

func (d *delivery) close() error {
	close(d.queue)
	defer d.stop()
	select {
	case err := <-d.done:
		return err
	case <-time.After(drainTimeout):
		d.stop()
	}
	select {
	case err := <-d.done:
		return err
	case <-time.After(time.Second): // it ignores its context
		return fmt.Errorf("still busy %v after the end", drainTimeout)
	}
}

// Passes applies source maps to snapshots and gives them to the sinks, in order and on a goroutine of its own.
type Passes struct {
	queue chan numbered
	done  chan struct{}
	maps  *sourcemaps.Maps // nil: source maps are not applied
	sinks []*delivery
	live  *live.Feed
	log   *slog.Logger
	lost  atomic.Int64 // snapshots that no sink got, counted once for each
	cuts  int
}

// Start returns Passes that give snapshots to sinks, and those for subscribers to a feed. The caller closes them.
func Start[S Sink](maps *sourcemaps.Maps, sinks []S, feed *live.Feed, log *slog.Logger) *Passes {
	var deliveries []*delivery
	for _, s := range sinks {
		deliveries = append(deliveries, newDelivery(s, log))
	}
	return newPasses(maps, deliveries, feed, log)
}

// numbered is a snapshot and its number, from 1; 0 is one for subscribers.
type numbered struct {
	*pprofx.Snapshot
	number int
}

func newPasses(maps *sourcemaps.Maps, sinks []*delivery, feed *live.Feed, log *slog.Logger) *Passes {
	p := &Passes{
		queue: make(chan numbered, maxWaiting), done: make(chan struct{}), maps: maps, sinks: sinks, live: feed,
		log: log,
	}
	go p.run()
	return p
}

func (p *Passes) run() {
	defer close(p.done)
	for c := range p.queue {
		p.pass(c)
	}
}

func (p *Passes) pass(c numbered) {
	defer priority.Background()()
	s := c.Snapshot
	if c.number == 0 {
		p.publish(s)
		return
	}
	if p.maps != nil {
		s = p.maps.Apply(s, p.pressed)
		p.maps.Forget(c.number)
	}
	for _, d := range p.sinks {
		d.put(s)
	}
	budget.GiveBack()
}

// publish passes a snapshot on to the subscribers.
func (p *Passes) publish(s *pprofx.Snapshot) {
	if p.maps != nil {
		s = p.maps.ApplyAhead(s, p.pressed)
	}
	p.live.Publish(s)
}

// pressed reports whether the queue of snapshots is more than half full.
func (p *Passes) pressed() bool { return len(p.queue) > cap(p.queue)/2 }

// Put passes a snapshot on. It never blocks: where there is no room, the snapshot is lost, and counted.
func (p *Passes) Put(s *pprofx.Snapshot) {
	p.cuts++
	if p.maps != nil {
		p.maps.SnapshotCut(p.cuts)
	}
	select {
	case p.queue <- numbered{s, p.cuts}:
	default:
		p.lost.Add(int64(len(p.sinks)))
		p.log.Warn("snapshots are cut faster than their source maps are read: one is lost")
	}
}

// PutLive passes a snapshot on to subscribers. It never blocks.
func (p *Passes) PutLive(s *pprofx.Snapshot) {
	select {
	case p.queue <- numbered{s, 0}:
	default:
		p.live.Miss(s)
	}
}

// Lost returns how many snapshots were lost so far, each counted once for each sink. It may be called while others are
// passed on.
func (p *Passes) Lost() int64 {
	lost := p.lost.Load()
	for _, d := range p.sinks {
		lost += d.lost.Load()
	}
	return lost
}

// Close waits until the sinks have all snapshots, or have had their time. It returns how many were lost, as Lost does,
// and the errors of sinks.
func (p *Passes) Close() (lost int64, err error) {
	close(p.queue)
	<-p.done
	var errs []error
	for _, d := range p.sinks {
		if err := d.close(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", d.sink.Name(), err))
		}
	}
	return p.Lost(), errors.Join(errs...)
}
