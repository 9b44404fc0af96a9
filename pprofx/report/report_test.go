package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/jsonl"
)

// snapshots are some of random samples.
func snapshots(t *testing.T) (all []*pprofx.Snapshot) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	b, err := pprofx.NewBuilder(1000, 10)
	if err != nil {
		t.Fatal(err)
	}
	var frames []*pprofx.Frame
	for i := range 12 {
		f := &pprofx.Frame{Function: fmt.Sprint("f", i%5), Kind: pprofx.Kind(i % 8), Line: i % 3}
		if f.Kind == pprofx.JS {
			f.File = fmt.Sprint("file", i%2)
		}
		frames = append(frames, f)
	}
	for i := range int64(3) {
		for at := range int64(300) {
			s := &pprofx.Sample{Time: 1000 + 300*i + at, State: pprofx.State(r.IntN(6)), Stop: pprofx.StopRoot,
				PID: 1 + int(at%3), Thread: []string{"", "node", poolThread}[r.IntN(3)]}
			for range r.IntN(6) {
				s.Stack = append(s.Stack, frames[r.IntN(len(frames))])
			}
			for _, key := range []string{"http.route", "tenant", "trace_id"} {
				if r.IntN(3) > 0 {
					s.Labels = append(s.Labels, pprofx.Label{Key: key, Str: fmt.Sprint(key[:1], r.IntN(3))})
				}
			}
			b.Add(s)
		}
		b.Lose(pprofx.LostLate, 2)
		all = append(all, b.Cut(1300+300*i))
	}
	return all
}

// line is what JSON lines say of a sample.
type line struct {
	PID           int
	Thread, State string
	Labels        map[string]string
	Stack         []struct {
		F, File, Mod, Kind string
		Line               int
	}
}

func (l line) class() string {
	switch {
	case l.State == "gc" || l.State == "compiler":
		return l.State
	case l.Thread == "libuv-worker":
		return "pool"
	case len(l.Stack) == 0:
		return "native"
	}
	switch kind := l.Stack[0].Kind; kind {
	case "kernel", "native":
		return kind
	case "marker":
		return "native"
	case "jit":
		if l.State == "other" || l.Stack[0].Mod != "" {
			return "native"
		}
	}
	return "js"
}

// counts adds up what JSON lines say, in the simplest way. The keys are TABLE NAME [CLASS].
func countLines(t *testing.T, all []*pprofx.Snapshot, keep func(line) bool) map[string]int64 {
	t.Helper()
	n := map[string]int64{}
	for _, s := range all {
		var b bytes.Buffer
		if err := jsonl.Write(&b, s); err != nil {
			t.Fatal(err)
		}
		for text := range strings.Lines(b.String()) {
			var l line
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				t.Fatal(err)
			}
			if keep(l) {
				l.count(n)
			}
		}
	}
	return n
}

func (l line) count(n map[string]int64) {
	add := func(table, name string) {
		n[table+" "+name]++
		n[table+" "+name+" "+l.class()]++
	}
	add("all", "")
	add("route", l.Labels["http.route"])
	add("tenant", l.Labels["tenant"])
	add("thread", l.Thread)
	add("process", fmt.Sprint(l.PID))
	if l.Labels["trace_id"] != "" {
		add("trace", l.Labels["trace_id"])
	}
	own := 0
	for i, f := range l.Stack {
		if f.Kind == "js" || f.Kind == "wasm" {
			own = i
			break
		}
	}
	seen := map[string]bool{}
	for i, f := range l.Stack {
		name := f.F + f.File + f.Mod
		if i == own {
			add("own", name)
		}
		if !seen[name] {
			n["total "+name]++
		}
		seen[name] = true
	}
	if len(l.Stack) == 0 {
		add("own", "[no stack]")
		n["total [no stack]"]++
	}
}

// countReport puts a report into the form of countLines.
func countReport(r *Report) map[string]int64 {
	n := map[string]int64{}
	add := func(table, name string, samples int64, classes Counts) {
		if samples > 0 {
			n[table+" "+name] = samples
		}
		for i, k := range classes {
			if k > 0 {
				n[table+" "+name+" "+Class(i).String()] = k
			}
		}
	}
	add("all", "", r.Samples, r.Classes)
	for table, groups := range map[string][]Group{
		"route": r.Routes, "trace": r.Traces, "thread": r.Threads, "tenant": r.By, "process": r.Processes,
	} {
		for _, g := range groups {
			add(table, g.Name, g.Samples, g.Classes)
		}
	}
	for _, f := range r.Functions {
		add("own", f.Name+f.File, f.Own, f.Classes)
		n["total "+f.Name+f.File] = f.Total
	}
	return n
}

func TestReport(t *testing.T) {
	all := snapshots(t)
	for name, test := range map[string]struct {
		where func(labels []pprofx.Label) bool
		lines func(line) bool
	}{
		"all": {func([]pprofx.Label) bool { return true }, func(line) bool { return true }},
		"a route": {func(labels []pprofx.Label) bool { return value(labels, "http.route") == "h1" },
			func(l line) bool { return l.Labels["http.route"] == "h1" }},
		"none": {func([]pprofx.Label) bool { return false }, func(line) bool { return false }},
	} {
		b := NewBuilder("tenant")
		for _, s := range all {
			b.Add(s.Where(func(r *pprofx.Row) bool { return test.where(s.LabelSets[r.Labels]) }))
		}
		r := b.Report()
		want, got := countLines(t, all, test.lines), countReport(r)
		if diff := cmp.Diff(want, got); diff != "" || name != "none" && len(want) < 50 {
			t.Errorf("%s: %d counts: %s", name, len(want), diff)
		}
		if r.Start != 1000 || r.End != 1900 || r.Period != 10 || !maps.Equal(r.Lost, map[string]int64{"late": 6}) {
			t.Errorf("%s: %+v", name, r)
		}
		for i := 1; i < len(r.Routes); i++ {
			if r.Routes[i].Samples > r.Routes[i-1].Samples {
				t.Errorf("%s: routes are not in order", name)
			}
		}
	}
}

// The hottest line is that of the own samples, not of samples in callees.
func TestHottestLine(t *testing.T) {
	b, err := pprofx.NewBuilder(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string, line int) *pprofx.Frame {
		return &pprofx.Frame{Function: name, File: "a.js", Line: line}
	}
	push := &pprofx.Frame{Function: "ArrayPush", Kind: pprofx.Builtin}
	for i, stack := range [][]*pprofx.Frame{
		{at("f", 3)}, {push, at("f", 7)}, {push, at("f", 7)}, {at("g", 1), at("f", 9)}, {at("g", 1), at("f", 9)},
		{at("g", 1), at("f", 9)},
	} {
		b.Add(&pprofx.Sample{Time: int64(1 + i), Stack: stack})
	}
	r := NewBuilder("")
	r.Add(b.Cut(100))
	var got []string
	for _, f := range r.Report().Functions {
		got = append(got, fmt.Sprintf("%s:%d %d %d", f.Name, f.Line, f.Own, f.Total))
	}
	want := []string{"f:7 3 6", "g:1 3 3", "ArrayPush:0 0 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Of what Node or a package does the nearest call of the application is told, else of what Node does that of a package.
func TestFrom(t *testing.T) {
	b, err := pprofx.NewBuilder(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	at := func(name, file string, line int) *pprofx.Frame {
		return &pprofx.Frame{Function: name, File: file, Line: line, Kind: pprofx.JS}
	}
	main, handle := at("main", "/srv/main.js", 1), at("handle", "/srv/app.js", 7)
	merge, hash := at("merge", "/srv/node_modules/lodash/lodash.js", 5), at("hash", "node:crypto", 3)
	native := &pprofx.Frame{Function: "SHA512_Final", Kind: pprofx.Native}
	entry := &pprofx.Frame{Function: "JSToWasmWrapper", Kind: pprofx.Builtin}
	sha := &pprofx.Frame{Function: "sha", File: "wasm://wasm/1", Line: 1, Kind: pprofx.Wasm}
	for i, stack := range [][]*pprofx.Frame{
		{native, hash, merge, handle, main}, {hash, at("handle", "/srv/app.js", 9), main}, {hash, handle, main}, {hash},
		{merge, merge, handle, main}, {handle, main}, {native},
		{at("tick", "node:timers", 1), merge}, {native, sha, entry, merge, handle, main},
	} {
		b.Add(&pprofx.Sample{Time: int64(1 + i), Stack: stack})
	}
	r := NewBuilder("")
	r.Add(b.Cut(100))
	got := map[string]*Place{}
	for _, f := range r.Report().Functions {
		got[f.Name] = f.From
	}
	want := map[string]*Place{
		"hash": {"handle", "/srv/app.js", 7, 2}, "merge": {"handle", "/srv/app.js", 7, 1},
		"tick":   {"merge", "/srv/node_modules/lodash/lodash.js", 5, 1},
		"handle": nil, "main": nil, "SHA512_Final": nil,
		"JSToWasmWrapper": nil, "sha": {"handle", "/srv/app.js", 7, 1}, // a sample in WebAssembly is its function's
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Samples in requests of which only the path is known are told from those of no request.
func TestPathOnly(t *testing.T) {
	b, err := pprofx.NewBuilder(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	route, path := pprofx.Label{Key: "http.route", Str: "/a/:id"}, pprofx.Label{Key: "url.path", Str: "/a/1"}
	for i, labels := range [][]pprofx.Label{{route}, {path}, {route, path}, {path}, nil} {
		b.Add(&pprofx.Sample{Time: int64(1 + i), Labels: labels})
	}
	r := NewBuilder("")
	r.Add(b.Cut(100))
	if got := r.Report().PathOnly; got != 2 {
		t.Errorf("%d samples, want 2", got)
	}
}

// A sample that was taken at another rate counts as many as it stands for.
func TestReportOfSeveralPeriods(t *testing.T) {
	b := NewBuilder("")
	for _, s := range []struct {
		period int64
		route  string
	}{{10, "/a"}, {40, "/b"}} {
		from, err := pprofx.NewBuilder(0, s.period)
		if err != nil {
			t.Fatal(err)
		}
		for at := range int64(4) {
			from.Add(&pprofx.Sample{Time: at, Labels: []pprofx.Label{{Key: "http.route", Str: s.route}}})
		}
		b.Add(from.Cut(4))
	}
	r := b.Report()
	want := []Group{
		{Name: "/b", Samples: 16, Classes: Counts{Native: 16}}, {Name: "/a", Samples: 4, Classes: Counts{Native: 4}},
	}
	if diff := cmp.Diff(want, r.Routes); diff != "" || r.Samples != 20 || r.Period != 10 || r.Functions[0].Own != 20 {
		t.Errorf("%s; %+v", diff, r)
	}
	if r.Weighed != 8 {
		t.Errorf("%d samples were taken, want 8", r.Weighed)
	}
}

// TestShort: a short report is the other one without traces and threads.
func TestShort(t *testing.T) {
	whole, short := NewBuilder(""), NewBuilder("")
	short.Short()
	for _, s := range snapshots(t) {
		whole.Add(s)
		short.Add(s)
	}
	want := whole.Report()
	if len(want.Traces) == 0 || len(want.Threads) == 0 || len(short.traces)+len(short.threads) > 0 {
		t.Errorf("%d traces and %d threads, %d kept in short", len(want.Traces), len(want.Threads),
			len(short.traces)+len(short.threads))
	}
	want.Traces, want.Threads = nil, nil
	if diff := cmp.Diff(want, short.Report()); diff != "" {
		t.Error(diff)
	}
}

// TestShortIsBounded: whatever processes come and go, a short report keeps what had most samples, exactly, and little
// else.
func TestShortIsBounded(t *testing.T) {
	const snapshots, each, period = 40, 1000, int64(1e9)
	in, err := pprofx.NewBuilder(0, period)
	if err != nil {
		t.Fatal(err)
	}
	b := NewBuilder("")
	b.Short()
	now := int64(0)
	for n := range snapshots {
		for i := range each {
			name := fmt.Sprint(n, " ", i)
			for _, name := range []string{name, "hot"} {
				in.Add(&pprofx.Sample{Time: now, PID: n*each + i, TID: n*each + i, Turn: uint64(1 + len(name)),
					Stack:  []*pprofx.Frame{{Function: name, File: "/" + name, Kind: pprofx.JS}},
					Labels: []pprofx.Label{{Key: "http.route", Str: name}}})
			}
		}
		now += oldTurn / 2
		b.Add(in.Cut(now))
	}
	if n := len(b.functions.by); n >= 2*shortFunctions {
		t.Errorf("%d functions are kept", n)
	}
	if n := len(b.routes); n >= 2*shortRoutes {
		t.Errorf("%d routes are kept", n)
	}
	if n := len(b.stalls.open); n > maxLoops+3*each {
		t.Errorf("%d loops are kept", n)
	}
	if n := len(b.stalls.found); n > 2*shortStalls {
		t.Errorf("%d stalls are kept", n)
	}
	r := b.Report()
	if f := r.Functions[0]; f.Name != "hot" || f.Own != snapshots*each || r.Routes[0].Samples != snapshots*each {
		t.Errorf("most samples have %+v and %+v", f, r.Routes[0])
	}
	if r.Samples != 2*snapshots*each || r.Loops != snapshots*each || len(r.Stalls) != shortStalls ||
		r.MoreStalls < snapshots*each/2 {
		t.Errorf("%d samples, %d loops, %d stalls and %d more", r.Samples, r.Loops, len(r.Stalls), r.MoreStalls)
	}
}
