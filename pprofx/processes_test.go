package pprofx

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReusedPID: samples belong to the process that had their pid when they were taken, also if others have it later in
// the interval, and however often it is told anew what a process is.
func TestReusedPID(t *testing.T) {
	b := newTestBuilder(0, 1)
	b.SetProcess(1, Process{Service: "not yet known"})
	b.SetProcess(2, Process{Service: "other"})
	for _, at := range []int64{12, 3, 9, 25} { // those of several CPUs come in any order
		b.Add(&Sample{PID: 1, Time: at})
	}
	b.Add(&Sample{PID: 2, Time: 11})
	b.SetProcess(1, Process{Service: "first"})
	b.EndProcess(1, 10)
	b.SetProcess(1, Process{Service: "second"})
	b.EndProcess(1, 20)
	b.Shift(100)
	b.SetProcess(1, Process{Service: "third"})
	b.Add(&Sample{PID: 1, Time: 135})
	type piece struct {
		start, end int64
		rows       int
		processes  map[int]Process
	}
	var got []piece
	for _, s := range append(b.CutByProcess(130), b.CutByProcess(140)...) {
		checkTables(t, s)
		got = append(got, piece{s.Start, s.End, len(s.Rows), s.Processes})
	}
	want := []piece{
		{100, 110, 2, map[int]Process{1: {Service: "first"}}},
		{110, 120, 2, map[int]Process{1: {Service: "second"}, 2: {Service: "other"}}},
		{120, 130, 1, map[int]Process{1: {Service: "third"}}},
		{130, 140, 1, map[int]Process{1: {Service: "third"}}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(piece{})); diff != "" {
		t.Error(diff)
	}
}

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

// reusedPID has two processes with the pid 1, one after the other, and a third that nothing is known of.
func reusedPID(t *testing.T) []*Snapshot {
	t.Helper()
	b := newTestBuilder(0, 1)
	b.SetProcess(2, Process{Service: "other"})
	at := int64(0)
	for _, service := range []string{"first", "second"} {
		b.SetProcess(1, Process{Executable: "/bin/node", Service: service, Attributes: []Label{
			{Key: "service.version", Str: "1 of " + service}, {Key: "tier", Str: "web"}}})
		for _, pid := range []int{1, 2} {
			b.Add(&Sample{PID: pid, TID: pid, Time: at, Stack: []*Frame{{Function: service}}})
		}
		at += 10
		b.EndProcess(1, at)
	}
	all := b.CutByProcess(at)
	if len(all) != 2 {
		t.Fatalf("%d snapshots, want 2", len(all))
	}
	return all
}
