package agent

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/internal/live"
	"github.com/hotspan/hotspan/pprofx"
	node "github.com/hotspan/hotspan/test/nodes/live"
)

// heldSink takes nothing until it is released.
type heldSink struct{ released context.Context }

func (heldSink) Name() string { return "held" }

func (s heldSink) Write(context.Context, *pprofx.Snapshot) error {
	<-s.released.Done()
	return nil
}

// TestSnapshotsLost: how many snapshots a slow sink does not get is told meanwhile.
func TestSnapshotsLost(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	told := int64(0)
	a, err := New(Config{
		Select: Selection{PIDs: []int{node.Start(t, "24.21.0", "-e", waits).PID}}, Rate: 99,
		SnapshotEvery: 10 * time.Millisecond, Sinks: []Sink{heldSink{ctx}},
		OnCut: func(s Stats, _ int) {
			if told = s.SnapshotsLost; told > 0 {
				stop()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := a.Run(ctx)
	if err != nil || told == 0 || stats.SnapshotsLost < told {
		t.Errorf("%d snapshots are lost, and %d were told of, %v", stats.SnapshotsLost, told, err)
	}
}

// TestLostBefore: a subscriber is not told of samples that were lost before it subscribed.
func TestLostBefore(t *testing.T) {
	const spins = `
		function spin() { for (const end = Date.now() + 20; Date.now() < end;); setImmediate(spin) }
		spin()`
	feed, busy := live.NewFeed(), node.Start(t, "24.21.0", "-e", waits+spins)
	a, err := New(Config{
		Select: Selection{PIDs: []int{busy.PID}}, Rate: 999, RingBytes: os.Getpagesize(), Live: feed,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	err = a.start()
	if err == nil {
		err = a.sampler.Start(a.trigger())
	}
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // nobody reads the ring buffer
	a.sampler.Stop()
	defer feed.Subscribe(func(*pprofx.Snapshot) int64 { return 0 }).Close()
	a.followLive(a.now())
	a.countLosses()
	end := a.now()
	lost, told := a.builder.Cut(end.UnixNano())[0].Lost, a.builder.CutLive(end)[0].Lost
	if lost[pprofx.LostRingFull] == 0 || len(told) > 0 {
		t.Errorf("%v are lost, a subscriber is told %v", lost, told)
	}
}
