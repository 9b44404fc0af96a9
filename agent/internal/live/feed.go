// Package live passes samples on while they are taken, beside the snapshots for sinks.
package live

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/hotspan/hotspan/pprofx"
)

// Interval is the time that a snapshot for subscribers covers.
const Interval = 200 * time.Millisecond

// Feed passes snapshots of an Interval on to subscribers, named and labelled as those that sinks receive later. It
// costs nothing while nobody subscribes. Agents may share one, one after the other. It is safe for concurrent use.
type Feed struct {
	mu          sync.Mutex
	subscribers map[*Subscription]bool
	wake        func() // interrupts the agent; nil: none is running
	wanted      atomic.Bool
}

// NewFeed returns a Feed without subscribers.
func NewFeed() *Feed { return &Feed{subscribers: map[*Subscription]bool{}} }

// Subscription receives the snapshots that are cut while it is open.
type Subscription struct {
	feed      *Feed
	wants     func(*pprofx.Snapshot) int64
	snapshots chan *pprofx.Snapshot
	missed    chan *pprofx.Snapshot // to be counted
	counted   chan struct{}
	lost      atomic.Int64
	once      sync.Once
	done      chan struct{} // closed when all that is missed is counted
}

// maxUnread bounds the snapshots that a subscriber has not read, maxUncounted those of which it is not known yet how
// much it has missed.
const maxUnread, maxUncounted = 32, 8

// Subscribe begins a subscription. wants says how many samples of a snapshot the subscriber would use: so many are lost
// with one that it does not get. It is called on a goroutine of the subscription, since it may take long. The caller
// closes the subscription.
func (f *Feed) Subscribe(wants func(*pprofx.Snapshot) int64) *Subscription {
	s := &Subscription{
		feed: f, wants: wants, snapshots: make(chan *pprofx.Snapshot, maxUnread),
		missed: make(chan *pprofx.Snapshot, maxUncounted), counted: make(chan struct{}, 1), done: make(chan struct{}),
	}
	go s.count()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers[s] = true
	f.wanted.Store(true)
	if f.wake != nil {
		f.wake()
	}
	return s
}

// Snapshots returns the channel of the snapshots, which is never closed.
func (s *Subscription) Snapshots() <-chan *pprofx.Snapshot { return s.snapshots }

// Lost returns how many samples the subscriber has missed since the last call, in snapshots that it was too slow for
// and that are counted. After Close all are. Of one that comes while too many are not counted yet it is all samples.
func (s *Subscription) Lost() int64 { return s.lost.Swap(0) }

// Counted returns a channel that receives when Lost has more. It is never closed.
func (s *Subscription) Counted() <-chan struct{} { return s.counted }

// Close ends the subscription.
func (s *Subscription) Close() {
	s.once.Do(s.leave)
	<-s.done
}

func (s *Subscription) leave() {
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	delete(s.feed.subscribers, s)
	s.feed.wanted.Store(len(s.feed.subscribers) > 0)
	close(s.missed)
}

// count counts what is missed, until Close.
func (s *Subscription) count() {
	defer close(s.done)
	for snapshot := range s.missed {
		s.lose(s.wants(snapshot))
	}
}

func (s *Subscription) lose(samples int64) {
	if samples == 0 {
		return
	}
	s.lost.Add(samples)
	select {
	case s.counted <- struct{}{}:
	default:
	}
}

// miss never waits.
func (s *Subscription) miss(snapshot *pprofx.Snapshot) {
	select {
	case s.missed <- snapshot:
	default:
		s.lose(int64(len(snapshot.Rows)))
	}
}

// Serve has f wake an agent when somebody subscribes, until end is called. A nil Feed never does.
func (f *Feed) Serve(wake func()) (end func()) {
	set := func(wake func()) {
		if f != nil {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.wake = wake
		}
	}
	set(wake)
	return func() { set(nil) }
}

// Wanted reports whether anybody subscribes. Nobody does to a nil Feed.
func (f *Feed) Wanted() bool { return f != nil && f.wanted.Load() }

// Publish gives a snapshot to each subscriber. It never waits for one.
func (f *Feed) Publish(snapshot *pprofx.Snapshot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.subscribers {
		select {
		case s.snapshots <- snapshot:
		default:
			s.miss(snapshot)
		}
	}
}

// Miss has the samples of a snapshot counted that no subscriber gets. It never waits for one.
func (f *Feed) Miss(snapshot *pprofx.Snapshot) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.subscribers {
		s.miss(snapshot)
	}
}
