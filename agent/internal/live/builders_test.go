package live

import (
	"slices"
	"testing"
	"time"

	"github.com/hotspan/hotspan/pprofx"
)

// TestHitsBesideTimer: samples and losses are in the snapshot of what took them, and live ones are of the timer.
func TestHitsBesideTimer(t *testing.T) {
	const period = time.Second / 99
	b, err := NewBuilders(time.Unix(0, 0), period, pprofx.CPUTime, pprofx.HitBytes)
	if err != nil {
		t.Fatal(err)
	}
	b.Begin(time.Unix(0, 0))
	b.SetProcess(7, pprofx.Process{Executable: "node"})
	for i := range int64(3) {
		b.Add(&pprofx.Sample{Time: i, PID: 7, TID: 7, Weight: 5}, i > 0)
	}
	full := func(n int64) map[pprofx.LostReason]int64 { return map[pprofx.LostReason]int64{pprofx.LostRingFull: n} }
	b.LoseMore(full(1), full(4))
	b.LoseMore(full(3), full(4))
	b.Lose(pprofx.LostExited, 2, true)
	subscribers := b.CutLive(time.Unix(0, 10))[0]
	cut := b.Cut(10)
	if len(cut) != 2 {
		t.Fatalf("%d snapshots", len(cut))
	}
	for i, want := range []struct {
		*pprofx.Snapshot
		of           pprofx.Measure
		rows         int
		full, exited int64
	}{
		{cut[0], pprofx.CPUTime, 1, 3, 0}, {cut[1], pprofx.HitBytes, 2, 4, 2}, {subscribers, pprofx.CPUTime, 1, 3, 0},
	} {
		if want.Measure != want.of || want.Period != want.of.Period(int64(period)) || len(want.Rows) != want.rows ||
			want.Lost[pprofx.LostRingFull] != want.full || want.Lost[pprofx.LostExited] != want.exited ||
			want.Processes[7].Executable != "node" {
			t.Errorf("snapshot %d: %+v", i, want.Snapshot)
		}
	}
	if again := b.Cut(20); again[0].Start != 10 || again[1].Start != 10 || len(again[0].Lost)+len(again[1].Lost) > 0 {
		t.Errorf("the next have %+v, %+v", again[0], again[1])
	}
}

// TestHitsAlone: without a second measure hits are in the one snapshot.
func TestHitsAlone(t *testing.T) {
	b, err := NewBuilders(time.Unix(0, 0), time.Second, pprofx.HitCount)
	if err != nil {
		t.Fatal(err)
	}
	b.Add(&pprofx.Sample{Time: 1, PID: 7, TID: 7}, true)
	b.Lose(pprofx.LostLimited, 3, true)
	if cut := b.Cut(10); len(cut) != 1 || cut[0].Measure != pprofx.HitCount || len(cut[0].Rows) != 1 ||
		cut[0].Lost[pprofx.LostLimited] != 3 {
		t.Errorf("snapshots %+v", cut)
	}
}

// TestShift: after a step of the clock, what has been sampled since the last snapshot is in the next one, by the new
// time, whether the step is back or forth.
func TestShift(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -time.Hour} {
		begin := time.Unix(1e9, 0)
		b, err := NewBuilders(begin, time.Second, pprofx.CPUTime, pprofx.HitCount)
		if err != nil {
			t.Fatal(err)
		}
		b.Begin(begin)
		first := begin.Add(10 * time.Second)
		b.Add(&pprofx.Sample{Time: first.UnixNano() - 5, PID: 7, TID: 7}, false)
		b.Add(&pprofx.Sample{Time: first.UnixNano() + 1, PID: 7, TID: 7}, false)
		b.Add(&pprofx.Sample{Time: first.UnixNano() + 2, PID: 7, TID: 7}, true)
		b.CutLive(first)
		b.Cut(first.UnixNano())
		from := first.Add(step)
		b.Shift(step, from)
		b.Add(&pprofx.Sample{Time: from.UnixNano() + 3, PID: 7, TID: 7}, false)
		if !b.End().Equal(from.Add(Interval)) {
			t.Errorf("%v: the next snapshot of subscribers ends at %v", step, b.End())
		}
		live := b.CutLive(b.End())[0]
		cut := b.Cut(from.UnixNano() + 4)
		for i, want := range []struct {
			*pprofx.Snapshot
			times []int64 // after the step
		}{{cut[0], []int64{1, 3}}, {cut[1], []int64{2}}, {live, []int64{1, 3}}} {
			var times []int64
			for _, r := range want.Rows {
				times = append(times, r.Time-from.UnixNano())
			}
			if !slices.Equal(times, want.times) || want.Start != from.UnixNano() || len(want.Lost) > 0 {
				t.Errorf("%v: snapshot %d from %d: samples %v, lost %v", step, i, want.Start, times, want.Lost)
			}
		}
	}
}

// TestReusedPID: no snapshot, of whatever samples, has those of two processes with one pid.
func TestReusedPID(t *testing.T) {
	b, err := NewBuilders(time.Unix(0, 0), time.Second, pprofx.CPUTime, pprofx.HitCount)
	if err != nil {
		t.Fatal(err)
	}
	b.Begin(time.Unix(0, 0))
	for i, service := range []string{"first", "second"} {
		b.SetProcess(7, pprofx.Process{Service: service})
		for _, hit := range []bool{false, true} {
			b.Add(&pprofx.Sample{Time: int64(10 * i), PID: 7}, hit)
		}
		b.EndProcess(7, int64(10*i+5))
	}
	var got []string
	for _, s := range append(b.CutLive(time.Unix(0, 30)), b.Cut(30)...) {
		got = append(got, s.Measure.String()+" of "+s.Processes[7].Service)
	}
	want := []string{
		"cpu of first", "cpu of second", "cpu of first", "cpu of second", "hits of first", "hits of second",
	}
	if !slices.Equal(got, want) {
		t.Errorf("snapshots %q, want %q", got, want)
	}
}
