package report

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
)

// traceSnapshot has samples as a text describes them, 10 ns apart, from 1000 on: "pid.tid trace".
func traceSnapshot(t *testing.T, samples ...string) *pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(1000, 10)
	if err != nil {
		t.Fatal(err)
	}
	b.SetProcess(1, pprofx.Process{Service: "shop"})
	for i, text := range samples {
		var pid, tid int
		var id string
		if n, _ := fmt.Sscanf(text, "%d.%d %s", &pid, &tid, &id); n < 2 {
			continue // nothing ran
		}
		s := &pprofx.Sample{Time: 1000 + int64(i)*10, PID: pid, TID: tid, Thread: fmt.Sprint("thread", tid)}
		switch id {
		case "":
		case "lost":
			s.Labels = []pprofx.Label{{Key: pprofx.LeftOutLabel, Str: pprofx.LeftOutIDs}}
		default:
			s.Labels = []pprofx.Label{{Key: "http.route", Str: "/" + id[:1]}, {Key: "trace_id", Str: id}}
		}
		b.Add(s)
	}
	return b.Cut(1000 + int64(len(samples))*10)
}

func TestTraceIDs(t *testing.T) {
	s := traceSnapshot(t, "1.1 ab1", "1.1", "1.1 ab2", "1.1 ab2", "1.1 b", "1.1 ab1f", "1.1 Ab1f")
	for prefix, want := range map[string]string{
		"a":   "ab2 /a 2 1020-1030, Ab1f /A 1 1060-1060, ab1 /a 1 1000-1000, ab1f /a 1 1050-1050, ",
		"AB2": "ab2 /a 2 1020-1030, ",
		"ab1": "ab1 /a 1 1000-1000, ",
		"b":   "b /b 1 1040-1040, ",
		"x":   "",
	} {
		ids := NewTraceIDs(prefix)
		ids.Add(s)
		var got strings.Builder
		for _, f := range ids.Found() {
			fmt.Fprintf(&got, "%s %s %d %d-%d, ", f.ID, f.Route, f.Samples, f.First, f.Last)
			if f.Period != 10 {
				t.Errorf("period %d", f.Period)
			}
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%s: %s", prefix, diff)
		}
	}
}

func TestLanes(t *testing.T) {
	a := traceSnapshot(t, "1.1", "1.1", "1.1", "1.1", "1.3", "1.2 aa", "1.1 aa", "1.1 aa", "1.1 aa", "1.1", "1.1 aa",
		"", "", "", "1.1 aa", "2.2 lost", "1.3", "", "1.1", "1.1")
	b := traceSnapshot(t, "", "", "", "", "", "", "", "", "1.1 aa", "9.9")
	ids := NewTraceIDs("a")
	ids.Add(a)
	lanes := NewLanes(ids.Found()[0])
	lanes.Add(0, a)
	lanes.Add(1, b)
	if from, to := lanes.Interval(); from != 1020 || to != 1170 {
		t.Errorf("from %d to %d", from, to)
	}
	var got []string
	for _, l := range lanes.Lanes() {
		text := fmt.Sprintf("%d %d.%d %s %s main %v: %d other %d:", l.Source, l.PID, l.TID, l.Service, l.Thread,
			l.Main, l.Samples, l.Other)
		for _, b := range l.Bursts {
			text += fmt.Sprintf(" %d-%d %d", b.First, b.Last, b.Samples)
		}
		if int64(len(l.Marks)) != l.Samples+l.Other {
			t.Errorf("%d marks", len(l.Marks))
		}
		got = append(got, text)
	}
	want := []string{
		"0 1.1 shop thread1 main true: 5 other 3: 1060-1080 3 1100-1100 1 1140-1140 1",
		"0 1.2 shop thread2 main false: 1 other 0: 1050-1050 1",
		"0 1.3 shop thread3 main false: 0 other 2:",
		"1 1.1 shop thread1 main true: 1 other 0: 1080-1080 1",
	}
	if diff := cmp.Diff(want, got); diff != "" || lanes.WithoutIDs() != 1 {
		t.Errorf("%d without ids; %s", lanes.WithoutIDs(), diff)
	}
}

// Whatever the samples are, bursts have all that are of the trace.
func TestBurstsHaveAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for range 2000 {
		texts = append(texts, []string{"", "1.1 aa", "1.1 aa", "1.1", "1.2 aa", "1.2 b", "2.2"}[r.IntN(7)])
	}
	s := traceSnapshot(t, texts...)
	ids := NewTraceIDs("aa")
	ids.Add(s)
	found := ids.Found()[0]
	lanes := NewLanes(found)
	lanes.Add(0, s)
	var n, classes int64
	for _, l := range lanes.Lanes() {
		for _, b := range l.Bursts {
			n += b.Samples
			for _, k := range b.Classes {
				classes += k
			}
		}
	}
	if n != found.Samples || classes != n || n < 500 {
		t.Errorf("%d and %d in bursts, want %d", n, classes, found.Samples)
	}
}

// Processes that have had one pid have lanes of their own.
func TestLanesReusedPID(t *testing.T) {
	first, second := traceSnapshot(t, "1.1 aa", "1.1 aa", ""), traceSnapshot(t, "", "1.1 aa", "1.2")
	second.Processes = map[int]pprofx.Process{1: {Service: "bakery"}}
	ids := NewTraceIDs("aa")
	ids.Add(first)
	ids.Add(second)
	lanes := NewLanes(ids.Found()[0])
	lanes.Add(0, first)
	lanes.Add(0, second)
	var got []string
	for _, l := range lanes.Lanes() {
		got = append(got, fmt.Sprintf("%s %d.%d: %d of %d", l.Service, l.PID, l.TID, l.Samples, len(l.Marks)))
	}
	if diff := cmp.Diff([]string{"bakery 1.1: 1 of 1", "bakery 1.2: 0 of 1", "shop 1.1: 2 of 2"}, got); diff != "" {
		t.Error(diff)
	}
}
