package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

func TestExample(t *testing.T) {
	want, err := os.ReadFile("testdata/example.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), written(t, pprofxtest.Example())); diff != "" {
		t.Error(diff)
	}
}

// written is a file of one snapshot.
func written(t *testing.T, s *pprofx.Snapshot) string {
	t.Helper()
	var buf bytes.Buffer
	pprofxtest.AddAll(t, NewWriter(&buf), s)
	return buf.String()
}

// Samples keep their measure when JSON lines are read again, and nothing else is taken for one.
func TestMeasures(t *testing.T) {
	for of, period := range map[pprofx.Measure]int64{
		pprofx.HitCount: 0, pprofx.OffCPU: 1, pprofx.HitBytes: 1, pprofx.HitValue: 1,
	} {
		var b bytes.Buffer
		want := pprofxtest.Measured(t, of, 5)
		pprofxtest.AddAll(t, NewWriter(&b), want)
		text := b.String()
		got, err := NewReader(strings.NewReader(text)).Next()
		if err != nil || got.Measure != of || got.Period != period || got.Lost[pprofx.LostLimited] != 7 {
			t.Fatalf("%+v, %v", got, err)
		}
		if diff := cmp.Diff(want.Rows, got.Rows); diff != "" {
			t.Errorf("%v: %s", of, diff)
		}
		for _, wrong := range []string{
			strings.Replace(text, fmt.Sprintf(`"period":%d`, period), `"period":2`, 1),
			strings.Replace(text, fmt.Sprintf(`"measure":"%v"`, of), `"measure":"sheep"`, 1),
		} {
			if _, err := NewReader(strings.NewReader(wrong)).Next(); wrong == text || err == nil {
				t.Errorf("no error for %.200s", wrong)
			}
		}
	}
}

// TestReadsBack decodes every line by the documented names and compares with the samples.
func TestReadsBack(t *testing.T) {
	s, samples := pprofxtest.NewGenerator(rand.New(rand.NewPCG(3, 3))).Snapshot(500)
	lines := strings.Split(strings.TrimSuffix(written(t, s), "\n"), "\n")
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

// TestEncode: nothing in JSON lines makes a terminal act, and it is the same text all the same.
func TestEncode(t *testing.T) {
	const text = "ü<a>\x1b]0;\a\r\n\t\x7f\u009b\u202e\u2066\\u202e"
	got := encode(text)
	var back string
	if err := json.Unmarshal(got, &back); err != nil || back != text || bytes.ContainsFunc(got, pprofx.IsControl) {
		t.Errorf("%q: %q, %v", got, back, err)
	}
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// wantSnapshot is for the snapshots of a generator.
func wantSnapshot(s *pprofx.Snapshot) map[string]any {
	return map[string]any{
		"start": number(s.Start), "end": number(s.End), "period": number(s.Period),
		"samples": number(int64(len(s.Rows))), "lost": map[string]any{"malformed record": json.Number("2")},
		"processes": map[string]any{"1": map[string]any{"executable": "/usr/bin/node"}},
	}
}

func wantObject(s *pprofx.Sample) map[string]any {
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
