package pprofx

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
)

// TestSnapshotsMakeTheFileOfOne writes random samples as one snapshot and as several. The files must be equal, in each
// format.
func TestSnapshotsMakeTheFileOfOne(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		g := newGenerator(r)
		one, several := newTestBuilder(0, 10), newTestBuilder(0, 10)
		for _, b := range []*Builder{one, several} {
			b.SetProcess(1, Process{Executable: "/usr/bin/node", Service: "shop"})
			b.SetProcess(2, Process{Executable: "/lib/libc.so.6"})
		}
		var snapshots []*Snapshot
		end := int64(0)
		for range 1 + r.IntN(8) {
			for range r.IntN(80) {
				s := g.sample(end + r.Int64N(500)) // some wait for the next snapshot
				one.Add(s)
				several.Add(s)
			}
			one.Lose(LostRingFull, 2)
			several.Lose(LostRingFull, 2)
			end += 300
			snapshots = append(snapshots, several.Cut(end))
		}
		snapshots = append(snapshots, several.Cut(end+1000))
		whole := one.Cut(end + 1000)
		for _, f := range []Format{Pprof, Collapsed, PerfScript, JSONL, Datadog} {
			var want, got bytes.Buffer
			if err := Write(&want, f, whole); err != nil {
				t.Fatal(err)
			}
			w := newTestWriter(t, &got, f)
			addAll(t, w, snapshots...)
			if w.LeftOut() != (LeftOut{}) {
				t.Errorf("seed %d, %s: %+v", seed, f, w.LeftOut())
			}
			if diff := cmp.Diff(fileText(t, f, want.Bytes()), fileText(t, f, got.Bytes())); diff != "" {
				t.Fatalf("seed %d, %s: %s", seed, f, diff)
			}
			if f != JSONL && !bytes.Equal(want.Bytes(), got.Bytes()) { // JSON lines also say where snapshots begin
				t.Fatalf("seed %d, %s: the same in other bytes", seed, f)
			}
		}
	}
}

func newTestWriter(t *testing.T, to io.Writer, f Format) Writer {
	t.Helper()
	w, err := NewWriter(to, f)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// addAll adds snapshots and closes the file.
func addAll(t *testing.T, w Writer, snapshots ...*Snapshot) {
	t.Helper()
	for _, s := range snapshots {
		if err := w.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// ofSnapshot is what the first JSON line of a snapshot has more than the others.
var ofSnapshot = regexp.MustCompile(`(?m)^{"snapshot":.*}\n|,"snapshot":{.*}}?(}$)`)

// fileText is a file as text, a profile as google/pprof reads it.
func fileText(t *testing.T, f Format, b []byte) string {
	t.Helper()
	if f == JSONL {
		return string(ofSnapshot.ReplaceAll(b, []byte("$1")))
	}
	if f != Pprof && f != Datadog {
		return string(b)
	}
	p, err := profile.ParseData(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return p.String()
}

// TestLongRecordingKeepsWhatIsDistinct: what the writers of folded formats keep does not grow while samples repeat.
func TestLongRecordingKeepsWhatIsDistinct(t *testing.T) {
	file, collapsed := newPprofWriter(io.Discard, hotspanStyle), newCollapsedWriter(io.Discard, MaxStacks)
	pprof := file.fold
	sizes := func() string {
		return fmt.Sprint(len(pprof.samples), len(pprof.byKey), len(pprof.strings.texts), len(pprof.stacks.texts),
			len(pprof.labels.texts), len(pprof.locations.locations.texts), len(pprof.locations.functions),
			len(pprof.locations.mappings), len(collapsed.lines), len(collapsed.names.texts))
	}
	b := newTestBuilder(0, 10)
	first, total := "", int64(0)
	for i := range int64(50) {
		g := newGenerator(rand.New(rand.NewPCG(9, 9)))
		for range 500 {
			s := g.sample(i*1000 + g.r.Int64N(1000))
			b.Add(s)
		}
		s := b.Cut((i + 1) * 1000)
		for _, w := range []Writer{file, collapsed} {
			if err := w.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		total += int64(len(s.Rows))
		if i == 0 {
			first = sizes()
		}
		if got := sizes(); got != first {
			t.Fatalf("after %d snapshots %s, after one %s", i+1, got, first)
		}
	}
	counted := int64(0)
	for _, s := range pprof.samples {
		counted += s.n
	}
	if counted != total || total != 50*500 {
		t.Errorf("%d of %d samples counted", counted, total)
	}
}

// TestPprofWriterLimits: beyond a limit samples lose what is named, or are lost and counted. The sum stays exact.
func TestPprofWriterLimits(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		limits := pprofLimits{1 + r.IntN(40), 1 + r.IntN(40), r.IntN(30), 1 + r.IntN(400)}
		var file bytes.Buffer
		w := &pprofWriter{&file, newPprofFold(hotspanStyle, limits)}
		rows := int64(0)
		var snapshots []*Snapshot
		b, g := newTestBuilder(0, 1), newGenerator(r)
		for i := range int64(5) {
			for range 100 {
				s := g.sample(i * 10)
				if r.IntN(2) == 0 {
					s.Labels = append(s.Labels, Label{Key: spanID, Str: fmt.Sprint(r.IntN(40))})
				}
				b.Add(s)
			}
			snapshots = append(snapshots, b.Cut((i+1)*10))
			rows += int64(len(snapshots[i].Rows))
		}
		addAll(t, w, snapshots...)
		p, err := profile.ParseData(file.Bytes())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, sum, sets := leftOutOf(p)
		got.Samples = rows - sum
		if got != w.LeftOut() {
			t.Fatalf("seed %d, %+v: %+v in the file, counted %+v", seed, limits, got, w.LeftOut())
		}
		kept := pprofLimits{len(p.Location), len(w.fold.stacks.texts), max(len(sets[0])-1, len(sets[1])), len(p.Sample)}
		if kept.frames > limits.frames+1 || kept.stacks > limits.stacks+1 || kept.labels > limits.labels ||
			kept.samples > limits.samples {
			t.Fatalf("seed %d: limits %+v, kept %+v", seed, limits, kept)
		}
		comments := strings.Join(p.Comments, "\n")
		if has := strings.Contains(comments, fmt.Sprintf("lost: %d full", got.Samples)); has != (got.Samples > 0) {
			t.Fatalf("seed %d: %+v, comments %s", seed, got, comments)
		}
	}
}

// leftOutOf counts what a profile says is left out, its samples, and its label sets without ids and with ids.
func leftOutOf(p *profile.Profile) (left LeftOut, samples int64, sets [2]map[string]bool) {
	sets = [2]map[string]bool{{}, {}}
	for _, s := range p.Sample {
		n := s.Value[0]
		samples += n
		if l := s.Location; len(l) == 1 && l[0].Line[0].Function.SystemName == "marker:[other]" {
			left.Stacks += n
		}
		switch what := s.Label[LeftOutLabel]; {
		case len(what) == 0:
		case what[0] == LeftOutIDs:
			left.IDs += n
		case what[0] == LeftOutAll:
			left.Labels += n
			continue
		}
		ids := min(len(s.Label[spanID]), 1)
		labels := &profile.Sample{Label: s.Label, NumLabel: s.NumLabel, NumUnit: s.NumUnit}
		sets[ids][requestLabels(pprofText(labels))] = true
	}
	return left, samples, sets
}

// requestLabels leaves only the labels of the request of a text of pprofText.
func requestLabels(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		key, _, _ := strings.Cut(line, "=")
		switch key {
		case keyPID, keyThreadID, keyThreadName, keyVMState:
		default:
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// TestCollapsedWriterLimit: beyond the limit lines become one, and no sample is lost.
func TestCollapsedWriterLimit(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 7))
		limit := r.IntN(40)
		var file bytes.Buffer
		w := newCollapsedWriter(&file, limit)
		g := newGenerator(r)
		var want int64
		for range 3 {
			s, samples := g.snapshot(100)
			want += int64(len(samples))
			if err := w.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		addAll(t, w)
		var got, other int64
		lines := strings.Split(strings.TrimSuffix(file.String(), "\n"), "\n")
		for _, line := range lines {
			at := strings.LastIndexByte(line, ' ')
			n, err := strconv.ParseInt(line[at+1:], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			got += n
			if line[:at] == OtherFunction {
				other = n
			}
		}
		if got != want || other != w.LeftOut().Stacks || len(lines) > limit+1 || len(w.names.texts) > limit+2 {
			t.Fatalf("seed %d, limit %d: %d of %d samples in %d lines, %d of them [other], counted %d; %d names", seed,
				limit, got, want, len(lines), other, w.LeftOut().Stacks, len(w.names.texts))
		}
	}
}

// A sample that was taken at another rate stands for as much CPU time as it says, in each format that adds samples up.
func TestWritersOfSeveralPeriods(t *testing.T) {
	stack := []*Frame{{Function: "f"}}
	build := func(period int64, samples int) *Snapshot {
		b := newTestBuilder(0, period)
		for at := range samples {
			b.Add(&Sample{Time: int64(at), Stack: stack})
		}
		return b.Cut(100)
	}
	var collapsed, encoded bytes.Buffer
	for to, format := range map[*bytes.Buffer]Format{&collapsed: Collapsed, &encoded: Pprof} {
		w := newTestWriter(t, to, format)
		addAll(t, w, build(10, 5), build(40, 3)) // 170 ns; it closes the file
	}
	if got := collapsed.String(); got != "f 17\n" {
		t.Errorf("%q, want f 17", got)
	}
	p, err := profile.Parse(&encoded)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{8, 170}, p.Sample[0].Value); diff != "" || len(p.Sample) != 1 || p.Period != 10 {
		t.Errorf("%s; %d samples of %d ns", diff, len(p.Sample), p.Period)
	}
}
