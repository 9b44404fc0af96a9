package analysis_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/cli"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

const traceStart = 1_760_000_000_000_000_000

// traceFile writes a recording of 200 ms of a service: the first half of it in a trace, the rest in another one.
func traceFile(t *testing.T, service string, rate int64, traces ...string) string {
	t.Helper()
	period := int64(1e9) / rate
	b, err := pprofx.NewBuilder(traceStart, period)
	if err != nil {
		t.Fatal(err)
	}
	b.SetProcess(7, pprofx.Process{Service: service})
	stack := []*pprofx.Frame{{Function: "find\x1b[31m", File: "/srv/find.js", Line: 3}}
	for at := int64(0); at < 200e6; at += period {
		id := traces[int(at)*len(traces)/200e6]
		labels := []pprofx.Label{{Key: "http.route", Str: "/find\x1b"}, {Key: "span_id", Str: "s" + id},
			{Key: "trace_id", Str: id}}
		s := &pprofx.Sample{Time: traceStart + at, PID: 7, TID: 7, Thread: "node\x1b", State: pprofx.StateJS,
			Stack: stack, Labels: labels}
		b.Add(s)
		if at < 50e6 {
			s.TID, s.State, s.Thread = 8, pprofx.StateGC, "V8Worker"
			b.Add(s)
		}
	}
	b.Lose(pprofx.LostLate, 1)
	path := filepath.Join(t.TempDir(), service+".otlp")
	frame, err := otlp.Compress(b.Cut(traceStart+200e6), otlp.Agent{})
	if err == nil {
		err = os.WriteFile(path, frame, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTrace(t *testing.T) {
	t.Setenv("COLUMNS", "69")
	shop, till := traceFile(t, "shop", 100, "aa01", "aa02"), traceFile(t, "till\x1b", 50, "bb", "aa01", "bb", "bb")
	var out, stderr bytes.Buffer
	if code := cli.Main([]string{"trace", "AA01", shop, till}, &out, &stderr); code != 0 {
		t.Fatalf("code %d: %s", code, &stderr)
	}
	want := strings.TrimLeft(`
trace aa01, /find 
17 samples = 190 ms of CPU, over 90ms from 2025-10-09 08:53:20.000 UTC, lost (late 2)
17 samples at 100 Hz and 50 Hz: record with -F 295 for about 100 of a trace like this

                        08:53:19.940                      +210ms
shop, process 7
  node  (main)                     jjjjjjjjjjjjjjjjjjj··········   10
  V8Worker                         ggggggggg                        5
till , process 7
  node  (main)                     ···········jjjjjjjj·········     2
  V8Worker                         ···········                      0
j JavaScript, n native, k kernel, g collector, c compiler, p libuv's pool; · other work
`, "\n")
	got, _, _ := strings.Cut(out.String(), "\nat 100 Hz")
	if diff := cmp.Diff(want, got); diff != "" || strings.Contains(out.String(), "\x1b") {
		t.Error(diff)
	}
	for _, part := range []string{"at 100 Hz, 15 samples\n", "at 50 Hz, 2 samples\n", "CPU by span\n", "by function"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in %s", part, &out)
		}
	}
}

func TestTraceJSON(t *testing.T) {
	file := traceFile(t, "shop", 1000, "aa01", "aa02")
	var out, stderr bytes.Buffer
	if code := cli.Main([]string{"trace", "aa01", "--json", file}, &out, &stderr); code != 0 {
		t.Fatalf("code %d: %s", code, &stderr)
	}
	var got struct {
		ID                   string
		Samples, First, Last int64
		CPU                  float64
		Suggested            *struct{}
		Lanes                []struct {
			Samples int64
			Bursts  []struct{ First, Last, Samples int64 }
		}
		Reports []struct {
			Period, Samples int64
			By              []struct{ Name, Detail string }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.ID != "aa01" || got.Samples != 150 || got.First != traceStart || got.Last != traceStart+99e6 ||
		got.CPU != 0.15 || got.Suggested != nil || len(got.Lanes) != 2 || len(got.Lanes[0].Bursts) != 1 ||
		got.Lanes[0].Bursts[0].Samples != 100 || len(got.Reports) != 1 || got.Reports[0].Samples != 150 ||
		got.Reports[0].By[0].Name != "saa01" || got.Reports[0].By[0].Detail != "/find\x1b" {
		t.Errorf("%+v", got)
	}
}

func TestTraceErrors(t *testing.T) {
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("aa%02d\x1b", i))
	}
	file := traceFile(t, "shop", 100, many...)
	for name, test := range map[string]struct {
		args []string
		code int
		says string
	}{
		"several": {[]string{"aa", file}, exit.Failed, "20 traces begin with aa:\n  aa00      2 samples  /find"},
		"more":    {[]string{"aa", file}, exit.Failed, "… and 10 more"},
		"none":    {[]string{"a\x1b1", file}, exit.Failed, "no sample of a trace a 1 in "},
		"no id":   {[]string{"", file}, exit.WrongUsage, "no id"},
		"no file": {[]string{"aa00"}, exit.WrongUsage, "missing arguments"},
		"lines":   {[]string{"aa00", file, "--lines", "0"}, exit.WrongUsage, "at least 1"},
		"missing": {[]string{"aa00", file + ".none"}, exit.Failed, "no such file"},
		"old":     {[]string{"aa00", file, "--since", "1h"}, exit.Failed, "no sample"},
	} {
		var out, stderr bytes.Buffer
		code := cli.Main(append([]string{"trace"}, test.args...), &out, &stderr)
		text := stderr.String()
		if code != test.code || !strings.Contains(text, test.says) || strings.Contains(text, "\x1b") {
			t.Errorf("%s: code %d, %q", name, code, text)
		}
	}
}
