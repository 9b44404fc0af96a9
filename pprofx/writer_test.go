package pprofx_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
	"github.com/hotspan/hotspan/pprofx/jsonl"
	"github.com/hotspan/hotspan/pprofx/pprof"
	"github.com/hotspan/hotspan/pprofx/text"
)

// writers make a Writer of each format, by its name.
var writers = map[string]func(io.Writer) pprofx.Writer{
	"pprof":       pprof.NewWriter,
	"datadog":     pprof.NewDatadogWriter,
	"collapsed":   text.NewCollapsedWriter,
	"perf-script": text.NewPerfScriptWriter,
	"jsonl":       func(to io.Writer) pprofx.Writer { return jsonl.NewWriter(to) },
}

// TestSnapshotsMakeTheFileOfOne writes random samples as one snapshot and as several. The files must be equal, in each
// format.
func TestSnapshotsMakeTheFileOfOne(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		g := pprofxtest.NewGenerator(r)
		one, several := pprofxtest.NewBuilder(0, 10), pprofxtest.NewBuilder(0, 10)
		for _, b := range []*pprofx.Builder{one, several} {
			b.SetProcess(1, pprofx.Process{Executable: "/usr/bin/node", Service: "shop"})
			b.SetProcess(2, pprofx.Process{Executable: "/lib/libc.so.6"})
		}
		var snapshots []*pprofx.Snapshot
		end := int64(0)
		for range 1 + r.IntN(8) {
			for range r.IntN(80) {
				s := g.Sample(end + r.Int64N(500)) // some wait for the next snapshot
				one.Add(s)
				several.Add(s)
			}
			one.Lose(pprofx.LostRingFull, 2)
			several.Lose(pprofx.LostRingFull, 2)
			end += 300
			snapshots = append(snapshots, several.Cut(end))
		}
		snapshots = append(snapshots, several.Cut(end+1000))
		whole := one.Cut(end + 1000)
		for f, newWriter := range writers {
			var want, got bytes.Buffer
			pprofxtest.AddAll(t, newWriter(&want), whole)
			w := newWriter(&got)
			pprofxtest.AddAll(t, w, snapshots...)
			if w.LeftOut() != (pprofx.LeftOut{}) {
				t.Errorf("seed %d, %s: %+v", seed, f, w.LeftOut())
			}
			if diff := cmp.Diff(fileText(t, f, want.Bytes()), fileText(t, f, got.Bytes())); diff != "" {
				t.Fatalf("seed %d, %s: %s", seed, f, diff)
			}
			if f != "jsonl" && !bytes.Equal(want.Bytes(), got.Bytes()) { // JSON lines also say where snapshots begin
				t.Fatalf("seed %d, %s: the same in other bytes", seed, f)
			}
		}
	}
}

// ofSnapshot is what the first JSON line of a snapshot has more than the others.
var ofSnapshot = regexp.MustCompile(`(?m)^{"snapshot":.*}\n|,"snapshot":{.*}}?(}$)`)

// fileText is a file as text, a profile as google/pprof reads it.
func fileText(t *testing.T, f string, b []byte) string {
	t.Helper()
	if f == "jsonl" {
		return string(ofSnapshot.ReplaceAll(b, []byte("$1")))
	}
	if f != "pprof" && f != "datadog" {
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

// A sample that was taken at another rate stands for as much CPU time as it says, in each format that adds samples up.
func TestWritersOfSeveralPeriods(t *testing.T) {
	stack := []*pprofx.Frame{{Function: "f"}}
	build := func(period int64, samples int) *pprofx.Snapshot {
		b := pprofxtest.NewBuilder(0, period)
		for at := range samples {
			b.Add(&pprofx.Sample{Time: int64(at), Stack: stack})
		}
		return b.Cut(100)
	}
	var collapsed, encoded bytes.Buffer
	for _, w := range []pprofx.Writer{text.NewCollapsedWriter(&collapsed), pprof.NewWriter(&encoded)} {
		pprofxtest.AddAll(t, w, build(10, 5), build(40, 3)) // 170 ns; it closes the file
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

var errDisk = errors.New("no space left on device")

// fullDisk takes n bytes, then no more.
type fullDisk struct{ n int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.n -= len(p); d.n < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestWriteReportsAFullDisk(t *testing.T) {
	for f, newWriter := range writers {
		for _, room := range []int{0, 100} {
			w := newWriter(&fullDisk{room})
			if err := errors.Join(w.Add(pprofxtest.Example()), w.Close()); !errors.Is(err, errDisk) {
				t.Errorf("%s with room for %d bytes: %v, want %v", f, room, err, errDisk)
			}
		}
	}
}
