package uvloop

import (
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/pprofx"
)

// TestReached: a turn is reached once, by the first sample that is late enough in it; that of a wait began before.
func TestReached(t *testing.T) {
	type sample struct {
		tid          int
		turn         uint64
		time, waited int64
		reached      bool
	}
	for name, samples := range map[string][]sample{
		"short": {{1, 5, 100, 0, false}, {1, 5, 149, 0, false}, {1, 6, 160, 0, false}},
		"once":  {{1, 5, 100, 0, false}, {1, 5, 150, 0, true}, {1, 5, 400, 0, false}},
		"each turn": {
			{1, 5, 0, 0, false}, {1, 5, 50, 0, true}, {1, 6, 60, 0, false}, {1, 6, 110, 0, true},
		},
		"a wait": {{1, 5, 100, 50, true}, {1, 5, 300, 0, false}},
		"waits":  {{1, 5, 100, 30, false}, {1, 5, 119, 10, false}, {1, 5, 120, 0, true}},
		"two threads": {
			{1, 5, 100, 0, false}, {2, 5, 140, 0, false}, {2, 5, 160, 0, false}, {1, 5, 161, 0, true},
		},
		"without a turn": {{1, 0, 100, 90, false}, {1, 0, 500, 0, false}},
	} {
		var l Loops
		for i, s := range samples {
			got := l.Reached(50, s.tid, s.turn, s.time-s.waited, s.time)
			if got != s.reached {
				t.Errorf("%s: sample %d: reached %v", name, i, got)
			}
		}
	}
}

// TestForget: of more threads than are remembered, those that go on are.
func TestForget(t *testing.T) {
	var l Loops
	at := func(tid int, time int64) bool { return l.Reached(50, tid, 1, time, time) }
	at(1, 1)
	for i := range 3 * maxLoops {
		at(2+i, int64(2+i))
		if got, want := at(1, int64(2+i)), i == 49; got != want {
			t.Fatalf("thread %d: reached %v", i, got)
		}
	}
	if len(l.turns) > maxLoops {
		t.Errorf("%d threads are remembered", len(l.turns))
	}
}

// TestSearch: a loop that is not found is searched for so often, and the last time is known.
func TestSearch(t *testing.T) {
	var l Loops
	stack := []*pprofx.Frame{{Function: "callback"}, {Function: functionOfRun, Kind: pprofx.Native}, {Function: "main"}}
	frames := []bpf.Frame{{Pc: 1}, {Pc: 2}, {Pc: 3}}
	key := bpf.EnvironmentKey{Tid: 7}
	for i := range maxTries + 2 {
		pc, last := l.Search(key, stack, frames)
		if (pc != 0) != (i < maxTries) || last != (i == maxTries-1) {
			t.Errorf("try %d: returns to %d, last %v", i, pc, last)
		}
	}
	for range maxTries {
		if _, last := l.Search(bpf.EnvironmentKey{Tid: 9}, stack, frames); last {
			t.Error("it is said of a second thread too")
		}
	}
	if pc, _ := l.Search(bpf.EnvironmentKey{Tid: 8}, stack[2:], frames[2:]); pc != 0 {
		t.Error("a thread without a loop is searched")
	}
}
