package e2e

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hotspan/hotspan/agent/client"
	"github.com/hotspan/hotspan/test/draw"
)

// TestCrowd: ten thousand requests at a time, and one of a gigabyte, get an answer or an error. The agent stays within
// its memory, loses no sample, and answers the next one.
func TestCrowd(t *testing.T) {
	draw.Quarter(t, seldom)
	p := start(t, node24(t), "functions.js", []string{"--expose-gc"}, nil)
	a := startAgent(t, "--name", regexp.QuoteMeta(p.Log), "--period", "500ms")
	const connections, each = 50, 200
	const limit = 150 << 10 // KiB, the default of --memory-mib
	var answered, refused atomic.Int64
	var running sync.WaitGroup
	for range connections {
		c := dialAgent(t, a)
		for i := range each {
			running.Go(func() {
				if err := ask(t.Context(), c, i%2 == 0); err == nil {
					answered.Add(1)
				} else {
					refused.Add(1)
				}
			})
		}
	}
	done := make(chan struct{})
	go func() { running.Wait(); close(done) }()
	most := int64(0)
	for busy := true; busy; {
		most = max(most, status(t, a.Process.Pid, "RssAnon"))
		select {
		case <-done:
			busy = false
		case <-time.After(20 * time.Millisecond):
		}
	}
	huge := client.Snapshots{Filter: client.Filter{Services: []string{strings.Repeat("x", 1<<30)}}}
	for _, err := range dialAgent(t, a).Stream(t.Context(), huge) {
		if err == nil || !strings.Contains(err.Error(), "larger than max") {
			t.Errorf("a request of a gigabyte: %v", err)
		}
	}
	most = max(most, status(t, a.Process.Pid, "RssAnon"))
	t.Logf("%d answered, %d refused, at most %d KiB", answered.Load(), refused.Load(), most)
	if answered.Load()+refused.Load() != connections*each || answered.Load() == 0 || most > limit {
		t.Errorf("%d answered, %d refused, %d KiB: want %d together and at most %d KiB", answered.Load(),
			refused.Load(), most, connections*each, limit)
	}
	if err := ask(t.Context(), dialAgent(t, a), true); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	a.stop(t)
	if taken, written, lost := taken(t, a.log.String()); taken != written || lost != 0 {
		t.Errorf("%d taken, %d written, %d lost", taken, written, lost)
	}
}

func dialAgent(t *testing.T, a *runningAgent) *client.Client {
	t.Helper()
	c, err := client.Dial(a.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ask asks for the status, or for the newest snapshot.
func ask(ctx context.Context, c *client.Client, small bool) error {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	if small {
		_, err := c.Status(ctx)
		return err
	}
	for _, err := range c.Stream(ctx, client.Snapshots{Last: 1}) {
		if err != nil {
			return err
		}
	}
	return nil
}
