package pprofx

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
)

// measured is a snapshot of a Builder that counts something else than CPU time, of samples of one stack: the first has
// weight 1000, the second 1001 and so on, where they have one. Of hits, the first stands for five, and the second, if
// it has a weight, for that alone.
func measured(t *testing.T, m Measure, n int) *Snapshot {
	t.Helper()
	b, err := NewBuilder(0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	b.SetMeasure(m)
	frame := &Frame{Function: "open", Kind: Native}
	for i := range n {
		s := Sample{Time: int64(i), PID: 1, TID: 1, Stack: []*Frame{frame}}
		s.Labels = []Label{{Key: ProbeLabel, Str: "p"}}
		if m.Weighted() {
			s.Weight = int64(1000 + i)
		}
		switch hits := m == HitCount || m == HitBytes || m == HitValue; {
		case hits && i == 0:
			s.Others = 4
		case hits && i == 1 && m.Weighted():
			s.Others = -1
		}
		b.Add(&s)
	}
	b.Lose(LostLimited, 7)
	return b.Cut(100)
}

// Hits have one value, waits two, and neither stands for CPU time.
func TestMeasuresInPprof(t *testing.T) {
	for _, test := range []struct {
		of     Measure
		types  []string
		values []int64
	}{
		{HitCount, []string{"hits/count"}, []int64{7}},
		{OffCPU, []string{"waits/count", "off_cpu/nanoseconds"}, []int64{3, 3003}},
		{HitBytes, []string{"hits/count", "bytes/bytes"}, []int64{6, 3003}},
		{HitValue, []string{"hits/count", "value/count"}, []int64{6, 3003}},
	} {
		var b bytes.Buffer
		if err := WritePprof(&b, measured(t, test.of, 3)); err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse(&b)
		if err != nil {
			t.Fatal(err)
		}
		var types []string
		for _, v := range p.SampleType {
			types = append(types, v.Type+"/"+v.Unit)
		}
		if !slices.Equal(types, test.types) || *p.PeriodType != *p.SampleType[len(types)-1] || p.Period != 1 ||
			p.DefaultSampleType != test.of.String() {
			t.Errorf("types %v, period %d of %v, default %s", types, p.Period, p.PeriodType, p.DefaultSampleType)
		}
		if len(p.Sample) != 1 || !slices.Equal(p.Sample[0].Value, test.values) ||
			p.Sample[0].Label[ProbeLabel][0] != "p" {
			t.Errorf("samples %v", p.Sample)
		}
		if !strings.Contains(strings.Join(p.Comments, "\n"), "lost: 7 rate limit") {
			t.Errorf("comments %q", p.Comments)
		}
		b.Reset()
		if err := WritePprof(&b, measured(t, test.of, 3)); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("a profile of %v, not of CPU time", test.of)
		if _, err := ReadPprof(&b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestMeasuresInCollapsed(t *testing.T) {
	for of, want := range map[Measure]string{HitCount: "open 7\n", OffCPU: "open 3003\n", HitBytes: "open 3003\n"} {
		var b bytes.Buffer
		if err := WriteCollapsed(&b, measured(t, of, 3)); err != nil || b.String() != want {
			t.Errorf("%v: %q, %v", of, b.String(), err)
		}
	}
}

// Samples keep their measure when JSON lines are read again, and nothing else is taken for one.
func TestMeasuresInJSONL(t *testing.T) {
	for of, period := range map[Measure]int64{HitCount: 0, OffCPU: 1, HitBytes: 1, HitValue: 1} {
		var b bytes.Buffer
		want := measured(t, of, 5)
		addAll(t, newTestWriter(t, &b, JSONL), want)
		text := b.String()
		got, err := NewJSONLReader(strings.NewReader(text)).Next()
		if err != nil || got.Measure != of || got.Period != period || got.Lost[LostLimited] != 7 {
			t.Fatalf("%+v, %v", got, err)
		}
		if diff := cmp.Diff(want.Rows, got.Rows); diff != "" {
			t.Errorf("%v: %s", of, diff)
		}
		for _, wrong := range []string{
			strings.Replace(text, fmt.Sprintf(`"period":%d`, period), `"period":2`, 1),
			strings.Replace(text, fmt.Sprintf(`"measure":"%v"`, of), `"measure":"sheep"`, 1),
		} {
			if _, err := NewJSONLReader(strings.NewReader(wrong)).Next(); wrong == text || err == nil {
				t.Errorf("no error for %.200s", wrong)
			}
		}
	}
}

// A pprof file has CPU time and hits beside each other, whichever comes first: CPU time is the default, a hit has none,
// and a sample of the timer is no hit. pprof itself says so too. Nothing reads the file as one of CPU time.
func TestHitsBesideCPUTimeInPprof(t *testing.T) {
	for _, test := range []struct {
		of     Measure
		types  []string
		values []int64 // of a hit
	}{
		{HitCount, []string{"samples/count", "cpu/nanoseconds", "hits/count"}, []int64{0, 0, 7}},
		{HitBytes, []string{"samples/count", "cpu/nanoseconds", "hits/count", "bytes/bytes"}, []int64{0, 0, 6, 3003}},
	} {
		hits, ticks := measured(t, test.of, 3), randomSnapshot(t, 1)
		for _, order := range [][]*Snapshot{{ticks, hits}, {hits, ticks}, {ticks, hits, ticks, hits}} {
			var b bytes.Buffer
			addAll(t, newTestWriter(t, &b, Pprof), order...)
			if _, err := ReadPprof(bytes.NewReader(b.Bytes())); err == nil || !strings.Contains(err.Error(), "hits") {
				t.Errorf("read as CPU time: %v", err)
			}
			p, err := profile.Parse(&b)
			if err != nil {
				t.Fatal(err)
			}
			checkBoth(t, p, test.types, test.values, ticks, int64(len(order)/2))
		}
	}
}

// checkBoth checks a profile of some hits with one stack, and of a snapshot of CPU time, each so many times.
func checkBoth(t *testing.T, p *profile.Profile, types []string, values []int64, ticks *Snapshot, times int64) {
	t.Helper()
	var have []string
	for _, v := range p.SampleType {
		have = append(have, v.Type+"/"+v.Unit)
	}
	if !slices.Equal(have, types) || p.DefaultSampleType != "cpu" || *p.PeriodType != *p.SampleType[1] ||
		p.Period != ticks.Period {
		t.Errorf("types %v, default %s, period %d of %v", have, p.DefaultSampleType, p.Period, p.PeriodType)
	}
	sums, hits := make([]int64, len(types)), slices.Clone(values)
	for i := range hits {
		hits[i] *= times
	}
	for _, s := range p.Sample {
		if s.Label[ProbeLabel] == nil && slices.Max(s.Value[2:]) > 0 || s.Label[ProbeLabel] != nil &&
			!slices.Equal(s.Value, hits) {
			t.Errorf("%v with labels %v", s.Value, s.Label)
		}
		for i, n := range s.Value {
			sums[i] += n
		}
	}
	n := int64(len(ticks.Rows)) * times
	if want := append([]int64{n, n * ticks.Period}, hits[2:]...); !slices.Equal(sums, want) {
		t.Errorf("sums %v, want %v", sums, want)
	}
	if all := strings.Join(p.Comments, "\n"); !strings.Contains(all, fmt.Sprintf("lost hits: %d rate limit", 7*times)) {
		t.Errorf("comments %q", p.Comments)
	}
}

// TestHitsOverLimit: hits over the limit of a file are lost as hits, and not as samples of CPU time.
func TestHitsOverLimit(t *testing.T) {
	w := newPprofWriter(io.Discard, hotspanStyle)
	w.fold.max.samples = 1
	for _, m := range []Measure{CPUTime, HitBytes} {
		if err := w.Add(measured(t, m, 3)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"lost: 7 rate limit", "lost hits: 6 full", "lost hits: 7 rate limit"}
	if diff := cmp.Diff(want, w.fold.header.comments(w.LeftOut())); diff != "" || w.LeftOut().Samples != 6 {
		t.Errorf("%+v, %s", w.LeftOut(), diff)
	}
}

// What shows CPU time refuses hits, and nothing else has both.
func TestHitsAreNotMixed(t *testing.T) {
	some, timed := measured(t, HitCount, 3), randomSnapshot(t, 1)
	if err := WritePerfScript(io.Discard, some); err == nil {
		t.Error("perf script has hits as CPU time")
	}
	part := some.Where(func(*Row) bool { return true })
	if part.Measure != HitCount || part.Period != 0 {
		t.Errorf("a part has measure %v, period %d", part.Measure, part.Period)
	}
	m := NewMerger(MaxRows)
	collapsed := newCollapsedWriter(io.Discard, MaxStacks)
	for name, add := range map[string]func(*Snapshot) error{"merger": m.Add, "collapsed": collapsed.Add} {
		if err := add(some); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := add(timed); err == nil {
			t.Errorf("%s has both", name)
		}
	}
	pprof := newPprofWriter(io.Discard, hotspanStyle)
	for i, s := range []*Snapshot{some, timed, measured(t, HitBytes, 3), measured(t, OffCPU, 3)} {
		if err := pprof.Add(s); (err == nil) != (i < 2) {
			t.Errorf("snapshot %d, of %v: %v", i, s.Measure, err)
		}
	}
}
