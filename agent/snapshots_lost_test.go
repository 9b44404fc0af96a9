package agent

import (
	"context"
	"testing"
	"time"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/test/nodes/live"
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
		Select: Selection{PIDs: []int{live.Start(t, "24.21.0", "-e", waits).PID}}, Rate: 99,
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
