package report

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
)

// served are requests that take turns: each has so many samples with these stacks, one in every 10 ms of its own.
type served struct {
	route  string
	trace  int
	stacks [][]*pprofx.Frame // of its samples, in their order
}

const agePeriod = 10e6

// ages adds requests of which ten run at a time, and a sample of none behind each.
func ages(t *testing.T, limit int64, all []served) *AgeComparison {
	t.Helper()
	in, err := pprofx.NewBuilder(0, agePeriod)
	if err != nil {
		t.Fatal(err)
	}
	a, at := NewAges(limit), int64(1e9)
	for group := range slices.Chunk(all, 10) {
		start := at
		for i := 0; ; i++ {
			ran := false
			for n, q := range group {
				if i >= len(q.stacks) {
					continue
				}
				ran = true
				s := &pprofx.Sample{Time: start + int64(i)*agePeriod + int64(n), PID: 1, TID: 1, Stop: pprofx.StopRoot,
					Start: start + int64(n), Stack: q.stacks[i], State: pprofx.StateJS}
				s.Labels = []pprofx.Label{{Key: traceLabel, Str: fmt.Sprintf("%032x", q.trace)}}
				if i > 0 || len(q.stacks) == 1 { // the route is found after the first sample
					s.Labels = append([]pprofx.Label{{Key: routeLabel, Str: q.route}}, s.Labels...)
				}
				in.Add(s)
				at = max(at, s.Time+1)
			}
			if !ran {
				break
			}
		}
		in.Add(&pprofx.Sample{Time: at, PID: 1, TID: 1, Stop: pprofx.StopRoot, Stack: group[0].stacks[0]})
		at++
		a.Add(in.Cut(at))
	}
	return a.Compare()
}

func calls(names ...string) (out []*pprofx.Frame) {
	for _, name := range names {
		out = append(out, &pprofx.Frame{Function: name, File: "/a.js", Line: 1, Kind: pprofx.JS})
	}
	internal := &pprofx.Frame{Function: "run", File: "node:internal/timers", Line: 1, Kind: pprofx.JS}
	native := &pprofx.Frame{Function: "write", Module: "libc", Kind: pprofx.Native}
	return append(append([]*pprofx.Frame{native}, out...), internal)
}

// Slow requests call sort, of one trace each, or all of one; what all do is no cause of theirs.
func TestAges(t *testing.T) {
	render, sort := calls("render", "handle"), calls("sort", "rank", "handle")
	for _, oneTrace := range []bool{false, true} {
		var all []served
		for i := range 120 {
			q := served{"/search", i, slices.Repeat([][]*pprofx.Frame{render}, 1+i%3)}
			if i%4 == 0 {
				q.stacks = slices.Concat(q.stacks, slices.Repeat([][]*pprofx.Frame{sort}, 12))
			}
			if i%10 == 9 {
				q.route = "/other"
			}
			if oneTrace {
				q.trace = 1
			}
			all = append(all, q)
		}
		c := ages(t, 100e6, all)
		if c.Unknown != 12 || len(c.Routes) != 1 || c.Routes[0].Route != "/search" {
			t.Fatalf("one trace %t: %+v", oneTrace, c)
		}
		r := c.Routes[0]
		if r.Slower.Requests != 30 || r.Others.Requests != 78 || r.Slower.Samples != 30*12+60 {
			t.Errorf("one trace %t: slower %+v, others %+v", oneTrace, r.Slower, r.Others)
		}
		first := func(table []Change) string {
			return fmt.Sprintf("%s %s %.3f %.3f %t", table[0].Name, table[0].File, table[0].Old, table[0].New,
				table[0].Certain)
		}
		got := []string{first(r.Functions), first(r.Paths), first([]Change{*r.Whole})}
		want := []string{"sort /a.js 0.000 0.120 true", "handle › rank › sort /a.js 0.000 0.120 true",
			"  0.020 0.140 true"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("one trace %t: %s", oneTrace, diff)
		}
		if certain := Certain(r.Functions); len(certain) != 1 {
			t.Errorf("certain: %+v", certain)
		}
	}
}

// Where old requests do what others do, few comparisons are certain of a difference.
func TestAgesByChance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	wrong := 0
	const trials = 100
	for range trials {
		var all []served
		for i := range 200 {
			q := served{route: "/", trace: i}
			for range 1 + r.IntN(6) {
				q.stacks = append(q.stacks, calls(fmt.Sprintf("f%d", r.IntN(8)), "handle"))
			}
			all = append(all, q)
		}
		a := NewAges(500)
		a.addAll(t, all, func(i int) bool { return i%5 == 0 })
		c := a.Compare()
		if len(c.Routes) != 1 {
			t.Fatalf("%+v", c)
		}
		if len(Certain(c.Routes[0].Functions))+len(Certain(c.Routes[0].Paths)) > 0 {
			wrong++
		}
	}
	if wrong > 8 {
		t.Errorf("%d of %d comparisons of equals are certain of a difference", wrong, trials)
	}
}

// addAll adds requests that follow each other. They are 99 ns old, and some of them 899.
func (a *Ages) addAll(t *testing.T, all []served, old func(int) bool) {
	t.Helper()
	in, err := pprofx.NewBuilder(0, agePeriod)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range all {
		for _, stack := range q.stacks {
			s := &pprofx.Sample{Time: int64(i)*1000 + 100, Start: int64(i)*1000 + 1, PID: 1, TID: 1,
				Stop: pprofx.StopRoot, Stack: stack, Labels: []pprofx.Label{{Key: routeLabel, Str: q.route}}}
			if old(i) {
				s.Time += 800
			}
			in.Add(s)
		}
	}
	a.Add(in.Cut(int64(len(all)) * 1000))
}
