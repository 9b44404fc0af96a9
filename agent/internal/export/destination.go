// Package export delivers the snapshots of a store. Each destination has its own cursor and counters, and none waits
// for another.
package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/priority"
	"github.com/hotspan/hotspan/agent/internal/store"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// trier is a Receiver that can find out whether it would be taken from.
type trier interface {
	Try(context.Context) error
	Speaks() string
}

// Destination is where snapshots go. Its Run and its Stats may be called at the same time.
type Destination struct {
	name   string
	to     Receiver
	keep   func(*pprofx.Label) bool // nil: all labels
	from   *store.Store
	cursor *store.Cursor
	log    *slog.Logger
	stats  counters

	// Only Run has these.
	unkept bool               // where it is is not on the disk
	early  map[uint64]*stored // snapshots that were sent before their turn, by sequence
	untold untold
	said   map[string]bool // kinds of failures, since the last success
}

// untold is what was lost since that was said last.
type untold struct {
	samples int64 // that were dropped
	why     error // of the last of them
	dropped time.Time
	evicted int64 // snapshots that were said to be removed
	removed time.Time
}

type counters struct {
	snapshots, samples, dropped, damaged, failures atomic.Int64
	removed                                        atomic.Int64 // snapshots, when they were about to be read
	trouble                                        trouble
}

// Stats says what became of the snapshots that a Destination has taken from the store.
type Stats struct {
	Snapshots int64 // delivered
	Samples   int64 // delivered
	Dropped   int64 // samples that the receiver refused, or of profiles that it rejected, on average
	Damaged   int64 // snapshots that could not be decoded, or that the disk could not read
	Evicted   int64 // snapshots that the store removed before they were delivered
	Failures  int64 // tries that failed
	Waiting   int   // snapshots in the store
	// Since is when it began to fail; zero: the last try did not. Why is why the last try failed, or, since it does not
	// fail, why samples were refused last.
	Since time.Time
	Why   string
}

// New returns a destination whose name, which must be that of a file, stands for its place in the store. keep says
// which labels it gets; nil means all.
func New(
	name string, to Receiver, keep func(*pprofx.Label) bool, from *store.Store, log *slog.Logger,
) (*Destination, error) {
	cursor, err := from.Cursor(name)
	if err != nil {
		return nil, err
	}
	if cursor.Damaged != nil {
		log.Warn("how far an output had come cannot be read: it lacks what was not delivered before", "to", name,
			"why", cursor.Damaged)
	}
	return &Destination{
		name: name, to: to, keep: keep, from: from, cursor: cursor, log: log, early: map[uint64]*stored{},
		said: map[string]bool{},
	}, nil
}

// Name returns the name.
func (d *Destination) Name() string { return d.name }

// Stats returns the counters.
func (d *Destination) Stats() Stats {
	trouble := d.stats.trouble.now()
	return Stats{
		Snapshots: d.stats.snapshots.Load(), Samples: d.stats.samples.Load(), Dropped: d.stats.dropped.Load(),
		Damaged: d.stats.damaged.Load(), Evicted: d.cursor.Lost() + d.stats.removed.Load(),
		Failures: d.stats.failures.Load(),
		Waiting:  d.cursor.Waiting(), Since: trouble.since, Why: trouble.why,
	}
}

// Continue goes on where a destination of the same name is that has ended, and adds what that has counted. Call it
// before Run.
func (d *Destination) Continue(ended *Destination) {
	d.cursor.GoOn(ended.cursor)
	d.early, d.untold = ended.early, ended.untold
	before := ended.Stats()
	d.stats.snapshots.Add(before.Snapshots)
	d.stats.samples.Add(before.Samples)
	d.stats.dropped.Add(before.Dropped)
	d.stats.damaged.Add(before.Damaged)
	d.stats.removed.Add(ended.stats.removed.Load()) // the cursor has the others
	d.stats.failures.Add(before.Failures)
}

// Run delivers until ctx ends.
func (d *Destination) Run(ctx context.Context) {
	if err := d.cursor.Keep(); err != nil {
		d.log.Warn("where an output begins is not kept: after a restart it lacks what was not delivered before",
			"to", d.name, "why", err)
	}
	if !rest(ctx, asked(d.try(ctx))) {
		return
	}
	for {
		e, err := d.cursor.Next(ctx)
		if err != nil {
			return
		}
		if err := d.deliver(ctx, e); err != nil {
			return
		}
		d.tellKept(d.cursor.Done(e))
	}
}

// tellKept logs when a destination's place begins to be lost with the agent, and when it is kept again.
func (d *Destination) tellKept(err error) {
	before := d.unkept
	d.unkept = err != nil
	switch {
	case d.unkept == before:
	case d.unkept:
		d.log.Warn("how far an output has come is not kept: after a restart it gets snapshots twice", "to", d.name,
			"why", err)
	default:
		d.log.Info("how far an output has come is kept again", "to", d.name)
	}
}

// try says at once what would show with the first snapshot only.
func (d *Destination) try(ctx context.Context) (err error) {
	to, ok := d.to.(trier)
	if !ok {
		return nil
	}
	switch err = to.Try(ctx); {
	case ctx.Err() != nil:
	case err != nil:
		d.stats.trouble.fail(err)
		d.tellFailure("a destination takes no profiles yet: snapshots wait in the store", err, "speaks", to.Speaks())
	default:
		d.log.Info("a destination takes profiles", "to", d.name, "speaks", to.Speaks())
	}
	return err
}

// deliver delivers a snapshot, however long it takes. The error is that of ctx.
func (d *Destination) deliver(ctx context.Context, e store.Entry) error {
	d.forgetBefore(e.Sequence)
	s, err := d.readWhole(ctx, e)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		d.stats.removed.Add(1)
		return nil
	case err != nil:
		d.stats.damaged.Add(1)
		d.log.Error("snapshot is damaged", "to", d.name, "number", e.Sequence, "why", err)
		return nil
	}
	for !s.done {
		err := d.write(ctx, s)
		d.tellLosses()
		if err != nil && ctx.Err() != nil { // what the receiver has taken is delivered, whenever ctx ends
			return ctx.Err()
		}
		if err != nil || s.taken { // what is refused is not delivered
			d.tell(err)
		}
		if err == nil {
			break
		}
		if !rest(ctx, max(wait(s.tries-1), asked(err))) {
			return ctx.Err()
		}
		if s.isSuspect(err) && d.overtake(ctx, e) {
			s.others++
		}
	}
	delete(d.early, e.Sequence)
	return nil
}

// forgetBefore forgets what was sent early and removed from the store before its turn. The cursor counts it as removed,
// which is wrong if it was delivered.
func (d *Destination) forgetBefore(sequence uint64) {
	for early, s := range d.early {
		if early >= sequence {
			continue
		}
		if s.done {
			d.stats.removed.Add(-1)
		}
		delete(d.early, early)
	}
}

// overtake sends the newest snapshot behind e, before its turn. It reports whether the receiver has taken any of it,
// which says that it is not down.
func (d *Destination) overtake(ctx context.Context, e store.Entry) bool {
	behind, _ := d.from.From(e.Sequence + 1)
	for _, next := range slices.Backward(behind) {
		s := d.early[next.Sequence]
		if s != nil && s.done {
			continue
		}
		s, err := d.readOnce(next)
		if err != nil {
			return false
		}
		passed := s.passed
		if _ = d.write(ctx, s); s.passed > passed {
			d.early[next.Sequence] = s // nor is it sent again
		}
		return s.passed > passed
	}
	return false
}

// rest waits. It returns false if ctx ends before.
func rest(ctx context.Context, wait time.Duration) bool {
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}

// maxAsked bounds for how long a server may ask to be left alone: with a slip there, snapshots would wait for days.
const maxAsked = 10 * time.Minute

// asked returns for how long a server asks to be left alone.
func asked(err error) time.Duration { return min(otlp.RetryAfter(err), maxAsked) }

// readWhole reads a snapshot, however long the system refuses to: what it has too little of, such as memory or open
// files, it has again later. Only what cannot be decoded is damaged, and what a disk cannot read for minutes.
func (d *Destination) readWhole(ctx context.Context, e store.Entry) (*stored, error) {
	for try := 0; ; try++ {
		s, err := d.readOnce(e)
		var system *fs.PathError
		again := errors.As(err, &system) && !errors.Is(err, fs.ErrNotExist)
		if !again || errors.Is(err, unix.EIO) && try >= manyTries {
			return s, err
		}
		if d.tell(err); !rest(ctx, wait(try)) {
			return nil, ctx.Err()
		}
	}
}

// readOnce returns what is left of a snapshot, or reads it.
func (d *Destination) readOnce(e store.Entry) (*stored, error) {
	if s := d.early[e.Sequence]; s != nil {
		return s, nil
	}
	return d.read(e)
}

// read reads a snapshot. It decodes it only if the receiver does not take all of it, as it is.
func (d *Destination) read(e store.Entry) (*stored, error) {
	defer priority.Background()()
	frame, err := d.from.Read(e)
	if err != nil {
		return nil, err
	}
	message, err := otlp.Decompress(frame)
	if err != nil {
		return nil, err
	}
	if to, ok := d.to.(messageReceiver); ok && d.keep == nil {
		messages, err := to.Split(message)
		if err != nil {
			return nil, err
		}
		left, err := messageParts(to, messages)
		return &stored{left: left}, err
	}
	s, err := otlp.Decode(message)
	if err != nil {
		return nil, err
	}
	if d.keep != nil {
		s = s.KeepLabels(d.keep)
	}
	left, err := parts(d.to, s)
	return &stored{left: left}, err
}

// write writes what is left of a snapshot.
func (d *Destination) write(ctx context.Context, s *stored) error {
	defer priority.Background()()
	for len(s.left) > 0 {
		p := s.left[0]
		err := d.send(ctx, p)
		if err != nil && !otlp.Refused(err) {
			s.tries++
			if ctx.Err() != nil || !s.isCause(err) {
				return err
			}
			err = fmt.Errorf("it takes later ones, but not these in %d tries: %w", s.tries, err)
			p.suspect = true
		}
		s.taken = s.taken || err == nil
		if s.pass(); err != nil {
			s.left = append(d.halve(p, err), s.left...)
		}
	}
	s.left, s.done = nil, true
	d.stats.snapshots.Add(1)
	return nil
}

// halve returns the halves of a part that was refused, or drops it.
func (d *Destination) halve(p part, refusal error) []part {
	halves, err := p.halves(d.to, refusal)
	if err != nil || len(halves) == 0 {
		d.drop(p.samples, errors.Join(refusal, err))
	}
	return halves
}

// send writes a part once.
func (d *Destination) send(ctx context.Context, p part) error {
	err := p.write(ctx)
	rejected := int64(0)
	var partial *otlp.PartialError
	if errors.As(err, &partial) {
		rejected = p.samples * partial.Rejected / max(partial.Of, 1)
		d.drop(rejected, err)
		err = nil
	}
	if err == nil {
		d.stats.samples.Add(p.samples - rejected)
	}
	return err
}

// drop counts samples that the receiver refuses for good.
func (d *Destination) drop(samples int64, why error) {
	d.stats.dropped.Add(samples)
	d.untold.samples += samples
	d.untold.why = why
	d.stats.trouble.refuse(why)
}

// lossesEvery is how often a loss is said at most: a receiver may refuse some of each snapshot, and a full store loses
// one for each that comes.
const lossesEvery = 10 * time.Minute

// tellLosses logs what was lost since it did last.
func (d *Destination) tellLosses() {
	u := &d.untold
	due := func(said time.Time) bool { return said.IsZero() || time.Since(said) >= lossesEvery }
	if u.samples > 0 && due(u.dropped) {
		d.log.Error("samples dropped: the receiver refuses them", "to", d.name, "samples", u.samples, "why", u.why)
		u.samples, u.dropped = 0, time.Now()
	}
	if evicted := d.Stats().Evicted; evicted > u.evicted && due(u.removed) {
		d.log.Error("snapshots removed before they were delivered: the store is full, or keeps nothing so old",
			"to", d.name, "snapshots", evicted-u.evicted)
		u.evicted, u.removed = evicted, time.Now()
	}
}

// tell logs when a destination begins to fail, when it does for a reason of another kind, and when it works again.
func (d *Destination) tell(err error) {
	if err != nil {
		d.stats.failures.Add(1)
		d.stats.trouble.fail(err)
		d.tellFailure("snapshots wait: not delivered", err)
	} else if d.stats.trouble.isFailing() {
		d.stats.trouble.end()
		clear(d.said)
		d.log.Info("snapshots are delivered again", "to", d.name, "waiting", fmt.Sprint(d.cursor.Waiting()-1))
	}
}

func (d *Destination) tellFailure(what string, err error, more ...any) {
	if kind := otlp.Kind(err); !d.said[kind] {
		d.said[kind] = true
		d.log.Warn(what, append(append([]any{"to", d.name}, more...), "why", err)...)
	}
}

// wait is how long to wait before another try: up to a minute, less a random half.
func wait(try int) time.Duration {
	most := min(time.Second<<min(try, 6), time.Minute)
	return most - time.Duration(rand.Int64N(int64(most/2)))
}
