package window

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/report"
)

const second = int64(time.Second)

// seconds are snapshots of a second each, with 100 samples: in second i, 10 × (i+1) are of find in /search, called by
// main; the others are of main alone, outside requests.
func seconds(t *testing.T, n int) (all []*pprofx.Snapshot) {
	t.Helper()
	b, err := pprofx.NewBuilder(0, 1e7)
	if err != nil {
		t.Fatal(err)
	}
	main := &pprofx.Frame{Function: "main", File: "/srv/main.js", Line: 3, Kind: pprofx.JS}
	for i := range int64(n) {
		for at := range int64(100) {
			s := &pprofx.Sample{Time: i*second + at*1e7, Thread: "MainThread", State: pprofx.StateJS,
				Stop: pprofx.StopRoot, Stack: []*pprofx.Frame{main}}
			if at < 10*(i+1) {
				find := &pprofx.Frame{Function: "find", File: "/srv/find.js", Line: int(7 + at%2), Kind: pprofx.JS}
				s.Stack = []*pprofx.Frame{find, main}
				s.Labels = []pprofx.Label{{Key: "http.route", Str: "/search"},
					{Key: "trace_id", Str: fmt.Sprint("t", i)}}
			}
			b.Add(s)
		}
		b.Lose(pprofx.LostRingFull, 1)
		all = append(all, b.Cut((i+1)*second))
	}
	return all
}

func filled(t *testing.T, length time.Duration, n int) *Window {
	w := New(length)
	for _, s := range seconds(t, n) {
		w.Add(s)
	}
	return w
}

// The numbers are those of a report of the snapshots that the window still has.
func TestReport(t *testing.T) {
	w := filled(t, 3*time.Second, 5)
	b := report.NewBuilder("")
	for _, s := range seconds(t, 5)[2:] {
		b.Add(s)
	}
	want := b.Report()
	got := w.Table(Query{})
	if diff := cmp.Diff(want, got.Report); diff != "" {
		t.Error(diff)
	}
	if want.Samples != 300 || want.Lost["ring buffer full"] != 3 {
		t.Errorf("%d samples, lost %v", want.Samples, want.Lost)
	}
	for i, f := range want.Functions {
		row := Row{Part: report.Part{Name: f.Name, File: f.File, Line: f.Line}, Own: f.Own, Total: f.Total,
			Classes: f.Classes}
		if diff := cmp.Diff(row, got.Rows[i]); diff != "" {
			t.Error(diff)
		}
	}
	w.Clear()
	if r := w.Table(Query{Trend: true}); r.Samples != 0 || len(r.Rows) != 0 {
		t.Errorf("after Clear: %+v", r)
	}
}

// names lists rows with their samples.
func names(rows []Row) (all []string) {
	for _, r := range rows {
		all = append(all, fmt.Sprint(r.Name, " ", r.Line, " ", r.Own, " ", r.Total))
	}
	return all
}

func TestTable(t *testing.T) {
	w := filled(t, time.Minute, 3) // 60 of find, 240 of main
	search := report.Part{Table: report.Routes, Name: "/search"}
	for name, test := range map[string]struct {
		q    Query
		want []string
	}{
		"functions": {Query{}, []string{"main 3 240 300", "find 7 60 60"}},
		"reversed":  {Query{Reverse: true}, []string{"find 7 60 60", "main 3 240 300"}},
		"by total":  {Query{Sort: Total}, []string{"main 3 240 300", "find 7 60 60"}},
		"by name":   {Query{Sort: Name}, []string{"find 7 60 60", "main 3 240 300"}},
		"lines":     {Query{ByLine: true}, []string{"main 3 240 300", "find 7 30 30", "find 8 30 30"}},
		"text":      {Query{Text: "FIND.JS"}, []string{"find 7 60 60"}},
		"routes":    {Query{Table: report.Routes}, []string{" 0 240 240", "/search 0 60 60"}},
		"threads":   {Query{Table: report.Threads}, []string{"MainThread 0 300 300"}},
		"traces":    {Query{Table: report.Traces}, []string{"t2 0 30 30", "t1 0 20 20", "t0 0 10 10"}},
		"a trace's route": {Query{Table: report.Traces, Text: "/sea"},
			[]string{"t2 0 30 30", "t1 0 20 20", "t0 0 10 10"}},
		"of a route": {Query{Of: []report.Part{search}}, []string{"find 7 60 60", "main 0 0 60"}},
		"of a line": {Query{Table: report.Routes, Of: []report.Part{
			{Table: report.Functions, Name: "find", File: "/srv/find.js", Line: 8}}}, []string{"/search 0 30 30"}},
		"of two": {Query{Table: report.Traces, Of: []report.Part{search, {Table: report.Traces, Name: "t1"}}},
			[]string{"t1 0 20 20"}},
		"of none": {Query{Of: []report.Part{{Table: report.Threads, Name: "other"}}}, nil},
	} {
		got := w.Table(test.q)
		if diff := cmp.Diff(test.want, names(got.Rows)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got.Lost["ring buffer full"] != 3 {
			t.Errorf("%s: lost %v", name, got.Lost)
		}
	}
	if got := w.Table(Query{Text: "find"}); got.Other != 1 {
		t.Errorf("the text leaves out %d rows", got.Other)
	}
}

func TestTrend(t *testing.T) {
	w := filled(t, 8*time.Second, 4)
	rows := w.Table(Query{Trend: true, Sort: Name}).Rows
	want := [Slices]int64{0, 0, 0, 0, 10, 20, 30, 40}
	if rows[0].Trend != want {
		t.Errorf("%s: %v, want %v", rows[0].Name, rows[0].Trend, want)
	}
}

// What is added to a window later is not in a clone, which stands still.
func TestClone(t *testing.T) {
	all := seconds(t, 2)
	w := New(time.Minute)
	w.Add(all[0])
	c := w.Clone()
	w.Add(all[1])
	if got := c.Table(Query{}).Samples; got != 100 {
		t.Errorf("%d samples", got)
	}
}
