package pprofx

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReusedOften: what one snapshot has of two processes with one pid is described as neither.
func TestReusedOften(t *testing.T) {
	b := newTestBuilder(0, 1)
	for i := range int64(100) {
		b.SetProcess(1, Process{Service: fmt.Sprint(i)})
		b.Add(&Sample{PID: 1, Time: i})
		b.EndProcess(1, i+1)
	}
	all := b.CutByProcess(200)
	if len(all) != maxPieces {
		t.Fatalf("%d snapshots, want %d", len(all), maxPieces)
	}
	for i, s := range all {
		want := map[int]Process{1: {Service: fmt.Sprint(i)}}
		if i == maxPieces-1 {
			want = map[int]Process{}
		}
		if diff := cmp.Diff(want, s.Processes); diff != "" {
			t.Errorf("snapshot %d: %s", i, diff)
		}
	}
}

// TestEndedAreForgotten: nothing is kept of a process that has ended but what its samples need.
func TestEndedAreForgotten(t *testing.T) {
	b := newTestBuilder(0, 1)
	for pid := range 1000 {
		b.SetProcess(pid, Process{Service: "short"})
		b.EndProcess(pid, 10)
		b.EndProcess(pid, 11) // it is another one, of which nothing is known
	}
	b.Add(&Sample{PID: 5, Time: 9})
	if s := b.Cut(5); len(s.Rows) != 0 {
		t.Errorf("%d rows", len(s.Rows))
	}
	if s := b.Cut(10); s.Processes[5].Service != "short" {
		t.Errorf("of a process that ended at the end %v", s.Processes)
	}
	if now, ended := len(b.processes.now), len(b.processes.ended); now+ended > 0 {
		t.Errorf("%d processes that run and %d that have ended are kept", now, ended)
	}
}
