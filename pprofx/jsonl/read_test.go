package jsonl

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
	"github.com/hotspan/hotspan/pprofx/pprof"
	"github.com/hotspan/hotspan/pprofx/text"
)

// inJSONL returns a snapshot without what JSON lines have no place for.
func inJSONL(s *pprofx.Snapshot) *pprofx.Snapshot {
	out := *s
	d := newDecoder(&out)
	frames := make([]*pprofx.Frame, len(s.Frames))
	for i, f := range s.Frames {
		without := *f
		without.BuildID = ""
		frames[i] = &without
	}
	out.Rows = nil
	for _, r := range s.Rows {
		var stack []*pprofx.Frame
		for _, f := range s.Stacks[r.Stack] {
			stack = append(stack, frames[f])
		}
		var labels []pprofx.Label
		for _, l := range s.LabelSets[r.Labels] {
			labels = append(labels, pprofx.Label{Key: l.Key, Str: l.Str, Num: l.Num})
		}
		r.Stack, r.Labels = d.tables.Stack(stack), d.tables.LabelSet(labels)
		r.Thread = d.tables.Thread(strings.ToValidUTF8(s.Threads[r.Thread], "\uFFFD"))
		out.Rows = append(out.Rows, r)
	}
	d.out = &out
	return d.snapshot()
}

// jsonFile has several snapshots, of which one has no samples.
func jsonFile(t *testing.T) (text []byte, snapshots []*pprofx.Snapshot) {
	t.Helper()
	var b bytes.Buffer
	g := pprofxtest.NewGenerator(rand.New(rand.NewPCG(7, 7)))
	one, _ := g.Snapshot(200)
	several := pprofxtest.NewBuilder(one.End, 20)
	several.SetProcess(2, pprofx.Process{Executable: "/n", Service: "shop \"a\"", Container: "c0ffee",
		Attributes: []pprofx.Label{{Key: "a", Str: "7"}, {Key: "b", Num: -7}}})
	several.Lose(pprofx.LostLate, 3)
	empty := several.Cut(one.End + 500)
	for at := range int64(50) {
		several.Add(g.Sample(empty.End + at))
	}
	snapshots = []*pprofx.Snapshot{one, empty, several.Cut(empty.End + 100)}
	w := NewWriter(&b)
	pprofxtest.AddAll(t, w, snapshots...)
	return b.Bytes(), snapshots
}

func readJSONL(text []byte) (all []*pprofx.Snapshot, err error) {
	r := NewReader(bytes.NewReader(text))
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, s)
	}
}

func TestReader(t *testing.T) {
	text, snapshots := jsonFile(t)
	got, err := readJSONL(text)
	if err != nil || len(got) != len(snapshots) {
		t.Fatalf("%d snapshots, want %d, %v", len(got), len(snapshots), err)
	}
	for i, s := range snapshots {
		if diff := cmp.Diff(inJSONL(s), got[i]); diff != "" {
			t.Errorf("snapshot %d: %s", i, diff)
		}
	}
	untimed := *snapshots[0]
	untimed.Untimed = true
	var b bytes.Buffer
	if err := NewWriter(&b).Add(&untimed); err != nil || strings.Contains(b.String(), `"t":`) {
		t.Errorf("%v: %.300s", err, &b)
	}
	if got, err = readJSONL(b.Bytes()); err != nil || !got[0].Untimed || got[0].Rows[9].Time != untimed.Start {
		t.Errorf("%v: %+v", err, got)
	}
}

// Wherever a file is cut off, the snapshots before are read, and that one is missing is said.
func TestCutOff(t *testing.T) {
	text, snapshots := jsonFile(t)
	ends := []int{bytes.Index(text, []byte(`{"snapshot"`))}
	ends = append(ends, ends[0]+bytes.IndexByte(text[ends[0]:], '\n')+1)
	for size := 1; size < len(text); size += 97 {
		want := 0
		for _, end := range ends {
			if size >= end {
				want++
			}
		}
		got, err := readJSONL(text[:size])
		whole := want > 0 && (size == ends[want-1])
		if len(got) != want || !whole && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("of %d bytes: %d snapshots, want %d: %v", size, len(got), want, err)
		}
	}
	if got, err := readJSONL(text[:len(text)-1]); err != nil || len(got) != len(snapshots) {
		t.Errorf("without the last newline: %d, %v", len(got), err)
	}
}

func TestErrors(t *testing.T) {
	const about = `"snapshot":{"start":5,"end":9,"period":10,"samples":1}`
	for says, text := range map[string]string{
		"line 1: no snapshot, of which":         `{"t":1,"stack":[]}`,
		"line 1: neither a sample nor":          `{"nodes":[]}`,
		"line 1: invalid character":             "{]\n{}",
		"line 1: no stack":                      "{" + about + "}",
		"line 1: no stack: null":                `{"stack":null,` + about + "}",
		"frame 0: no function":                  `{"stack":[{"kind":"js"}],` + about + "}",
		`frame 0: Kind "" is unknown`:           `{"stack":[{"f":"f"}],` + about + "}",
		`frame 0: Tier "x" is unknown`:          `{"stack":[{"f":"f","kind":"js","tier":"x"}],` + about + "}",
		`parsing "zz"`:                          `{"stack":[{"f":"f","kind":"js","addr":"zz"}],` + about + "}",
		`State "x" is unknown`:                  `{"state":"x","stack":[],` + about + "}",
		"neither a string nor a whole number: ": `{"labels":{"a":1.5},"stack":[],` + about + "}",
		"process 1: label \"a\": neither":       `{"snapshot":{"period":1,"processes":{"1":{"attributes":{"a":[]}}}}}`,
		"a period of 0 ns":                      `{"snapshot":{}}`,
		"end 0 before start 1":                  `{"snapshot":{"start":1,"period":1}}`,
		"-1 samples":                            `{"snapshot":{"period":1,"samples":-1}}`,
		"8388609 samples, at most":              `{"snapshot":{"period":1,"samples":8388609}}`,
		"line 2: a snapshot begins, but 1": `{"stack":[],"snapshot":{"period":1,"samples":2}}` + "\n" +
			`{"stack":[],` + about + "}",
		"line 2: t: some samples": `{"t":1,"stack":[],"snapshot":{"period":1,"samples":2}}` + "\n" +
			`{"stack":[]}`,
		"line 1: more than 67108864 bytes": strings.Repeat(" ", maxLine+1),
	} {
		if _, err := readJSONL([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.100s: %v, want %q", text, err, says)
		}
	}
}

// Any bytes give snapshots that can be written, or an error.
func FuzzReader(f *testing.F) {
	var b bytes.Buffer
	_ = NewWriter(&b).Add(pprofxtest.Example())
	f.Add(b.Bytes())
	f.Add([]byte(`{"snapshot":{"start":1,"end":9,"period":10,"samples":0,"lost":{"late":1}}}` + "\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, _ := readJSONL(file)
		for _, s := range got {
			for _, w := range []pprofx.Writer{
				NewWriter(io.Discard), pprof.NewWriter(io.Discard), text.NewCollapsedWriter(io.Discard),
				text.NewPerfScriptWriter(io.Discard),
			} {
				if err := errors.Join(w.Add(s), w.Close()); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
