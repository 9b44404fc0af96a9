package text

import (
	"bytes"
	"io"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

func TestMeasuresInCollapsed(t *testing.T) {
	for of, want := range map[pprofx.Measure]string{
		pprofx.HitCount: "open 7\n", pprofx.OffCPU: "open 3003\n", pprofx.HitBytes: "open 3003\n",
	} {
		var b bytes.Buffer
		if err := WriteCollapsed(&b, pprofxtest.Measured(t, of, 3)); err != nil || b.String() != want {
			t.Errorf("%v: %q, %v", of, b.String(), err)
		}
	}
}

// TestCollapsedReadsBack reads lines as speedscope does, and adds up the samples by depth and in total.
func TestCollapsedReadsBack(t *testing.T) {
	s, samples := pprofxtest.NewGenerator(rand.New(rand.NewPCG(4, 4))).Snapshot(500)
	got, want := map[int]int{}, map[int]int{}
	twoCounts := regexp.MustCompile(`\s\d+(\.\d*)? \d+$`)
	for _, line := range strings.Split(strings.TrimSuffix(written(t, WriteCollapsed, s), "\n"), "\n") {
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

// TestCollapsedWriterLimit: beyond the limit lines become one, and no sample is lost.
func TestCollapsedWriterLimit(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 7))
		limit := r.IntN(40)
		var file bytes.Buffer
		w := newCollapsedWriter(&file, limit)
		g := pprofxtest.NewGenerator(r)
		var want int64
		for range 3 {
			s, samples := g.Snapshot(100)
			want += int64(len(samples))
			if err := w.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		pprofxtest.AddAll(t, w)
		var got, other int64
		lines := strings.Split(strings.TrimSuffix(file.String(), "\n"), "\n")
		for _, line := range lines {
			at := strings.LastIndexByte(line, ' ')
			n, err := strconv.ParseInt(line[at+1:], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			got += n
			if line[:at] == pprofx.OtherFunction {
				other = n
			}
		}
		if got != want || other != w.LeftOut().Stacks || len(lines) > limit+1 || len(w.names) > limit+2 {
			t.Fatalf("seed %d, limit %d: %d of %d samples in %d lines, %d of them [other], counted %d; %d names", seed,
				limit, got, want, len(lines), other, w.LeftOut().Stacks, len(w.names))
		}
	}
}

// TestCollapsedKeepsWhatIsDistinct: what a writer keeps does not grow while samples repeat.
func TestCollapsedKeepsWhatIsDistinct(t *testing.T) {
	w := newCollapsedWriter(io.Discard, pprofx.MaxStacks)
	lines, names := 0, 0
	for i := range 50 {
		s, _ := pprofxtest.NewGenerator(rand.New(rand.NewPCG(9, 9))).Snapshot(500)
		if err := w.Add(s); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			lines, names = len(w.lines), len(w.names)
		}
		if len(w.lines) != lines || len(w.names) != names {
			t.Fatalf("after %d snapshots %d lines of %d names, after one %d of %d", i+1, len(w.lines), len(w.names),
				lines, names)
		}
	}
}
