package pprofx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// exampleSnapshot is the snapshot that the files testdata/example.* were written for, by hand.
func exampleSnapshot() *Snapshot {
	const second = 1_700_000_000_000_000_000
	app := func(column int) []*Frame {
		return []*Frame{
			{Function: "parse", File: "/srv/app.js", Line: 7, Column: column, Tier: TurboFan, Inlined: true},
			{Function: "(anonymous)", File: "/srv/app.js", Line: 20, Column: 9, Tier: TurboFan},
			{Function: "InterpreterEntryTrampoline", Kind: Builtin, Module: "/usr/bin/node", Address: 0x1f00},
			{Function: "node::Start(int, char**)", Kind: Native, Module: "/usr/bin/node", BuildID: "ab12",
				Address: 0x9a0},
		}
	}
	worker := []*Frame{
		{Function: "copy_page", Kind: Kernel, Module: "[kernel]", Address: 0xffffffff81000010},
		{Function: "[unknown]", Kind: Native, Module: "/lib/my lib.so", Address: 0x40},
	}
	odd := []*Frame{
		{Function: "get 12"},
		{Function: "/a;b->(c)/", Kind: Regexp},
		{Function: "f", File: "data:text/javascript;base64,\nYQ==", Line: 1, Tier: Ignition},
		{Function: "[… 5 frames]", Kind: Marker},
	}
	b := newTestBuilder(second, 10_101_010)
	for _, s := range []*Sample{
		{Time: 123_456_789, TID: 12, Thread: "node", CPU: 1, State: StateJS, Stop: StopRoot, Stack: app(3),
			Labels: []Label{{Key: "http.route", Str: "/users/:id"}, {Key: "retries", Num: 2}}},
		{Time: 124_456_789, TID: 12, Thread: "node", CPU: 2, State: StateJS, Stop: StopRoot, Stack: app(4)},
		{Time: 200_000_000, TID: 13, Thread: "V8 Worker 1", CPU: 0, State: StateGC, Stop: StopBadPC, Stack: worker},
		{Time: 300_000_000, TID: 14, CPU: 3, Stop: StopUnreadable},
		{Time: 400_000_000, TID: 12, Thread: "node", CPU: 1, State: StateJS, Stop: StopDepth, Stack: odd,
			Labels: []Label{{Key: "retries", Num: 0}}},
	} {
		s.PID, s.Time = 12, s.Time+second
		b.Add(s)
	}
	return b.Cut(second + 1_000_000_000)
}

func TestTextFormats(t *testing.T) {
	for _, path := range []string{"testdata/example.collapsed", "testdata/example.perf", "testdata/example.jsonl"} {
		t.Run(path, func(t *testing.T) {
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), written(t, path, exampleSnapshot())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// written is what Write makes of s in the format that path asks for.
func written(t *testing.T, path string, s *Snapshot) string {
	t.Helper()
	format, err := FormatOf(path)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := Write(&buf, format, s); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// TestJSONLReadsBack decodes every line by the documented names and compares with the samples.
func TestJSONLReadsBack(t *testing.T) {
	s, samples := newGenerator(rand.New(rand.NewPCG(3, 3))).snapshot(500)
	lines := strings.Split(strings.TrimSuffix(written(t, "x.jsonl", s), "\n"), "\n")
	if len(lines) != len(samples) {
		t.Fatalf("%d lines of %d samples", len(lines), len(samples))
	}
	for i, line := range lines {
		var got map[string]any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		want := wantObject(samples[i])
		if i == 0 {
			want["snapshot"] = wantSnapshot(s)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: %s", line, diff)
		}
	}
}

// TestJSONText: nothing in JSON lines makes a terminal act, and it is the same text all the same.
func TestJSONText(t *testing.T) {
	const text = "ü<a>\x1b]0;\a\r\n\t\x7f\u009b\u202e\u2066\\u202e"
	got := jsonText(text)
	var back string
	if err := json.Unmarshal(got, &back); err != nil || back != text || bytes.ContainsFunc(got, IsControl) {
		t.Errorf("%q: %q, %v", got, back, err)
	}
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// wantSnapshot is for the snapshots of a generator.
func wantSnapshot(s *Snapshot) map[string]any {
	return map[string]any{
		"start": number(s.Start), "end": number(s.End), "period": number(s.Period),
		"samples": number(int64(len(s.Rows))), "lost": map[string]any{"malformed record": json.Number("2")},
		"processes": map[string]any{"1": map[string]any{"executable": "/usr/bin/node"}},
	}
}

func wantObject(s *Sample) map[string]any {
	stack := []any{}
	for _, f := range s.Stack {
		frame := map[string]any{
			"f": f.Function, "file": f.File, "line": number(int64(f.Line)), "col": number(int64(f.Column)),
			"kind": f.Kind.String(), "tier": f.Tier.String(), "inlined": f.Inlined, "mod": f.Module,
			"addr": "0x" + strconv.FormatUint(f.Address, 16),
		}
		for key, v := range frame {
			if v == "" || v == number(0) || v == false || v == "0x0" {
				delete(frame, key)
			}
		}
		stack = append(stack, frame)
	}
	object := map[string]any{
		"t": number(s.Time), "pid": number(int64(s.PID)), "tid": number(int64(s.TID)), "cpu": number(int64(s.CPU)),
		"thread": strings.ToValidUTF8(s.Thread, "\uFFFD"), "state": s.State.String(), "stop": s.Stop.String(),
		"stack": stack,
	}
	if s.Start != 0 {
		object["start"] = number(s.Start)
	}
	labels := map[string]any{}
	for _, l := range s.Labels {
		if labels[l.Key] = l.Str; l.Str == "" {
			labels[l.Key] = number(l.Num)
		}
	}
	if len(labels) > 0 {
		object["labels"] = labels
	}
	return object
}

// TestCollapsedReadsBack reads lines as speedscope does, and adds up the samples by depth and in total.
func TestCollapsedReadsBack(t *testing.T) {
	s, samples := newGenerator(rand.New(rand.NewPCG(4, 4))).snapshot(500)
	got, want := map[int]int{}, map[int]int{}
	twoCounts := regexp.MustCompile(`\s\d+(\.\d*)? \d+$`)
	for _, line := range strings.Split(strings.TrimSuffix(written(t, "x.txt", s), "\n"), "\n") {
		m := regexp.MustCompile(`^(.+) (\d+)$`).FindStringSubmatch(line)
		if m == nil || twoCounts.MatchString(line) {
			t.Fatalf("line %q is not one stack and one count", line)
		}
		n, _ := strconv.Atoi(m[2])
		got[strings.Count(m[1], ";")+1] += n
	}
	for _, sample := range samples {
		depth := len(sample.Stack)
		if sample.Thread != "" || depth == 0 {
			depth++ // the thread, or [no stack]
		}
		want[depth]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPerfScriptReadsBack reads events with the expressions of speedscope and of stackcollapse-perf.pl.
func TestPerfScriptReadsBack(t *testing.T) {
	event := regexp.MustCompile(`^(\S.+?)\s+(\d+)/(\d+)\s+.*\s(\d+\.\d+): +(\d+) (\S+):\s*$`)
	frame := regexp.MustCompile(`^\s*(\w+)\s*(.+) \((\S*)\)$`)
	s, samples := newGenerator(rand.New(rand.NewPCG(5, 5))).snapshot(500)
	events := strings.Split(strings.TrimSuffix(written(t, "x.perf", s), "\n\n"), "\n\n")
	if len(events) != len(samples) {
		t.Fatalf("%d events of %d samples", len(events), len(samples))
	}
	for i, text := range events {
		lines := strings.Split(text, "\n")
		m := event.FindStringSubmatch(lines[0])
		want := []string{strconv.Itoa(samples[i].PID), strconv.Itoa(samples[i].TID), "1700000000.000000", "10101010",
			"cpu-clock"}
		if m == nil || !cmp.Equal(want, m[2:]) || len(lines)-1 != len(samples[i].Stack) {
			t.Fatalf("event %q, want %v and %d frames", text, want, len(samples[i].Stack))
		}
		for j, f := range samples[i].Stack {
			m := frame.FindStringSubmatch(lines[j+1])
			if m == nil || m[2][0] == '(' || m[1] != strconv.FormatUint(f.Address, 16) {
				t.Fatalf("frame %q of %+v", lines[j+1], *f)
			}
			if jit := fmt.Sprintf("/tmp/perf-%d.map", samples[i].PID); f.Kind == JS && m[3] != jit {
				t.Fatalf("frame %q of a process %d, want it in %s", lines[j+1], samples[i].PID, jit)
			}
		}
	}
}

func TestPerfScriptNames(t *testing.T) {
	for name, tt := range map[string]struct {
		frame *Frame
		want  string
	}{
		"C++ namespace": {&Frame{Function: "(anonymous namespace)::F(int)", Kind: Native},
			"[anonymous namespace]::F(int)"},
		"C++ arrow": {&Frame{Function: "P::operator->()", Kind: Native}, "P::operator->()"},
		"control":   {&Frame{Function: "a\x1b[31m\tb"}, "a [31m b"},
		"no line":   {&Frame{Function: "f", File: "a.js"}, "f a.js"},
	} {
		if got := perfSymbol(tt.frame); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	for thread, want := range map[string]string{"": ":5", "#a b": "_a_b", "\x00": "_"} {
		if got := perfComm(thread, 5); got != want {
			t.Errorf("comm of %q: %q, want %q", thread, got, want)
		}
	}
}
