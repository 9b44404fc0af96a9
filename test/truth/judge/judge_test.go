package judge

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/truth"
)

// A program of one thread, 7: for 10 ms in help, which work called, then in a request, then in none.
const programText = `{"kind":"header","program":"x.js","pid":7,"tier":"maglev","inlined":true}
{"kind":"clock","mono":0,"unix":0}
{"kind":"stack","id":1,"frames":[{"function":"help","file":"g.js","first":10,"last":12},{"function":"work","file":"g.js","line":4,"column":8}]}
{"kind":"stack","id":2,"frames":[{"function":"job","file":"j.js","first":1,"last":9}]}
{"kind":"interval","start":0,"end":10000000,"tid":7,"stack":1}
{"kind":"interval","start":10000000,"end":20000000,"tid":7,"label":{"endpoint":"a"}}
{"kind":"interval","start":20000000,"end":30000000,"tid":7}
{"kind":"interval","start":30000000,"end":40000000,"tid":7,"stack":2}
`

func program(t *testing.T) *truth.Log {
	t.Helper()
	l, err := truth.Read(strings.NewReader(programText))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func js(name, file string, line, col int) Frame {
	return Frame{F: name, File: file, Line: line, Col: col, Kind: "js", Tier: "maglev"}
}

var (
	help = js("help", "g.js", 11, 1)
	work = js("work", "g.js", 4, 8)

	hrtime = js("hrtimeBigInt", "node:internal/process/per_thread", 100, 1)
)

func at(ms float64, stack ...Frame) Sample {
	return Sample{T: int64(ms * 1e6), PID: 7, TID: 7, State: "js", Stop: "root", Stack: stack}
}

func TestCompareFunctions(t *testing.T) {
	all, none := Share{1, 1}, Share{0, 1}
	right := Functions{Named: all, Right: all, LeafLine: all, Callers: all, Line: all, Column: all}
	other := func(change func(*Functions)) Functions { f := right; change(&f); return f }
	for _, tt := range []struct {
		name string
		s    Sample
		want Functions
	}{
		{"right", at(5, help, work), right},
		{"native code above it", at(5, Frame{F: "memcpy", Kind: "native"}, help, work), right},
		{"the clock, read by the leaf", at(5, hrtime, help, work), right},
		{"the clock, read by its caller", at(5, hrtime, work), Functions{Edge: 1}},
		{"the clock, and a wrong caller", at(5, hrtime, help, js("word", "g.js", 4, 8)),
			Functions{Named: all, Right: all, LeafLine: all, Callers: none, Wrong: 1}},
		{"another thread's time", Sample{T: 5e6, TID: 8, Stack: []Frame{work}}, Functions{}},
		{"leaf's line outside", at(5, js("help", "g.js", 13, 1), work),
			other(func(f *Functions) { f.LeafLine, f.WrongLines = none, 1 })},
		{"caller's line", at(5, help, js("work", "g.js", 5, 8)),
			other(func(f *Functions) { f.Line, f.Column, f.WrongLines = none, none, 1 })},
		{"caller's column", at(5, help, js("work", "g.js", 4, 9)), other(func(f *Functions) { f.Column = none })},
		{"wrong caller", at(5, help, js("word", "g.js", 4, 8)),
			Functions{Named: all, Right: all, LeafLine: all, Callers: none, Wrong: 1}},
		{"no caller", at(5, help), Functions{Named: all, Right: all, LeafLine: all, Callers: none}},
		{"wrong leaf", at(5, js("other", "g.js", 11, 1), work), Functions{Named: all, Right: none, Wrong: 1}},
		{"another's, which is compiled", at(5, Frame{F: "StartMaglevOptimizeJob", Kind: "builtin"},
			js("other", "g.js", 11, 1), work), Functions{Edge: 1}},
		{"the same name in another file", at(5, js("help", "h.js", 11, 1), work),
			Functions{Named: all, Right: none, Wrong: 1}},
		{"leaf lost, its caller elsewhere", at(5, js("work", "g.js", 7, 1)),
			Functions{Named: all, Right: none, Wrong: 1}},
		{"its caller, at the call", at(5, work), Functions{Edge: 1}},
		{"wrong leaf near the edge", at(0.2, js("other", "g.js", 11, 1)), Functions{Edge: 1}},
		{"stale", at(5, Frame{F: stale, Kind: "js"}, work), Functions{Named: none, Right: none}},
		{"no JavaScript", at(5, Frame{F: "memcpy", Kind: "native"}), Functions{Named: none, Right: none}},
	} {
		got := CompareFunctions([]Sample{tt.s}, program(t))
		got.Examples = nil
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
	}
}

// TestLate: what stands in a caller is no wrong function where the CPU had stopped, and is one where it had not.
func TestLate(t *testing.T) {
	caller := js("work", "g.js", 7, 1)
	for _, tt := range []struct {
		name  string
		times []float64
		leaf  Frame
		wrong int
	}{
		{"in time", []float64{3, 4, 5, 6, 7}, caller, 1},
		{"late", []float64{3, 4, 5.4, 6, 7}, caller, 0},
		{"later than the one before it, which was late", []float64{2, 3, 4.6, 5.7, 6, 7, 8}, caller, 0},
		{"late, and in another function", []float64{3, 4, 5.4, 6, 7}, js("other", "g.js", 11, 1), 1},
	} {
		var samples []Sample
		for _, ms := range tt.times {
			leaf := help
			if ms > 5 && ms < 6 || tt.wrong == 1 && ms == 5 {
				leaf = tt.leaf
			}
			samples = append(samples, at(ms, leaf, work))
		}
		if got := CompareFunctions(samples, program(t)); got.Wrong != tt.wrong || got.Edge != 1-tt.wrong {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// TestTooVague: of few samples chance may excuse some more than the bound, of many it may not.
func TestTooVague(t *testing.T) {
	for _, tt := range []struct {
		edge, compared int
		want           bool
	}{
		{0, 0, false}, {3, 97, false}, {6, 94, true}, {30, 1970, false}, {40, 1960, true}, {230, 19770, false},
		{300, 19700, true},
	} {
		v := Functions{Right: Share{Whole: tt.compared}, Edge: tt.edge}
		if got := TooVague(v.AtEdge()); got != tt.want {
			t.Errorf("%v: %v", v.AtEdge(), got)
		}
	}
}

func TestIs(t *testing.T) {
	for _, tt := range []struct {
		file, want string
		is         bool
	}{
		{"/a/g.js", "/a/g.js", true},
		{"/a/g.js", "/b/g.js", false},
		{"eval at /a/g.js:3", "", true},
		{"/a/g.js", "", false},
		{"eval at /a/g.js:3", "/a/g.js", false},
	} {
		if got := js("help", tt.file, 1, 1).Is("help", tt.want); got != tt.is {
			t.Errorf("%s is of %q: %v", tt.file, tt.want, got)
		}
		if js("work", tt.file, 1, 1).Is("help", tt.want) {
			t.Errorf("%s: work is help", tt.file)
		}
	}
}

func TestWithin(t *testing.T) {
	job, times := js("job", "j.js", 3, 1), js("times", "jobs.js", 1, 1)
	for _, tt := range []struct {
		name        string
		s           Sample
		right, edge int
		whole       int
	}{
		{"the leaf", at(35, job, times), 1, 0, 1},
		{"further down", at(35, js("sort", "x.js", 1, 1), job, times), 1, 0, 1},
		{"lost", at(35, js("sort", "x.js", 1, 1), times), 0, 0, 1},
		{"between two calls", at(35, times), 0, 1, 0},
		{"in the clock", at(35, js(clock, "x.js", 1, 1), times), 0, 1, 0},
		{"in a job's clock", at(35, js(clock, "x.js", 1, 1), job, times), 1, 0, 1},
		{"at another's time", at(5, job), 0, 0, 0},
	} {
		got := Within([]Sample{tt.s}, program(t), "times")
		if got.Right != (Share{tt.right, tt.whole}) || got.Edge != tt.edge {
			t.Errorf("%s: right %v, edge %d", tt.name, got.Right, got.Edge)
		}
	}
}

func TestCompareLabels(t *testing.T) {
	want := func(l *truth.Label) map[string]any { return map[string]any{"endpoint": l.Endpoint} }
	with := func(ms float64, state string, labels map[string]any) Sample {
		s := at(ms)
		s.State, s.Labels = state, labels
		return s
	}
	samples := []Sample{
		with(15, "js", map[string]any{"endpoint": "a"}),
		with(15, "gc", map[string]any{"endpoint": "a"}),
		with(15, "gc", nil),
		with(15, "js", map[string]any{"endpoint": "b"}),
		with(15, "js", map[string]any{"endpoint": "a", "more": "x"}),
		with(25, "js", nil),
		with(25, "js", map[string]any{"endpoint": "a"}),
		with(45, "js", map[string]any{"endpoint": "a"}),
	}
	got := CompareLabels(samples, program(t), want)
	kinds := slices.Sorted(maps.Keys(got.Examples))
	got.Examples = nil
	if diff := cmp.Diff(Labels{Right: Share{2, 5}, GC: Share{1, 2}, Wrong: 2, Outside: 1,
		Missing: map[string]int{"endpoint": 1}}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"labels where no request ran", "missing labels", "wrong labels"}, kinds); diff != "" {
		t.Error(diff)
	}
}

func TestCompareChains(t *testing.T) {
	in := func(f Frame) Frame { f.Inlined = true; return f }
	other := js("other", "g.js", 1, 1)
	short := at(5, in(help), other)
	slow := at(5, in(help), in(work))
	slow.Stack[0].Tier = "ignition"
	got := CompareChains([]Sample{at(5, in(help), in(work)), short, slow, at(5, work, other),
		at(5, js("work", "g.js", 5, 1), other), at(5, js("work", "g.js", 4, 9), other)}, program(t))
	if n := len(got.Examples.List()); n != 2 {
		t.Errorf("%d examples, want 2", n)
	}
	got.Examples = nil
	if diff := cmp.Diff(Chains{Tier: Share{2, 3}, Whole: Share{2, 4}, Marked: Share{2, 3}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCompareReach(t *testing.T) {
	mul := Frame{F: "bn_mul", Kind: "native", Mod: "/usr/bin/node", Addr: "0x1"}
	short := at(5, mul)
	short.Stop = "no unwind rule"
	got := CompareReach([]Sample{
		at(5, help, work),
		at(5, mul, Frame{F: gap, Kind: "marker"}, help),
		at(5, Frame{F: unknown, Kind: "jit"}, help),
		at(5, Frame{F: unknown, Kind: "native"}, Frame{F: codeGone, Kind: "jit"}, help),
		short,
		{TID: 8, Stop: "no unwind rule"},
	}, 7)
	got.Examples = nil
	want := Reach{
		Root: Share{2, 5}, Named: Share{3, 4}, Frames: Share{5, 6},
		Ends: map[string]int{
			"bn_mul in node, called by [native frames not walked]": 1,
			"the leaf, called by [unknown]":                        1,
			"no unwind rule: bn_mul in node":                       1,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What a caller does between two calls is its own, and what tells it from a lost callee is where it stands.
func TestAtEdge(t *testing.T) {
	want := []truth.Frame{{Function: "help"}, {Function: "work", File: "g.js", Line: 4, Column: 8},
		{Function: "main", File: "g.js", Line: 16, Column: 10}}
	xor := Frame{F: "BitwiseXor_Baseline", Kind: "builtin"}
	next := Frame{F: "GeneratorPrototypeNext", Kind: "builtin"}
	resume := Frame{F: "ResumeGeneratorTrampoline", Kind: "builtin"}
	result := Frame{F: "CreateIterResultObject", Kind: "builtin"}
	leave := Frame{F: "BaselineLeaveFrame", Kind: "builtin"}
	onward := Frame{F: "BaselineOrInterpreterEnterAtNextBytecode", Kind: "builtin"}
	runtime := Frame{F: "CEntry_Return1_ArgvOnStack_NoBuiltinExit", Kind: "builtin"}
	baseline := js("main", "g.js", 16, 10)
	baseline.Tier = "sparkplug"
	for _, tt := range []struct {
		name  string
		stack []Frame
		gc    bool
		want  bool
	}{
		{"the leaf's caller, at the call", []Frame{work}, false, true},
		{"the leaf's caller, which returns", []Frame{leave, js("work", "g.js", 0, 0)}, false, true},
		{"the leaf's caller, deoptimised", []Frame{onward, js("work", "g.js", 0, 0)}, false, true},
		{"its caller, deoptimised", []Frame{onward, js("main", "g.js", 0, 0)}, false, false},
		{"the leaf's caller, at no line", []Frame{js("work", "g.js", 0, 0)}, false, false},
		{"its caller, which returns", []Frame{leave, js("main", "g.js", 0, 0)}, false, false},
		{"its caller, at the call", []Frame{js("main", "g.js", 16, 10)}, false, false},
		{"its caller, at another column", []Frame{js("main", "g.js", 16, 7)}, false, true},
		{"its caller, two lines on", []Frame{js("main", "g.js", 18, 7)}, false, false},
		{"its caller, at its operator", []Frame{xor, baseline}, false, true},
		{"its caller, where a callee could be inlined", []Frame{xor, js("main", "g.js", 16, 10)}, false, false},
		{"its caller, without an operator", []Frame{baseline}, false, false},
		{"its caller, which has resumed a generator", []Frame{result, next, js("main", "g.js", 16, 10)}, false, true},
		{"its caller, which resumes a generator", []Frame{resume, js("main", "g.js", 16, 10)}, false, true},
		{"its caller, under another builtin", []Frame{next, result, js("main", "g.js", 16, 10)}, false, false},
		{"a generator, which yields", []Frame{runtime, js("main", "g.js", 16, 10), next}, true, true},
		{"a generator, outside a collection", []Frame{runtime, js("main", "g.js", 16, 10), next}, false, false},
		{"no generator, in a collection", []Frame{runtime, js("main", "g.js", 16, 10), result}, true, false},
	} {
		s := at(5, tt.stack...)
		if tt.gc {
			s.State = "gc"
		}
		if got := atEdge(&s, s.JS()[0], want); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
