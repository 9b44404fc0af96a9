package analysis_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/cli"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
	"github.com/hotspan/hotspan/pprofx/report"
)

func TestCompareAge(t *testing.T) {
	file := recordingtest.Aged(t)
	var out, stderr bytes.Buffer
	if code := cli.Main([]string{"report", "--compare-age", "100ms", file}, &out, &stderr); code != 0 {
		t.Fatalf("code %d: %s", code, &stderr)
	}
	want := strings.TrimLeft(`
Requests seen at 100ms and older, and what they use more of than others of their route
300 samples of requests whose start is known, 60 others; 6 rows of 10 samples or more compared

/search
  slower 20: 130ms of CPU time each, when last seen 120ms old, 260 samples
  others 40: 10ms of CPU time each, when last seen 0s old, 40 samples
  did            10ms      130ms      +120ms  × 13 (9.29 to 19)      js
  function         0s      120ms      +120ms  only slower            sort  app/rank.js
  calls            0s      120ms      +120ms  only slower            handle › sort  app/rank.js
`, "\n")
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	out.Reset()
	var c report.AgeComparison
	if code := cli.Main([]string{"report", "--compare-age", "1s", "--json", file}, &out, &stderr); code != 0 ||
		json.Unmarshal(out.Bytes(), &c) != nil || c.Age != 1e9 || c.Samples != 300 || c.Unknown != 60 ||
		c.Routes != nil {
		t.Errorf("code %d, %s%s", code, &out, &stderr)
	}
	for says, args := range map[string][]string{
		"No request is seen at that age": {"--compare-age", "1s"},
		"No sample says when":            {"--compare-age", "1s", "--route", "/other"},
	} {
		out.Reset()
		if code := cli.Main(append([]string{"report", file}, args...), &out, &stderr); code != 0 ||
			!strings.Contains(out.String(), says) {
			t.Errorf("%v: code %d, %s%s", args, code, &out, &stderr)
		}
	}
	for _, args := range []string{"--older -1s", "--compare-age -1s", "--compare-age 1s --older 1s",
		"--compare-age 1s -o x.html", "--compare-age 1s --by tenant"} {
		var out, stderr bytes.Buffer
		code := cli.Main(append([]string{"report", file}, strings.Fields(args)...), &out, &stderr)
		if code != exit.WrongUsage || !strings.Contains(stderr.String(), strings.Fields(args)[0]) {
			t.Errorf("%s: code %d, %s", args, code, &stderr)
		}
	}
}

// --older chooses what is exactly so old, and nothing whose age is not known.
func TestOlder(t *testing.T) {
	file := recordingtest.Aged(t)
	for older, want := range map[string]int64{"0s": 360, "1ns": 240, "100ms": 60, "100000001ns": 40, "1s": 0} {
		var out, stderr bytes.Buffer
		var r struct{ Samples int64 }
		if code := cli.Main([]string{"report", "--json", "--older", older, file}, &out, &stderr); code != 0 ||
			json.Unmarshal(out.Bytes(), &r) != nil || r.Samples != want {
			t.Errorf("--older %s: code %d, %d samples, want %d: %s", older, code, r.Samples, want, &stderr)
		}
		to := filepath.Join(t.TempDir(), "x.jsonl")
		if code := cli.Main([]string{"convert", "--older", older, file, to}, &out, &stderr); code != 0 {
			t.Fatalf("code %d: %s", code, &stderr)
		}
		if text, err := os.ReadFile(to); err != nil || int64(bytes.Count(text, []byte(`"stack":`))) != want {
			t.Errorf("--older %s: %v, %d lines, want %d", older, err, bytes.Count(text, []byte(`"stack":`)), want)
		}
	}
}
