package analysis_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/cli"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
	"github.com/hotspan/hotspan/pprofx"
)

// TestReportBeside: a report has CPU time and hits one after the other, or what is chosen of them.
func TestReportBeside(t *testing.T) {
	for _, extension := range []string{".otlp", ".jsonl"} {
		file := recordingtest.Write(t, t.TempDir(), extension, recordingtest.Besides(t))
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
			if code := cli.Main(append([]string{"report", file}, test.args...), &out, &stderr); code != 0 {
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
		if code := cli.Main([]string{"report", "--json", file}, &out, &stderr); code != 0 {
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
	file := recordingtest.Write(t, dir, ".otlp", recordingtest.Besides(t))
	out := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"convert", file, out("x.collapsed")}, {"report", "-o", out("x.html"), file}, {"diff", file, file},
		{"convert", file, out("x.speedscope.json")}, {"convert", file, out("x.perf")},
	} {
		var stdout, stderr bytes.Buffer
		if code := cli.Main(args, &stdout, &stderr); code == 0 || !strings.Contains(stderr.String(), "--measure cpu") {
			t.Errorf("%v: code %d, %s", args, code, &stderr)
		}
		if code := cli.Main(append(args, "--measure", "cpu"), &stdout, &stderr); code != 0 {
			t.Errorf("%v of CPU time: code %d, %s", args, code, &stderr)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := cli.Main([]string{"convert", file, out("x.pb.gz")}, &stdout, &stderr); code != 0 {
		t.Fatalf("to x.pb.gz: code %d: %s", code, &stderr)
	}
	stderr.Reset()
	if cli.Main([]string{"report", out("x.pb.gz")}, &stdout, &stderr) == 0 ||
		!strings.Contains(stderr.String(), "CPU time and of hits of probes") {
		t.Errorf("a pprof file with both: %s", &stderr)
	}
}

// TestOnlyCPUTime: what shows CPU time names the file that has none, and says what shows it.
func TestOnlyCPUTime(t *testing.T) {
	s := *recordingtest.Snapshot(t)
	s.Measure, s.Period, s.Rows = pprofx.OffCPU, 1, slices.Clone(s.Rows)
	dir := t.TempDir()
	file := recordingtest.Write(t, dir, ".otlp", []*pprofx.Snapshot{&s})
	for _, args := range [][]string{
		{"diff", file, file}, {"trace", "0", file}, {"report", "--compare-age", "1s", file},
	} {
		var stdout, stderr bytes.Buffer
		code := cli.Main(args, &stdout, &stderr)
		want := file + ": its samples measure off_cpu, and only CPU time can be shown here: hotspan report shows them"
		if code != 1 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%v: code %d, %s", args, code, &stderr)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := cli.Main([]string{"report", file}, &stdout, &stderr); code != 0 {
		t.Errorf("code %d: %s", code, &stderr)
	}
}
