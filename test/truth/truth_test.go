package truth

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = `{"kind":"header","program":"functions.js","pid":7,"node":"v24.21.0","mode":"churn","made":3}
{"kind":"clock","mono":1000000000,"unix":1700000000000000000}
{"kind":"clock","mono":3000000000,"unix":1700000002000200000}
{"kind":"thread","tid":7,"name":"main","comm":"MainThread","cpu":42}
{"kind":"stack","id":5,"frames":[{"function":"help","file":"g.js","first":10,"last":12},{"function":"work","file":"g.js","line":4,"column":8}]}
{"kind":"interval","start":2000000,"end":3000000,"tid":7,"stack":5}
{"kind":"interval","start":1000000,"end":2000000,"tid":7,"label":{"request":1,"endpoint":"orders","trace_id":"ab","remote":true}}
{"kind":"interval","start":1500000,"end":2500000,"tid":8,"stack":5}
`

func read(t *testing.T, text string) *Log {
	t.Helper()
	l, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestRead(t *testing.T) {
	l := read(t, sample)
	stack := []Frame{
		{Function: "help", File: "g.js", First: 10, Last: 12},
		{Function: "work", File: "g.js", Line: 4, Column: 8},
	}
	want := []Interval{
		{Start: 1000000, End: 2000000, TID: 7,
			Label: &Label{Request: 1, Endpoint: "orders", TraceID: "ab", Remote: true}},
		{Start: 2000000, End: 3000000, TID: 7, Stack: stack},
		{Start: 1500000, End: 2500000, TID: 8, Stack: stack},
	}
	if diff := cmp.Diff(want, l.Intervals); diff != "" {
		t.Error(diff)
	}
	header := Header{Program: "functions.js", PID: 7, Node: "v24.21.0", Mode: "churn", Made: 3}
	if diff := cmp.Diff(header, l.Header); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Thread{{TID: 7, Name: "main", Comm: "MainThread", CPU: 42}}, l.Threads); diff != "" {
		t.Error(diff)
	}
}

func TestAt(t *testing.T) {
	l := read(t, sample)
	tests := []struct {
		name  string
		ns    int64
		tid   int
		start int64 // of the interval found; 0 for none
	}{
		{"before all", 999999, 7, 0},
		{"at the start", 1000000, 7, 0},
		{"last of the guard at the start", 1049999, 7, 0},
		{"first after the guard", 1050000, 7, 1000000},
		{"in the middle", 1500000, 7, 1000000},
		{"last before the guard at the end", 1949999, 7, 1000000},
		{"first of the guard at the end", 1950000, 7, 0},
		{"where two touch", 2000000, 7, 0},
		{"in the second", 2500000, 7, 2000000},
		{"after all", 3000001, 7, 0},
		{"another thread at the same time", 1600000, 8, 1500000},
		{"a thread without intervals", 1600000, 9, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := l.At(tt.ns, tt.tid)
			if got.Start != tt.start || ok != (tt.start != 0) {
				t.Errorf("At(%d, %d) = start %d, %t; want %d", tt.ns, tt.tid, got.Start, ok, tt.start)
			}
		})
	}
}

func TestMono(t *testing.T) {
	l := read(t, sample) // in 2 s the wall clock gained 0.2 ms
	for unix, want := range map[int64]int64{
		1700000000000000000: 1000000000,
		1700000001000100000: 2000100000,
		1699999999000000000: 0,
	} {
		if got := l.Mono(unix); got != want {
			t.Errorf("Mono(%d) = %d, want %d", unix, got, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	head := strings.Join(strings.SplitAfter(sample, "\n")[:2], "")
	tests := []struct{ name, text, want string }{
		{"empty", "", "no header or no clock"},
		{"no clock", `{"kind":"header","program":"x"}`, "no header or no clock"},
		{"not JSON", head + "x\n", "line 3: invalid character"},
		{"cut off", head + `{"kind":"inter`, "line 3: unexpected end"},
		{"unknown kind", head + `{"kind":"song"}`, `line 3: unknown kind "song"`},
		{"stack without frames", head + `{"kind":"stack","id":1,"frames":[]}`, "line 3: stack 1: no frames"},
		{"unknown stack", head + `{"kind":"interval","start":1,"end":2,"tid":7,"stack":9}`,
			"line 3: interval in unknown stack 9"},
		{"backwards", head + `{"kind":"interval","start":2,"end":1,"tid":7}`,
			"line 3: interval ends at 1, before its start 2"},
		{"overlap", sample + `{"kind":"interval","start":2600000,"end":2700000,"tid":7}`,
			"thread 7: the interval at 2600000"},
		{"line too long", head + strings.Repeat(" ", maxLine+1), "line 3: bufio.Scanner: token too long"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, v := range l.Intervals {
			l.At(v.Start, v.TID)
		}
	})
}
