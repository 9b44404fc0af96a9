package pprofx

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// hits is a snapshot of a Builder that counts hits.
func hits(t *testing.T, n int) *Snapshot {
	t.Helper()
	b, err := NewBuilder(0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	b.CountHits()
	frame := &Frame{Function: "open", Kind: Native}
	for i := range n {
		b.Add(&Sample{
			Time: int64(i), PID: 1, TID: 1, Stack: []*Frame{frame}, Labels: []Label{{Key: ProbeLabel, Str: "p"}},
		})
	}
	b.Lose(LostLimited, 7)
	return b.Cut(100)
}

// Hits have a value of their own: they stand for no CPU time.
func TestHitsInPprof(t *testing.T) {
	var b bytes.Buffer
	if err := WritePprof(&b, hits(t, 5)); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.SampleType) != 1 || *p.SampleType[0] != (profile.ValueType{Type: "hits", Unit: "count"}) ||
		*p.PeriodType != *p.SampleType[0] || p.Period != 1 || p.DefaultSampleType != "hits" {
		t.Errorf("types %v, period %d of %v", p.SampleType, p.Period, p.PeriodType)
	}
	if len(p.Sample) != 1 || p.Sample[0].Value[0] != 5 || p.Sample[0].Label[ProbeLabel][0] != "p" {
		t.Errorf("samples %v", p.Sample)
	}
	if !strings.Contains(strings.Join(p.Comments, "\n"), "lost: 7 rate limit") {
		t.Errorf("comments %q", p.Comments)
	}
}

func TestHitsInCollapsed(t *testing.T) {
	var b bytes.Buffer
	if err := WriteCollapsed(&b, hits(t, 5)); err != nil || b.String() != "open 5\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// Hits are hits when JSON lines are read again, and no others are.
func TestHitsInJSONL(t *testing.T) {
	var b bytes.Buffer
	want := hits(t, 5)
	addAll(t, newTestWriter(t, &b, JSONL), want)
	text := b.String()
	got, err := NewJSONLReader(strings.NewReader(text)).Next()
	if err != nil || !got.Hits || got.Period != 0 || len(got.Rows) != 5 || got.Lost[LostLimited] != 7 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, wrong := range []string{
		strings.Replace(text, `"period":0`, `"period":1`, 1), strings.Replace(text, `"hits":true,`, "", 1),
	} {
		if _, err := NewJSONLReader(strings.NewReader(wrong)).Next(); wrong == text || err == nil {
			t.Errorf("no error for %.200s", wrong)
		}
	}
}

// What shows CPU time refuses hits, and nothing has both.
func TestHitsAreNotMixed(t *testing.T) {
	some, timed := hits(t, 3), randomSnapshot(t, 1)
	if err := WritePerfScript(io.Discard, some); err == nil {
		t.Error("perf script has hits as CPU time")
	}
	part := some.Where(func(*Row) bool { return true })
	if !part.Hits || part.Period != 0 {
		t.Errorf("a part has hits %v, period %d", part.Hits, part.Period)
	}
	m := NewMerger(MaxRows)
	pprof, collapsed := newPprofWriter(io.Discard, hotspanStyle), newCollapsedWriter(io.Discard, MaxStacks)
	for name, add := range map[string]func(*Snapshot) error{
		"merger": m.Add, "pprof": pprof.Add, "collapsed": collapsed.Add,
	} {
		if err := add(some); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := add(timed); err == nil {
			t.Errorf("%s has both", name)
		}
	}
}
