package pprof

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

// Hits have one value, waits two, and neither stands for CPU time.
func TestMeasures(t *testing.T) {
	for _, test := range []struct {
		of     pprofx.Measure
		types  []string
		values []int64
	}{
		{pprofx.HitCount, []string{"hits/count"}, []int64{7}},
		{pprofx.OffCPU, []string{"waits/count", "off_cpu/nanoseconds"}, []int64{3, 3003}},
		{pprofx.HitBytes, []string{"hits/count", "bytes/bytes"}, []int64{6, 3003}},
		{pprofx.HitValue, []string{"hits/count", "value/count"}, []int64{6, 3003}},
	} {
		var b bytes.Buffer
		if err := Write(&b, pprofxtest.Measured(t, test.of, 3)); err != nil {
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
			p.Sample[0].Label[pprofx.ProbeLabel][0] != "p" {
			t.Errorf("samples %v", p.Sample)
		}
		if !strings.Contains(strings.Join(p.Comments, "\n"), "lost: 7 rate limit") {
			t.Errorf("comments %q", p.Comments)
		}
		b.Reset()
		if err := Write(&b, pprofxtest.Measured(t, test.of, 3)); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("a profile of %v, not of CPU time", test.of)
		if _, err := Read(&b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A pprof file has CPU time and hits beside each other, whichever comes first: CPU time is the default, a hit has none,
// and a sample of the timer is no hit. pprof itself says so too. Nothing reads the file as one of CPU time.
func TestHitsBesideCPUTime(t *testing.T) {
	for _, test := range []struct {
		of     pprofx.Measure
		types  []string
		values []int64 // of a hit
	}{
		{pprofx.HitCount, []string{"samples/count", "cpu/nanoseconds", "hits/count"}, []int64{0, 0, 7}},
		{pprofx.HitBytes, []string{"samples/count", "cpu/nanoseconds", "hits/count", "bytes/bytes"},
			[]int64{0, 0, 6, 3003}},
	} {
		hits, ticks := pprofxtest.Measured(t, test.of, 3), pprofxtest.Random(t, 1)
		for _, order := range [][]*pprofx.Snapshot{{ticks, hits}, {hits, ticks}, {ticks, hits, ticks, hits}} {
			var b bytes.Buffer
			pprofxtest.AddAll(t, NewWriter(&b), order...)
			if _, err := Read(bytes.NewReader(b.Bytes())); err == nil || !strings.Contains(err.Error(), "hits") {
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
func checkBoth(t *testing.T, p *profile.Profile, types []string, values []int64, ticks *pprofx.Snapshot, times int64) {
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
		if s.Label[pprofx.ProbeLabel] == nil && slices.Max(s.Value[2:]) > 0 || s.Label[pprofx.ProbeLabel] != nil &&
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
	w := newWriter(io.Discard, hotspanStyle)
	w.fold.max.samples = 1
	for _, m := range []pprofx.Measure{pprofx.CPUTime, pprofx.HitBytes} {
		if err := w.Add(pprofxtest.Measured(t, m, 3)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"lost: 7 rate limit", "lost hits: 6 full", "lost hits: 7 rate limit"}
	if diff := cmp.Diff(want, w.fold.header.comments(w.LeftOut())); diff != "" || w.LeftOut().Samples != 6 {
		t.Errorf("%+v, %s", w.LeftOut(), diff)
	}
}
