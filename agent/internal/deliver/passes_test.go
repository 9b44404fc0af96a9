package deliver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
)

// fakeSink records the snapshots it receives, and fails or blocks on demand.
type fakeSink struct {
	got   []int64 // starts of snapshots
	write func(ctx context.Context) error
}

func (s *fakeSink) Name() string { return "fake" }

func (s *fakeSink) Write(ctx context.Context, p *pprofx.Snapshot) error {
	s.got = append(s.got, p.Start)
	return s.write(ctx)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestSlowSinkLosesItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &fakeSink{write: func(context.Context) error { time.Sleep(100 * time.Millisecond); return nil }}
		fast := &fakeSink{write: func(context.Context) error { return nil }}
		a, b := newDelivery(slow, quiet()), newDelivery(fast, quiet())
		start := time.Now()
		for i := range int64(maxWaiting + 6) {
			a.put(&pprofx.Snapshot{Start: i})
			b.put(&pprofx.Snapshot{Start: i})
			synctest.Wait()
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("put waited %v", took)
		}
		if err := errors.Join(a.close(), b.close()); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != (maxWaiting+1)*100*time.Millisecond {
			t.Errorf("close after %v: one snapshot takes 100ms", took)
		}
		check := func(name string, d *delivery, got []int64, lost int) {
			if d.lost.Load() != int64(lost) || len(got) != maxWaiting+6-lost || !slices.IsSorted(got) ||
				got[len(got)-1] != int64(len(got)-1) {
				t.Errorf("%s: %d lost, got %v", name, d.lost.Load(), got)
			}
		}
		check("slow", a, slow.got, 5) // one is at hand, the others wait
		check("fast", b, fast.got, 0)
	})
}

func TestCloseEndsASinkThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := &fakeSink{write: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		d := newDelivery(hangs, quiet())
		d.put(&pprofx.Snapshot{})
		start := time.Now()
		if err := d.close(); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(start); took != 30*time.Second {
			t.Errorf("close after %v, want 30s", took)
		}
	})
}

func TestErrorsOfASink(t *testing.T) {
	n := 0
	fails := &fakeSink{write: func(context.Context) error {
		if n++; n == 2 {
			return nil
		}
		return fmt.Errorf("error %d", n)
	}}
	var log strings.Builder
	d := newDelivery(fails, slog.New(slog.NewTextHandler(&log, nil)))
	for range 5 {
		d.queue <- &pprofx.Snapshot{}
	}
	err := d.close()
	if diff := cmp.Diff("4 snapshots not delivered, the first: error 1", fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
	if got := strings.Count(log.String(), "not delivered"); got != 4 {
		t.Errorf("%d messages: %s", got, log.String())
	}
}

func TestFinish(t *testing.T) {
	good := &fakeSink{write: func(context.Context) error { return nil }}
	bad := &fakeSink{write: func(context.Context) error { return errors.New("disk full") }}
	sinks := []*delivery{newDelivery(good, quiet()), newDelivery(bad, quiet())}
	sinks[0].lost.Store(2)
	sinks[1].lost.Store(3)
	p := newPasses(nil, sinks, nil, quiet())
	p.Put(&pprofx.Snapshot{Start: 1})
	p.Put(&pprofx.Snapshot{Start: 2})
	lost, err := p.Close()
	if diff := cmp.Diff([]int64{1, 2}, good.got); diff != "" {
		t.Error(diff)
	}
	if fmt.Sprint(err) != "fake: 2 snapshots not delivered, the first: disk full" || lost != 5 {
		t.Errorf("%v, %d lost", err, lost)
	}
}

// TestPassesNeverWait: what finds no room is lost for each sink, and counted.
func TestPassesNeverWait(t *testing.T) {
	p := &Passes{queue: make(chan numbered, 1), sinks: []*delivery{{}, {}}, log: quiet()}
	for range 3 {
		p.Put(&pprofx.Snapshot{})
	}
	if c := <-p.queue; c.number != 1 || p.Lost() != 4 || p.cuts != 3 {
		t.Errorf("number %d, %d lost of %d", c.number, p.Lost(), p.cuts)
	}
}
