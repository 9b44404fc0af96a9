package agent

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/internal/labels"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/pprofx"
)

func TestCount(t *testing.T) {
	label := []pprofx.Label{{Key: "a", Str: "b"}}
	two := []*pprofx.Frame{{}, {}}
	for _, c := range []struct {
		name  string
		out   pprofx.Sample
		named symbolize.Result
		f     labels.Flags
		want  Stats
	}{
		{"nothing known", pprofx.Sample{Stop: pprofx.StopNoRule}, symbolize.Result{}, labels.Flags{},
			Stats{Samples: 1}},
		{"to the root", pprofx.Sample{Stop: pprofx.StopRoot, Stack: two}, symbolize.Result{}, labels.Flags{},
			Stats{Samples: 1, ToRoot: 1, Frames: 2}},
		{"to the root over a gap", pprofx.Sample{Stop: pprofx.StopRoot}, symbolize.Result{Broken: true}, labels.Flags{},
			Stats{Samples: 1}},
		{"JavaScript, named", pprofx.Sample{}, symbolize.Result{JS: true}, labels.Flags{},
			Stats{Samples: 1, WithJS: 1, Named: 1}},
		{"JavaScript, not named", pprofx.Sample{}, symbolize.Result{JS: true, Unnamed: true}, labels.Flags{},
			Stats{Samples: 1, WithJS: 1}},
		{"labelled", pprofx.Sample{Labels: label}, symbolize.Result{}, labels.Flags{Present: true},
			Stats{Samples: 1, Requests: 1, Labelled: 1}},
		{"learning", pprofx.Sample{}, symbolize.Result{}, labels.Flags{Present: true, Learning: true},
			Stats{Samples: 1, Requests: 1, Learning: 1}},
		{"labelled while learning", pprofx.Sample{Labels: label}, symbolize.Result{},
			labels.Flags{Present: true, Learning: true, Unreadable: true},
			Stats{Learning: 1, Samples: 1, Requests: 1, Labelled: 1, Unreadable: 1}},
	} {
		var got Stats
		got.count(&c.out, c.named, c.f)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Whatever becomes of samples, those that are written and those that are lost are all.
func TestWritten(t *testing.T) {
	s := Stats{Lost: map[pprofx.LostReason]int64{}}
	s.written(&pprofx.Snapshot{Rows: make([]pprofx.Row, 3)})
	if s.Written != 3 || s.LostSum() != 0 {
		t.Errorf("%+v", s)
	}
	lost := map[pprofx.LostReason]int64{pprofx.LostRingFull: 5, pprofx.LostExited: 1}
	s.written(&pprofx.Snapshot{Rows: make([]pprofx.Row, 4), Lost: lost})
	s.written(&pprofx.Snapshot{Lost: map[pprofx.LostReason]int64{pprofx.LostRingFull: 2, pprofx.LostMalformed: 7}})
	if diff := cmp.Diff(map[pprofx.LostReason]int64{pprofx.LostRingFull: 7, pprofx.LostExited: 1,
		pprofx.LostMalformed: 7}, s.Lost); diff != "" || s.Written != 7 || s.LostSum() != 15 {
		t.Errorf("%d written, %d lost %s", s.Written, s.LostSum(), diff)
	}
	if lost[pprofx.LostRingFull] != 5 {
		t.Error("a snapshot was changed")
	}
}

func TestProgress(t *testing.T) {
	start := time.Unix(100, 0)
	s := Stats{Start: start, Samples: 5, WithJS: 4, Named: 3, Requests: 2, Labelled: 1,
		Lost: map[pprofx.LostReason]int64{pprofx.LostFull: 6, pprofx.LostLate: 1}}
	want := Progress{Elapsed: 3 * time.Second, Samples: 5, WithJS: 4, Named: 3, Requests: 2, Labelled: 1, Lost: 7}
	if diff := cmp.Diff(want, s.progress(start.Add(3*time.Second))); diff != "" {
		t.Error(diff)
	}
}
