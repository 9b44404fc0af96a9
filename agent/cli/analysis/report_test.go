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
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
	"github.com/hotspan/hotspan/pprofx"
)

func TestReport(t *testing.T) {
	file := recordingtest.Ranking(t)
	var out, stderr bytes.Buffer
	if code := cli.Main([]string{"report", "--by", "tenant", file}, &out, &stderr); code != 0 {
		t.Fatalf("code %d: %s", code, &stderr)
	}
	want := strings.TrimLeft(`
1.00 s of CPU in 100 samples, of 1s from 2025-10-09 08:53:20 UTC, lost (ring buffer full 3)
gc 30 %, js 70 %

CPU by route
     500 ms  50.0 %  (no route)
     500 ms  50.0 %  /ranking                            gc 60 %

CPU by tenant
     500 ms  50.0 %  (no tenant)
     500 ms  50.0 %  a                                   gc 60 %

CPU by function: self, with what V8, Node and the kernel did for it; total, with callees; hottest line
     500 ms     500 ms  50.0 %  idle                                x/idle.js:3
     500 ms     500 ms  50.0 %  rank [2J                            routes/ranking.js:7, gc 60 %

CPU by trace, of 1
     500 ms  50.0 %  00000000000000000000000000000001    /ranking, gc 60 %

CPU by thread
     1.00 s  100.0 %  node                                gc 30 %
`, "\n")
	if diff := cmp.Diff(want, out.String()); diff != "" || stderr.Len() > 0 {
		t.Error(diff, &stderr)
	}
}

// TestReportProcesses: of several processes it is told which one is busy, and holds up its event loop. What a service
// without routes has instead is in the line of a stall.
func TestReportProcesses(t *testing.T) {
	const start, period = 1_760_000_000_000_000_000, 10_000_000
	b, err := pprofx.NewBuilder(start, period)
	if err != nil {
		t.Fatal(err)
	}
	b.SetProcess(41, pprofx.Process{Service: "shop"})
	b.SetProcess(42, pprofx.Process{Executable: "/usr/bin/node"})
	stack := []*pprofx.Frame{{Function: "flush", File: "/srv/app/metrics.js", Line: 3, Kind: pprofx.JS}}
	for i := range int64(100) {
		s := &pprofx.Sample{Time: start + i*period, PID: 41, TID: 41, Thread: "node", Stop: pprofx.StopRoot,
			State: pprofx.StateJS, Stack: stack}
		if i >= 20 {
			s.PID, s.TID, s.Turn, s.Labels = 42, 42, 7, []pprofx.Label{{Key: "tenant", Str: "a"}}
		}
		b.Add(s)
	}
	file := recordingtest.Write(t, t.TempDir(), ".otlp", []*pprofx.Snapshot{b.Cut(start + 100*period)})
	stall := "     800 ms  at 0.20 s  a                           flush (app/metrics.js)"
	processes := "\nCPU by process\n" +
		"     800 ms  80.0 %  42                                  node\n" +
		"     200 ms  20.0 %  41                                  shop\n"
	for _, c := range []struct {
		args []string
		has  []string
		not  string
	}{
		{[]string{"--by", "tenant"}, []string{stall + ", process 42\n", processes}, "held up by"},
		{[]string{"--by", "tenant", "--pid", "42"}, []string{stall + "\n", "800 ms of CPU in 80 samples"},
			"by process"},
		{[]string{"--pid", "41"}, []string{"200 ms of CPU in 20 samples"}, "by process"},
	} {
		var out, stderr bytes.Buffer
		if code := cli.Main(append([]string{"report", file}, c.args...), &out, &stderr); code != exit.Done {
			t.Fatalf("%v: code %d: %s", c.args, code, &stderr)
		}
		for _, text := range c.has {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%v: no %q in %s", c.args, text, &out)
			}
		}
		if strings.Contains(out.String(), c.not) {
			t.Errorf("%v: %q in %s", c.args, c.not, &out)
		}
	}
}

// TestReportByNoLabel: a label that no sample has may be misspelt.
func TestReportByNoLabel(t *testing.T) {
	var out, stderr bytes.Buffer
	code := cli.Main([]string{"report", "--by", "tenent", recordingtest.Ranking(t)}, &out, &stderr)
	want := "warn: no sample has the label of --by, label tenent, there are http.route, tenant, trace_id\n"
	if code != exit.Done || stderr.String() != "hotspan: "+want {
		t.Errorf("code %d, %s, want %s", code, &stderr, want)
	}
}

// TestReportOfNothing: what is chosen may be misspelt, and then the report says what there is.
func TestReportOfNothing(t *testing.T) {
	for want, args := range map[string][]string{
		"routes /ranking":                         {"--route", "/nosuch"},
		"services shop, routes /ranking":          {"--service", "web", "--route", "/ranking"},
		"traces 00000000000000000000000000000001": {"--trace", "1"},
		"threads node":                            {"--thread", "worker"},
		"processes 1":                             {"--pid", "2"},
		"states js, gc":                           {"--state", "compiler"},
		"measures cpu":                            {"--measure", "off_cpu"},
		"from 2025-10-09 08:53:20 UTC, to 2025-10-09 08:53:21 UTC": {"--since", "1h"},
		"": {"--focus", "nosuch"},
	} {
		var out, stderr bytes.Buffer
		code := cli.Main(append([]string{"report", recordingtest.Ranking(t)}, args...), &out, &stderr)
		if want != "" {
			want = ", " + want
		}
		want = "hotspan: warn: no sample is chosen, of 100" + want + "\n"
		if stderr.String() != want || code != exit.Done {
			t.Errorf("code %d, %q, want %q", code, &stderr, want)
		}
	}
}

func TestReportOfRoute(t *testing.T) {
	file := recordingtest.Ranking(t)
	for _, args := range [][]string{
		{"--route", "/ranking"}, {"--trace", "00000000000000000000000000000001"},
	} {
		var out, stderr bytes.Buffer
		if code := cli.Main(append([]string{"report", "--json", file, file}, args...), &out, &stderr); code != 0 {
			t.Fatalf("code %d: %s", code, &stderr)
		}
		var r struct {
			Samples int64
			Lost    map[string]int64
			Classes map[string]int64
			Routes  []struct{ Name string }
		}
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Samples != 100 || r.Classes["gc"] != 60 || len(r.Routes) != 1 || r.Lost["ring buffer full"] != 6 {
			t.Errorf("%v of the file twice: %+v", args, r)
		}
	}
}

// A folder stands for its recordings, and filters choose from them, for convert too.
func TestFilters(t *testing.T) {
	file := recordingtest.Ranking(t)
	long := time.Since(time.Unix(1_760_000_000, 0)) + time.Hour
	for name, test := range map[string]struct {
		args    []string
		samples int
	}{
		"all":            {nil, 100},
		"service":        {[]string{"--service", "shop"}, 100},
		"other service":  {[]string{"--service", "till"}, 0},
		"route":          {[]string{"--route", "/ranking"}, 50},
		"since":          {[]string{"--since", long.String()}, 100},
		"since and till": {[]string{"--since", long.String(), "--until", (long - 2*time.Hour).String()}, 100},
	} {
		out := filepath.Join(t.TempDir(), "out.jsonl")
		var said bytes.Buffer
		code := cli.Main(append([]string{"convert", filepath.Dir(file), out}, test.args...), &said, &said)
		text, _ := os.ReadFile(out)
		if lines := bytes.Count(text, []byte(`"stack":`)); code != 0 || lines != test.samples {
			t.Errorf("%s: code %d, %d samples, want %d: %s", name, code, lines, test.samples, &said)
		}
	}
	var said bytes.Buffer
	code := cli.Main([]string{"convert", file, filepath.Join(t.TempDir(), "x.jsonl"), "--since", "1h"}, &said, &said)
	if code != exit.Failed || !strings.Contains(said.String(), "no snapshot is of that time") {
		t.Errorf("an old recording: code %d, %s", code, &said)
	}
	for _, flag := range []string{"--since=-1h", "--until=-1h"} {
		said.Reset()
		if code := cli.Main([]string{"report", file, flag}, &said, &said); code != exit.WrongUsage ||
			!strings.Contains(said.String(), "not less than 0") {
			t.Errorf("%s: code %d, %s", flag, code, &said)
		}
	}
	said.Reset()
	if code := cli.Main([]string{"report", t.TempDir()}, &said, &said); code != exit.Failed ||
		!strings.Contains(said.String(), "has no .otlp files") {
		t.Errorf("an empty folder: code %d, %s", code, &said)
	}
}

// A recording has 100 samples of a thread: 50 of rank, of which 30 are in a collection, and 50 of idle.
func TestReportOfRows(t *testing.T) {
	file := recordingtest.Ranking(t)
	for args, want := range map[string]int{
		"--state gc": 30, "--state js": 70, "--state gc,js": 100, "--state idle": 0, "--focus idle$": 50,
		"--focus routes/": 50, "--focus ^sort$": 50, "--focus rank --state js": 20, "--focus nothing": 0,
		"--thread node": 100, "--thread 1": 100, "--thread nod": 0, "--thread 2": 0, "--route /ranking --state js": 20,
	} {
		var out, stderr bytes.Buffer
		code := cli.Main(append([]string{"report", "--json", file}, strings.Fields(args)...), &out, &stderr)
		var got struct{ Samples int }
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || code != 0 || got.Samples != want {
			t.Errorf("%s: %d samples, want %d (code %d, %v) %s", args, got.Samples, want, code, err, &stderr)
		}
	}
	for _, args := range []string{"--focus (", "--state sleeping"} {
		var out, stderr bytes.Buffer
		code := cli.Main(append([]string{"report", file}, strings.Fields(args)...), &out, &stderr)
		if code != exit.WrongUsage || !strings.Contains(stderr.String(), strings.Fields(args)[0]) {
			t.Errorf("%s: code %d, %s", args, code, &stderr)
		}
	}
}

// A page has the chosen samples of all recordings, also where the later one comes first.
func TestReportPage(t *testing.T) {
	file := recordingtest.Ranking(t)
	name := filepath.Join(t.TempDir(), "x.html")
	for says, args := range map[string][]string{
		"wrote " + name + ": 100 samples; 6 were lost": {"report", "-o", name, "--route", "/ranking", file, file},
		"wrote " + name + ": 100 samples; 3 were lost": {"convert", file, name},
	} {
		var out, stderr bytes.Buffer
		if code := cli.Main(args, &out, &stderr); code != 0 || out.Len() > 0 ||
			!strings.Contains(stderr.String(), says) {
			t.Errorf("%v: code %d, %s%s", args, code, &out, &stderr)
		}
		page, err := os.ReadFile(name)
		if err != nil || !bytes.HasPrefix(page, []byte("<!doctype html>")) ||
			!bytes.HasSuffix(page, []byte("</html>\n")) || bytes.Contains(page, []byte("ranking.js")) {
			t.Errorf("%v: %v, %.100s", args, err, page)
		}
	}
}

func TestReportErrors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "text": strings.Repeat("no recording ", 9)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for says, args := range map[string][]string{
		"empty is empty":    {dir + "/empty"},
		"text: no recordin": {dir + "/text"},
		"no such file":      {dir + "/none"},
		"missing arguments": {},
		"--lines 0: at lea": {"--lines", "0", dir + "/empty"},
		"names no format":   {"-o", dir + "/x.foo", dir + "/empty"},
		"either -o or --js": {"-o", dir + "/x.html", "--json", dir + "/empty"},
	} {
		var stderr bytes.Buffer
		code := cli.Main(append([]string{"report"}, args...), &stderr, &stderr)
		if code == 0 || !strings.Contains(stderr.String(), says) {
			t.Errorf("%v: code %d, %s", args, code, &stderr)
		}
	}
}
