package pprofxtest

import (
	"math/rand/v2"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
)

// Measured is a snapshot of a Builder that counts something else than CPU time, of samples of one stack: the first has
// weight 1000, the second 1001 and so on, where they have one. Of hits, the first stands for five, and the second, if
// it has a weight, for that alone.
func Measured(t *testing.T, m pprofx.Measure, n int) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	b.SetMeasure(m)
	frame := &pprofx.Frame{Function: "open", Kind: pprofx.Native}
	for i := range n {
		s := pprofx.Sample{Time: int64(i), PID: 1, TID: 1, Stack: []*pprofx.Frame{frame}}
		s.Labels = []pprofx.Label{{Key: pprofx.ProbeLabel, Str: "p"}}
		if m.Weighted() {
			s.Weight = int64(1000 + i)
		}
		switch hits := m == pprofx.HitCount || m == pprofx.HitBytes || m == pprofx.HitValue; {
		case hits && i == 0:
			s.Others = 4
		case hits && i == 1 && m.Weighted():
			s.Others = -1
		}
		b.Add(&s)
	}
	b.Lose(pprofx.LostLimited, 7)
	return b.Cut(100)
}

// ReusedPID has two processes with the pid 1, one after the other, and a third that nothing is known of.
func ReusedPID(t *testing.T) []*pprofx.Snapshot {
	t.Helper()
	b := NewBuilder(0, 1)
	b.SetProcess(2, pprofx.Process{Service: "other"})
	at := int64(0)
	for _, service := range []string{"first", "second"} {
		b.SetProcess(1, pprofx.Process{Executable: "/bin/node", Service: service, Attributes: []pprofx.Label{
			{Key: "service.version", Str: "1 of " + service}, {Key: "tier", Str: "web"}}})
		for _, pid := range []int{1, 2} {
			b.Add(&pprofx.Sample{PID: pid, TID: pid, Time: at, Stack: []*pprofx.Frame{{Function: service}}})
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

// Random has 500 samples and a loss.
func Random(t *testing.T, seed uint64) *pprofx.Snapshot {
	t.Helper()
	g := NewGenerator(rand.New(rand.NewPCG(seed, 7)))
	b, err := pprofx.NewBuilder(0, 10)
	if err != nil {
		t.Fatal(err)
	}
	b.SetProcess(1, pprofx.Process{Service: "one"})
	b.SetProcess(2, pprofx.Process{Service: "two"})
	b.Lose(pprofx.LostExited, 3)
	for at := range int64(500) {
		b.Add(g.Sample(at))
	}
	return b.Cut(500)
}

// Example is the snapshot that the files testdata/example.* of the packages of formats were written for, by hand.
func Example() *pprofx.Snapshot {
	const second = 1_700_000_000_000_000_000
	app := func(column int) []*pprofx.Frame {
		return []*pprofx.Frame{
			{Function: "parse", File: "/srv/app.js", Line: 7, Column: column, Tier: pprofx.TurboFan, Inlined: true},
			{Function: "(anonymous)", File: "/srv/app.js", Line: 20, Column: 9, Tier: pprofx.TurboFan},
			{Function: "InterpreterEntryTrampoline", Kind: pprofx.Builtin, Module: "/usr/bin/node", Address: 0x1f00},
			{Function: "node::Start(int, char**)", Kind: pprofx.Native, Module: "/usr/bin/node", BuildID: "ab12",
				Address: 0x9a0},
		}
	}
	worker := []*pprofx.Frame{
		{Function: "copy_page", Kind: pprofx.Kernel, Module: "[kernel]", Address: 0xffffffff81000010},
		{Function: "[unknown]", Kind: pprofx.Native, Module: "/lib/my lib.so", Address: 0x40},
	}
	odd := []*pprofx.Frame{
		{Function: "get 12"},
		{Function: "/a;b->(c)/", Kind: pprofx.Regexp},
		{Function: "f", File: "data:text/javascript;base64,\nYQ==", Line: 1, Tier: pprofx.Ignition},
		{Function: "[… 5 frames]", Kind: pprofx.Marker},
	}
	b := NewBuilder(second, 10_101_010)
	for _, s := range []*pprofx.Sample{
		{Time: 123_456_789, TID: 12, Thread: "node", CPU: 1, State: pprofx.StateJS, Stop: pprofx.StopRoot,
			Stack: app(3), Labels: []pprofx.Label{{Key: "http.route", Str: "/users/:id"}, {Key: "retries", Num: 2}}},
		{Time: 124_456_789, TID: 12, Thread: "node", CPU: 2, State: pprofx.StateJS, Stop: pprofx.StopRoot,
			Stack: app(4)},
		{Time: 200_000_000, TID: 13, Thread: "V8 Worker 1", CPU: 0, State: pprofx.StateGC, Stop: pprofx.StopBadPC,
			Stack: worker},
		{Time: 300_000_000, TID: 14, CPU: 3, Stop: pprofx.StopUnreadable},
		{Time: 400_000_000, TID: 12, Thread: "node", CPU: 1, State: pprofx.StateJS, Stop: pprofx.StopDepth, Stack: odd,
			Labels: []pprofx.Label{{Key: "retries", Num: 0}}},
	} {
		s.PID, s.Time = 12, s.Time+second
		b.Add(s)
	}
	return b.Cut(second + 1_000_000_000)
}
