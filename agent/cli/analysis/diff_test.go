package analysis_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/cli"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// rankingFile writes a recording of 40 s at 100 Hz of a service that uses half a core, evenly: so many of 50 samples in
// a route are of its function rank, the others of another function.
func rankingFile(t *testing.T, rank int) string {
	t.Helper()
	const start = 1_760_000_000_000_000_000
	b, err := pprofx.NewBuilder(start, 1e7)
	if err != nil {
		t.Fatal(err)
	}
	frames := []*pprofx.Frame{
		{Function: "rank\x1b[2J", File: "/srv/app/routes/ranking.js", Line: 7, Kind: pprofx.JS},
		{Function: "idle", File: "/srv/app/node_modules/x/idle.js", Line: 3, Kind: pprofx.JS},
	}
	for i := range int64(4000) {
		s := &pprofx.Sample{Time: start + i*1e7, PID: 1, TID: 1, Thread: "node", Stop: pprofx.StopRoot,
			State: pprofx.StateJS, Stack: frames[1:]}
		if i%2 > 0 {
			continue
		}
		if int(i*7%100)/2 < rank {
			s.Stack, s.Labels = frames[:1], []pprofx.Label{{Key: "http.route", Str: "/ranking"}}
		}
		b.Add(s)
	}
	path := filepath.Join(t.TempDir(), "r.otlp")
	frame, err := otlp.Compress(b.Cut(start+40e9), otlp.Agent{})
	if err == nil {
		err = os.WriteFile(path, frame, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDiff(t *testing.T) {
	before, after := rankingFile(t, 20), rankingFile(t, 32)
	var out, stderr bytes.Buffer
	if code := cli.Main([]string{"diff", before, after}, &out, &stderr); code != 0 {
		t.Fatalf("code %d: %s", code, &stderr)
	}
	want := strings.TrimLeft(`
old: OLD, 20.00 s of CPU in 2000 samples, of 40s from 2025-10-09 08:53:20 UTC, none lost
new: NEW, 20.00 s of CPU in 2000 samples, of 40s from 2025-10-09 08:53:20 UTC, none lost
CPU time per second of recording: 100 % is one core; old, new, difference, ratio with its 95 % interval
6 rows of 10 samples or more compared

     50.0 %     50.0 %      0.00 %  × 1.00 (0.94 to 1.06)  all: no more than chance explains

CPU by what it did
  1 row changed by no more than chance explains

CPU by route
     30.0 %     18.0 %     −12.0 %  × 0.60 (0.55 to 0.66)  (no route)
     20.0 %     32.0 %     +12.0 %  × 1.60 (1.46 to 1.75)  /ranking

CPU by function: self, with what V8, Node and the kernel did for it
     30.0 %     18.0 %     −12.0 %  × 0.60 (0.55 to 0.66)  idle                                x/idle.js
     20.0 %     32.0 %     +12.0 %  × 1.60 (1.46 to 1.75)  rank [2J                            routes/ranking.js
`, "\n")
	got := strings.NewReplacer(before, "OLD", after, "NEW").Replace(out.String())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What lies between the recordings of a folder does not count, and that is said.
func TestDiffGaps(t *testing.T) {
	dir := t.TempDir()
	for i := range int64(3) {
		b, err := pprofx.NewBuilder(1_760_000_000e9+i*70e9, 1e7)
		if err != nil {
			t.Fatal(err)
		}
		b.Add(&pprofx.Sample{Time: 1_760_000_000e9 + i*70e9})
		frame, err := otlp.Compress(b.Cut(1_760_000_010e9+i*70e9), otlp.Agent{})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".otlp"), frame, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, stderr bytes.Buffer
	code := cli.Main([]string{"diff", dir, dir}, &out, &stderr)
	says := "in 3 samples, of 30s from 2025-10-09 08:53:20 UTC, none lost, 2m0s between snapshots not counted\n"
	if code != exit.Done || strings.Count(out.String(), says) != 2 {
		t.Errorf("code %d: %s%s", code, &out, &stderr)
	}
}

func TestDiffFails(t *testing.T) {
	before, after := rankingFile(t, 20), rankingFile(t, 32)
	for name, test := range map[string]struct {
		args []string
		code int
		says string
	}{
		"same":    {[]string{before, before, "--fail-on", "1%"}, exit.Done, ""},
		"dearer":  {[]string{before, after, "--fail-on", "10%"}, exit.Failed, "route /ranking by 60 %"},
		"much":    {[]string{before, after, "--fail-on", "80%"}, exit.Done, ""},
		"cheaper": {[]string{after, before, "--route", "/ranking", "--fail-on", "5"}, exit.Done, ""},
		"requests": {[]string{before, before, "--requests", "200,100", "--fail-on", "5"}, exit.Failed,
			"all of it by 100 %"},
		"no number": {[]string{before, after, "--fail-on", "much"}, exit.WrongUsage, "want a percentage"},
		"negative":  {[]string{before, after, "--fail-on=-3%"}, exit.WrongUsage, "want a percentage"},
		"one":       {[]string{before, after, "--requests", "3"}, exit.WrongUsage, "two numbers"},
		"none":      {[]string{before, after, "--requests", "3,0"}, exit.WrongUsage, "two numbers"},
		"both":      {[]string{before, after, "--requests", "3,2", "--per", "cpu"}, exit.WrongUsage, "either"},
		"per":       {[]string{before, after, "--per", "call"}, exit.WrongUsage, "want one of"},
		"lines":     {[]string{before, after, "--lines", "0"}, exit.WrongUsage, "at least 1"},
		"new": {[]string{before, after, "--since", "1h"}, exit.Failed,
			"old, " + before + ": no snapshot is of that time"},
		"ago":     {[]string{before, before, "--ago=-1h"}, exit.WrongUsage, "less than 0"},
		"missing": {[]string{before, before + ".none"}, exit.Failed, "no such file"},
	} {
		var out, stderr bytes.Buffer
		code := cli.Main(append([]string{"diff"}, test.args...), &out, &stderr)
		hostile := bytes.Contains(stderr.Bytes(), []byte("\x1b"))
		if code != test.code || !strings.Contains(stderr.String(), test.says) || hostile {
			t.Errorf("%s: code %d, %s", name, code, &stderr)
		}
	}
}

// With --ago, OLD has no samples of a time that is too early, or NEW none of the last hour. It is said which.
func TestDiffAgo(t *testing.T) {
	file := rankingFile(t, 20)
	age := time.Since(time.Unix(1_760_000_000, 0))
	for name, test := range map[string]struct {
		ago, since time.Duration
		says       string // or empty: both have samples
	}{
		"same":  {},
		"early": {ago: age + time.Hour, says: "old, " + file + ": no snapshot is of that time"},
		"late":  {ago: age - time.Hour/2, since: time.Hour, says: "new, " + file + ": no snapshot is of that time"},
	} {
		var out, stderr bytes.Buffer
		args := []string{"diff", file, file, "--ago", test.ago.String(), "--since", test.since.String()}
		code := cli.Main(args, &out, &stderr)
		if (code == exit.Done) != (test.says == "") || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("%s: code %d, %s", name, code, &stderr)
		}
	}
}

func TestDiffJSON(t *testing.T) {
	before, after := rankingFile(t, 20), rankingFile(t, 32)
	var out, stderr bytes.Buffer
	if code := cli.Main([]string{"diff", "--json", "--per", "cpu", before, after}, &out, &stderr); code != 0 {
		t.Fatalf("code %d: %s", code, &stderr)
	}
	var c struct {
		Unit   string
		New    struct{ Seconds, CPU float64 }
		Routes []struct {
			Name     string
			Old, New float64
			Ratio    float64
			Certain  bool
		}
		Functions []struct{ Name, File string }
	}
	if err := json.Unmarshal(out.Bytes(), &c); err != nil {
		t.Fatal(err)
	}
	if c.Unit != "cpu" || c.New.Seconds != 40 || c.New.CPU != 20 || len(c.Routes) != 2 || len(c.Functions) != 2 {
		t.Fatalf("%+v", c)
	}
	for _, r := range c.Routes {
		if r.Name == "/ranking" && (r.Old != 0.4 || r.New != 0.64 || !r.Certain) {
			t.Errorf("%+v", r)
		}
	}
}

// A page of both recordings is written in place of the tables; --fail-on judges all the same.
func TestDiffPage(t *testing.T) {
	before, after := rankingFile(t, 20), rankingFile(t, 32)
	name := filepath.Join(t.TempDir(), "x.html")
	var out, said bytes.Buffer
	code := cli.Main([]string{"diff", before, after, "-o", name, "--fail-on", "10%"}, &out, &said)
	page, err := os.ReadFile(name)
	if code != exit.Failed || out.Len() > 0 || err != nil || !bytes.HasSuffix(page, []byte("</html>\n")) ||
		!strings.Contains(said.String(), "wrote "+name+": 4000 samples; 0 were lost") ||
		!strings.Contains(said.String(), "dearer by more than 10 %") {
		t.Errorf("code %d, %s%s, %v, %.100s", code, &out, &said, err, page)
	}
	for says, args := range map[string][]string{
		"only .html":      {"-o", filepath.Join(t.TempDir(), "x.pb.gz")},
		"without --json":  {"-o", name, "--json"},
		"and --requests":  {"-o", name, "--requests", "1,2"},
		"no such file":    {"-o", filepath.Join(t.TempDir(), "x/y.html")},
		"is of that time": {"-o", filepath.Join(t.TempDir(), "z.html"), "--since", "1h"},
	} {
		said.Reset()
		code := cli.Main(append([]string{"diff", before, after}, args...), &out, &said)
		if code == exit.Done || !strings.Contains(said.String(), says) {
			t.Errorf("%v: code %d, %s", args, code, &said)
		}
		if left, _ := filepath.Glob(filepath.Dir(args[1]) + "/*.part"); len(left) > 0 {
			t.Errorf("%v: left %v", args, left)
		}
	}
}
