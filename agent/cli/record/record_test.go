package record

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/cli/profiling"
	"github.com/hotspan/hotspan/agent/cli/recording"
	"github.com/hotspan/hotspan/pprofx"
)

func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name   string
		cmd    Verb
		format pprofx.Format
		suffix string // of the pattern
	}{
		{"default", Verb{}, recording.Pprof, "hotspan-%t.pb.gz"},
		{"default, many", Verb{SnapshotEvery: 1e9}, recording.Pprof, "hotspan-%t-%n.pb.gz"},
		{"format names the extension", Verb{Format: "jsonl"}, recording.JSONL, "hotspan-%t.jsonl"},
		{"collapsed", Verb{Format: "collapsed"}, recording.Collapsed, ".collapsed"},
		{"perf script", Verb{Format: "perf-script"}, recording.PerfScript, ".perf"},
		{"by .folded", Verb{Output: dir + "/a.folded"}, recording.Collapsed, "a.folded"},
		{"by .txt", Verb{Output: dir + "/a.txt"}, recording.Collapsed, "a.txt"},
		{"by .perf", Verb{Output: dir + "/a.perf"}, recording.PerfScript, "a.perf"},
		{"by .jsonl", Verb{Output: dir + "/a.jsonl"}, recording.JSONL, "a.jsonl"},
		{"by .pb.gz", Verb{Output: dir + "/a.pb.gz"}, recording.Pprof, "a.pb.gz"},
		{"format whatever the extension", Verb{Format: "pprof", Output: dir + "/a.txt"}, recording.Pprof, "a.txt"},
		{"numbered", Verb{SnapshotEvery: 1e9, Output: dir + "/%n.perf"}, recording.PerfScript, "%n.perf"},
	} {
		t.Chdir(dir)
		s, err := c.cmd.outputs()
		if err == nil && s.whole != (c.cmd.SnapshotEvery == 0) {
			t.Errorf("%s: one file for the whole recording: %t", c.name, s.whole)
		}
		if err != nil || s.format != c.format || !strings.HasSuffix(s.pattern, c.suffix) {
			t.Errorf("%s: %+v, %v, want %s in %s", c.name, s, err, c.format, c.suffix)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("the folder was tried out and %v left", left)
	}
}

func TestOutputOfOneProcess(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, pids := range map[string][]int{"x-42.pb.gz": {42}, "x-0.pb.gz": {42, 43}} {
		s, err := (&Verb{Flags: profiling.Flags{PID: pids}, Output: "x-%p.pb.gz"}).outputs()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, s.path(1)); diff != "" {
			t.Errorf("%v: %s", pids, diff)
		}
	}
}
