package pprof

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

// TestLongRecordingKeepsWhatIsDistinct: what a writer keeps does not grow while samples repeat.
func TestLongRecordingKeepsWhatIsDistinct(t *testing.T) {
	w := newWriter(io.Discard, hotspanStyle)
	f := w.fold
	sizes := func() string {
		return fmt.Sprint(len(f.samples), len(f.byKey), len(f.strings.texts), len(f.stacks.texts), len(f.labels.texts),
			len(f.locations.locations.texts), len(f.locations.functions), len(f.locations.mappings))
	}
	b := pprofxtest.NewBuilder(0, 10)
	first, total := "", int64(0)
	for i := range int64(50) {
		r := rand.New(rand.NewPCG(9, 9))
		g := pprofxtest.NewGenerator(r)
		for range 500 {
			s := g.Sample(i*1000 + r.Int64N(1000))
			b.Add(s)
		}
		s := b.Cut((i + 1) * 1000)
		if err := w.Add(s); err != nil {
			t.Fatal(err)
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
	for _, s := range f.samples {
		counted += s.n
	}
	if counted != total || total != 50*500 {
		t.Errorf("%d of %d samples counted", counted, total)
	}
}

// TestWriterLimits: beyond a limit samples lose what is named, or are lost and counted. The sum stays exact.
func TestWriterLimits(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		most := limits{1 + r.IntN(40), 1 + r.IntN(40), r.IntN(30), 1 + r.IntN(400)}
		var file bytes.Buffer
		w := &writer{&file, newFold(hotspanStyle, most)}
		rows := int64(0)
		var snapshots []*pprofx.Snapshot
		b, g := pprofxtest.NewBuilder(0, 1), pprofxtest.NewGenerator(r)
		for i := range int64(5) {
			for range 100 {
				s := g.Sample(i * 10)
				if r.IntN(2) == 0 {
					s.Labels = append(s.Labels, pprofx.Label{Key: spanID, Str: fmt.Sprint(r.IntN(40))})
				}
				b.Add(s)
			}
			snapshots = append(snapshots, b.Cut((i+1)*10))
			rows += int64(len(snapshots[i].Rows))
		}
		pprofxtest.AddAll(t, w, snapshots...)
		p, err := profile.ParseData(file.Bytes())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, sum, sets := leftOutOf(p)
		got.Samples = rows - sum
		if got != w.LeftOut() {
			t.Fatalf("seed %d, %+v: %+v in the file, counted %+v", seed, most, got, w.LeftOut())
		}
		kept := limits{len(p.Location), len(w.fold.stacks.texts), max(len(sets[0])-1, len(sets[1])), len(p.Sample)}
		if kept.frames > most.frames+1 || kept.stacks > most.stacks+1 || kept.labels > most.labels ||
			kept.samples > most.samples {
			t.Fatalf("seed %d: limits %+v, kept %+v", seed, most, kept)
		}
		comments := strings.Join(p.Comments, "\n")
		if has := strings.Contains(comments, fmt.Sprintf("lost: %d full", got.Samples)); has != (got.Samples > 0) {
			t.Fatalf("seed %d: %+v, comments %s", seed, got, comments)
		}
	}
}

// leftOutOf counts what a profile says is left out, its samples, and its label sets without ids and with ids.
func leftOutOf(p *profile.Profile) (left pprofx.LeftOut, samples int64, sets [2]map[string]bool) {
	sets = [2]map[string]bool{{}, {}}
	for _, s := range p.Sample {
		n := s.Value[0]
		samples += n
		if l := s.Location; len(l) == 1 && l[0].Line[0].Function.SystemName == "marker:[other]" {
			left.Stacks += n
		}
		switch what := s.Label[pprofx.LeftOutLabel]; {
		case len(what) == 0:
		case what[0] == pprofx.LeftOutIDs:
			left.IDs += n
		case what[0] == pprofx.LeftOutAll:
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
