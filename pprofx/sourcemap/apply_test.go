package sourcemap

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
)

// js is a frame of the script x.js, of which the map of number 1 is plain.
func js(function string, line, column int, more ...func(*pprofx.Frame)) *pprofx.Frame {
	f := &pprofx.Frame{Function: function, File: "/srv/dist/x.js", Line: line, Column: column, Map: 1}
	for _, m := range more {
		m(f)
	}
	return f
}

func named(line, column int) func(*pprofx.Frame) {
	return func(f *pprofx.Frame) { f.NameLine, f.NameColumn = line, column }
}

func of(number int32) func(*pprofx.Frame) { return func(f *pprofx.Frame) { f.Map = number } }

func source(function, file string, line, column int) *pprofx.Frame {
	return &pprofx.Frame{Function: function, File: file, Line: line, Column: column}
}

func TestApplyFrames(t *testing.T) {
	m := parse(t, plain)
	scripts := map[int32]Script{
		1: {Map: m}, 2: {}, 3: {Map: m, LineOffset: 10, ColumnOffset: 20}, 4: {Map: m, ColumnOffset: -20},
		5: {Map: m, LineOffset: -3, ColumnOffset: 7},
	}
	for _, c := range []struct {
		what  string
		frame *pprofx.Frame
		want  *pprofx.Frame
	}{
		{"position", js("f", 1, 6), source("f", "/srv/dist/a.ts", 1, 5)},
		{"name", js("x", 2, 9, named(1, 5)), source("first", "/srv/dist/b.ts", 3, 7)},
		{"no name at that place", js("x", 2, 9, named(1, 6)), source("x", "/srv/dist/b.ts", 3, 7)},
		{"the name of what is called there is not the function's", js("x", 1, 5), source("x", "/srv/dist/a.ts", 1, 5)},
		{"from nowhere", js("f", 1, 20), source("f", "/srv/dist/x.js", 1, 20)},
		{"from nowhere, but with a name", js("x", 1, 20, named(1, 5)), source("first", "/srv/dist/x.js", 1, 20)},
		{"line not known", js("x", 0, 0, named(1, 5)), source("first", "/srv/dist/a.ts", 0, 0)},
		{"nothing known", js("x", 0, 0), source("x", "/srv/dist/x.js", 0, 0)},
		{"no map", js("x", 1, 5, named(1, 5), of(2)), source("x", "/srv/dist/x.js", 1, 5)},
		{"no script", js("x", 1, 5, of(9)), source("x", "/srv/dist/x.js", 1, 5)},
		{"offsets, first line", js("x", 11, 25, named(11, 25), of(3)), source("first", "/srv/dist/a.ts", 1, 5)},
		{"offsets, second line", js("f", 12, 9, of(3)), source("f", "/srv/dist/b.ts", 3, 7)},
		{"behind a head", js("f", 1, 5, named(1, 5), of(4)), source("first", "/srv/dist/a.ts", 1, 5)},
		{"behind a head, second line", js("f", 2, 9, of(4)), source("f", "/srv/dist/b.ts", 3, 7)},
		{"below a head", js("f", 1, 5, named(1, 5), of(5)), source("first", "/srv/dist/a.ts", 1, 5)},
		{"in a head", js("f", -2, 5, of(5)), source("f", "/srv/dist/x.js", -2, 5)},
	} {
		before := *c.frame
		out := Apply(&pprofx.Snapshot{Frames: []*pprofx.Frame{c.frame}}, scripts)
		if diff := cmp.Diff([]*pprofx.Frame{c.want}, out.Frames); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
		if *c.frame != before {
			t.Errorf("%s: the frame that was given has changed", c.what)
		}
	}
}

// TestApplyMerges: places in the generated code that come from one place of the source are one frame, and so are their
// stacks; what differs in anything else stays apart.
func TestApplyMerges(t *testing.T) {
	tier := func(f *pprofx.Frame) { f.Tier = pprofx.TurboFan }
	s := &pprofx.Snapshot{
		Start: 1, End: 2,
		Frames: []*pprofx.Frame{
			js("f", 1, 5), js("f", 1, 6), js("f", 1, 5, tier), js("f", 1, 1),
			source("f", "/srv/dist/a.ts", 1, 5), {Function: "main", Kind: pprofx.Native},
			js("f", 1, 5, of(2)),
		},
		Stacks:    [][]int32{{0, 5}, {1, 5}, {2, 5}, {3, 5}, {4, 5}, {6, 5}, {5}},
		LabelSets: [][]pprofx.Label{nil},
		Rows: []pprofx.Row{
			{Time: 1, Stack: 0}, {Time: 2, Stack: 1}, {Time: 3, Stack: 2}, {Time: 4, Stack: 3}, {Time: 5, Stack: 4},
			{Time: 6, Stack: 5}, {Time: 7, Stack: 6},
		},
		Lost: map[pprofx.LostReason]int64{pprofx.LostLate: 3},
	}
	rows := append([]pprofx.Row{}, s.Rows...)
	mapped := source("f", "/srv/dist/a.ts", 1, 5)
	hot := *mapped
	hot.Tier = pprofx.TurboFan
	want := &pprofx.Snapshot{
		Start: 1, End: 2,
		Frames: []*pprofx.Frame{
			mapped, &hot, source("f", "/srv/dist/a.ts", 1, 1), {Function: "main", Kind: pprofx.Native},
			source("f", "/srv/dist/x.js", 1, 5),
		},
		Stacks:    [][]int32{{0, 3}, {1, 3}, {2, 3}, {4, 3}, {3}},
		LabelSets: [][]pprofx.Label{nil},
		Rows: []pprofx.Row{
			{Time: 1, Stack: 0}, {Time: 2, Stack: 0}, {Time: 3, Stack: 1}, {Time: 4, Stack: 2}, {Time: 5, Stack: 0},
			{Time: 6, Stack: 3}, {Time: 7, Stack: 4},
		},
		Lost: map[pprofx.LostReason]int64{pprofx.LostLate: 3},
	}
	got := Apply(s, map[int32]Script{1: {Map: parse(t, plain)}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(rows, s.Rows); diff != "" || len(s.Frames) != 7 || s.Frames[0].Map != 1 {
		t.Errorf("the snapshot that was given has changed: %s", diff)
	}
}

func TestApplyNothing(t *testing.T) {
	s := &pprofx.Snapshot{Frames: []*pprofx.Frame{source("f", "/a.js", 1, 1)}}
	if got := Apply(s, nil); got != s {
		t.Error("a snapshot without maps was copied")
	}
}

// TestApplyKeyword: terser 5.51 wrote this map of "const o = { async work(n) { return n; } }", of which it made
// "const o={work:async o=>o}".
func TestApplyKeyword(t *testing.T) {
	m := parse(t, `{"version":3,"names":["o","async","n","globalThis"],"sources":["b.js"],"mappings":
		"AAAA,MAAMA,EAAI,CAAEC,KAAU,MAACC,GAAYA,GACnCC,WAAWH,EAAIA","ignoreList":[]}`)
	f := js("work", 1, 25, named(1, 10))
	out := Apply(&pprofx.Snapshot{Frames: []*pprofx.Frame{f}}, map[int32]Script{1: {Map: m}})
	if got := out.Frames[0].Function; got != "work" {
		t.Errorf("the method work is called %s", got)
	}
}
