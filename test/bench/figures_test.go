package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFiguresOf(t *testing.T) {
	at := time.Unix(1, 0)
	got := figuresOf([]point{
		{at: at, cpu: 1 * time.Second, switches: switches{10, 5}, memory: memory{10, 40}, runs: runs{all: 1}},
		{at: at.Add(time.Second), memory: memory{30, 40}},
		{at: at.Add(2 * time.Second), cpu: 1500 * time.Millisecond, switches: switches{30, 15}, memory: memory{20, 50},
			runs: runs{all: 1 + 4*time.Millisecond}},
	})
	want := figures{cpu: 0.25, switches: 10, voluntary: 5, rss: 20, peak: 50, bpf: 0.002}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(figures{})); d != "" {
		t.Error(d)
	}
}

func TestCompare(t *testing.T) {
	columns, rows := compare([]measured{
		{"new", []figures{{cpu: 0.01}, {cpu: 0.02}, {cpu: 0.03}}},
		{"old", []figures{{cpu: 0.1}, {cpu: 0.1}, {cpu: 0.1}}},
		{"none", []figures{{cpu: 0}, {cpu: 0}, {cpu: 0}}},
	}, []metric{metricCPU})
	if d := cmp.Diff([]string{"", "new", "old", "none", "ratio to old", "ratio to none"}, columns); d != "" {
		t.Error(d)
	}
	want := [][]string{{"CPU of the profiler, % of a core", "2.00 (1.00–3.00)", "10.0", "0", "0.20 (0.10–0.30)", "–"}}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
}
