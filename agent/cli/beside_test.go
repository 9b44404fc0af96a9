package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/internal/trigger"
	"github.com/hotspan/hotspan/pprofx"
)

// besides returns the snapshots of three intervals, each with one of CPU time, of 2 samples, and one of hits, of 3.
func besides(t *testing.T) (all []*pprofx.Snapshot) {
	t.Helper()
	const start, length = 1_760_000_000_000_000_000, 1_000_000_000
	var builders []*pprofx.Builder
	for _, m := range []pprofx.Measure{pprofx.CPUTime, pprofx.HitCount} {
		b, err := pprofx.NewBuilder(start, 10_000_000)
		if err != nil {
			t.Fatal(err)
		}
		b.SetMeasure(m)
		builders = append(builders, b)
	}
	for i := range int64(3) {
		for k, b := range builders {
			for n := range int64(2 + k) {
				s := pprofx.Sample{Time: start + i*length + n, PID: 1, TID: 1, Stop: pprofx.StopRoot,
					Stack: []*pprofx.Frame{{Function: "work"}}}
				if k == 1 {
					s.Labels = []pprofx.Label{{Key: pprofx.ProbeLabel, Str: "syscall:write"}}
				}
				b.Add(&s)
			}
			b.Lose(pprofx.LostOverlapped, int64(k))
			all = append(all, b.Cut(start+(i+1)*length))
		}
	}
	return all
}

// TestReportBeside: a report has CPU time and hits one after the other, or what is chosen of them.
func TestReportBeside(t *testing.T) {
	for _, extension := range []string{".otlp", ".jsonl"} {
		file := writeRecording(t, t.TempDir(), extension, besides(t))
		const cpu, hits = "60 ms of CPU in 6 samples, of 3s ", "9 hits of probes, lost (another hit 3)\n"
		for _, test := range []struct {
			args []string
			want []string
		}{
			{nil, []string{cpu, "CPU by function", hits, "Hits by function"}},
			{[]string{"--measure", "cpu"}, []string{cpu}}, {[]string{"--measure", "hits"}, []string{hits}},
			{[]string{"--measure", "cpu,hits"}, []string{cpu, hits}},
		} {
			var out, stderr bytes.Buffer
			if code := Main(append([]string{"report", file}, test.args...), &out, &stderr); code != 0 {
				t.Fatalf("code %d: %s", code, &stderr)
			}
			at := -1
			for _, want := range test.want {
				next := strings.Index(out.String(), want)
				if next <= at {
					t.Errorf("%v: %q is not where it should be in %s", test.args, want, &out)
				}
				at = next
			}
			if one := len(test.args) > 0 && len(test.want) == 1; one && strings.Contains(out.String(), cpu) &&
				strings.Contains(out.String(), hits) {
				t.Errorf("%v: both are in %s", test.args, &out)
			}
		}
		var out, stderr bytes.Buffer
		if code := Main([]string{"report", "--json", file}, &out, &stderr); code != 0 {
			t.Fatalf("code %d: %s", code, &stderr)
		}
		objects := json.NewDecoder(&out)
		for _, want := range []struct {
			measure string
			samples int64
		}{{"", 6}, {"hits", 9}} {
			var r struct {
				Start, Samples int64
				Measure        string
			}
			if err := objects.Decode(&r); err != nil || r.Measure != want.measure || r.Samples != want.samples ||
				r.Start != 1_760_000_000_000_000_000 {
				t.Errorf("%+v, %v, want %+v", r, err, want)
			}
		}
	}
}

// TestConvertBeside: what has room for one measure refuses both, and says how to choose.
func TestConvertBeside(t *testing.T) {
	dir := t.TempDir()
	file := writeRecording(t, dir, ".otlp", besides(t))
	out := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"convert", file, out("x.collapsed")}, {"report", "-o", out("x.html"), file}, {"diff", file, file},
		{"convert", file, out("x.speedscope.json")}, {"convert", file, out("x.perf")},
	} {
		var stdout, stderr bytes.Buffer
		if code := Main(args, &stdout, &stderr); code == 0 || !strings.Contains(stderr.String(), "--measure cpu") {
			t.Errorf("%v: code %d, %s", args, code, &stderr)
		}
		if code := Main(append(args, "--measure", "cpu"), &stdout, &stderr); code != 0 {
			t.Errorf("%v of CPU time: code %d, %s", args, code, &stderr)
		}
	}
	convert(t, file, out("x.pb.gz"))
	var stdout, stderr bytes.Buffer
	if Main([]string{"report", out("x.pb.gz")}, &stdout, &stderr) == 0 ||
		!strings.Contains(stderr.String(), "CPU time and of hits of probes") {
		t.Errorf("a pprof file with both: %s", &stderr)
	}
}

// TestFilesBeside: a file has both snapshots of its interval, also where one was lost on the way.
func TestFilesBeside(t *testing.T) {
	dir := t.TempDir()
	s := &fileSink{pattern: filepath.Join(dir, "%n.pb.gz"), format: pprofx.Pprof, both: true}
	all := besides(t)
	for _, snapshot := range slices.Delete(all, 3, 4) { // the hits of the second interval
		if err := s.Write(t.Context(), snapshot); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]int64{
		"0001": {2, 20_000_000, 3}, "0002": {2, 20_000_000}, "0003": {2, 20_000_000, 3},
	} {
		f, err := os.Open(filepath.Join(dir, name+".pb.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		p, err := profile.Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int64, len(p.SampleType))
		for _, sample := range p.Sample {
			for i, n := range sample.Value {
				got[i] += n
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("%v", entries)
	}
}

// TestClosingBeside: the closing lines have the sums of both.
func TestClosingBeside(t *testing.T) {
	hits := func(n, limited int64) trigger.Hits {
		lost := map[pprofx.LostReason]int64{pprofx.LostLimited: limited}
		return trigger.Hits{Text: "syscall:write", Counts: trigger.Counts{All: n, Lost: lost}}
	}
	stats := agent.Stats{
		Start: time.Unix(1000, 0), End: time.Unix(1002, 0), Taken: 350, Samples: 338, Written: 337, WrittenHits: 240,
		Hits: []trigger.Hits{hits(100, 10), hits(150, 0)},
		Lost: map[pprofx.LostReason]int64{pprofx.LostLimited: 10, pprofx.LostOverlapped: 2, pprofx.LostExited: 1},
	}
	var b bytes.Buffer
	closing(console{&b}, &stats, &fileSink{last: "x.pb.gz", format: pprofx.Pprof, both: true})
	const want = `350 samples and hits of probes in 2.0 s = 337 written + 13 lost (another hit 2, process exited 1, ` +
		`rate limit 10)
by the timer: 100 samples = 97 + 3 lost
by probes: 250 hits = 240 + 10 lost
syscall:write: 100 hits (rate limit 10)
syscall:write: 150 hits
to the thread's first frame 0.0 %, all JavaScript named -, of samples in requests labelled -
hotspan itself
wrote x.pb.gz
next: go tool pprof -filefunctions -top x.pb.gz
      go tool pprof -sample_index hits -tagroot hotspan.probe -http 127.0.0.1:8080 x.pb.gz
`
	if diff := cmp.Diff(want, usage.ReplaceAllString(b.String(), "hotspan itself")); diff != "" {
		t.Error(diff)
	}
}
