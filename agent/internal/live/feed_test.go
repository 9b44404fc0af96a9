package live

import (
	"testing"
	"testing/synctest"

	"github.com/hotspan/hotspan/pprofx"
)

// TestFeedNeverWaits: who samples does not wait while it is found out what a subscriber has missed. What is missed is
// counted when the subscription is closed, and of what nobody had the time for all samples.
func TestFeedNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		feed, proceed := NewFeed(), make(chan struct{})
		s := feed.Subscribe(func(snapshot *pprofx.Snapshot) int64 {
			<-proceed
			return 1
		})
		missed := &pprofx.Snapshot{Rows: make([]pprofx.Row, 2)}
		feed.Miss(missed)
		synctest.Wait() // it is being counted
		const more, tooMuch = maxUnread + maxUncounted, 5
		for range more {
			feed.Publish(missed)
		}
		for range tooMuch {
			feed.Miss(missed)
		}
		close(proceed)
		s.Close()
		if got, want := s.Lost(), int64(1+maxUncounted+2*tooMuch); got != want {
			t.Errorf("%d samples are lost, want %d", got, want)
		}
		if n := len(s.Snapshots()); n != maxUnread {
			t.Errorf("%d snapshots have come, want %d", n, maxUnread)
		}
		select {
		case <-s.Counted():
		default:
			t.Error("nothing tells that more is lost")
		}
	})
}
