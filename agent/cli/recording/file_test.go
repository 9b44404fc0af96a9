package recording_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent/cli"
	"github.com/hotspan/hotspan/agent/cli/exit"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
	"github.com/hotspan/hotspan/pprofx"
)

const recordingStart, recordingPeriod = int64(1_760_000_000_000_000_000), int64(10_000_000)

// richSnapshots are of 2 s of a service with two routes, a Worker that is held up, and a process that has no labels.
func richSnapshots(t *testing.T) []*pprofx.Snapshot {
	t.Helper()
	b, err := pprofx.NewBuilder(recordingStart, recordingPeriod)
	if err != nil {
		t.Fatal(err)
	}
	b.SetProcess(7, pprofx.Process{Executable: "/usr/bin/node", Service: "the shop", Container: "c0ffee",
		Attributes: []pprofx.Label{{Key: "service.version", Str: "12"}, {Key: "shard", Num: 3}}})
	parse := &pprofx.Frame{Function: "parse", File: "/srv/a.js", Line: 3, Column: 4, Tier: pprofx.TurboFan,
		Inlined: true}
	main := &pprofx.Frame{Function: "main", File: "/srv/a.js", Line: 9, Column: 1, Tier: pprofx.TurboFan}
	stacks := [][]*pprofx.Frame{
		{parse, main},
		{{Function: "copy_page", Kind: pprofx.Kernel, Module: "[kernel]", Address: 1 << 63},
			{Function: "read", Kind: pprofx.Native, Module: "/lib/libc.so.6", BuildID: "ab12", Address: 64}, main},
		{{Function: "[gc scavenge]", Kind: pprofx.Marker}, {Function: "/a+/", Kind: pprofx.Regexp}, main},
		{{Function: "[unknown]", Kind: pprofx.Native}},
		{},
	}
	for i := range int64(200) {
		s := &pprofx.Sample{Time: recordingStart + i*recordingPeriod, PID: 7, TID: 7, CPU: int(i % 2), Thread: "node",
			Stop: pprofx.StopRoot, State: pprofx.StateJS, Stack: stacks[i%5]}
		switch i % 4 {
		case 0:
			s.Labels = []pprofx.Label{{Key: "http.route", Str: "/a"}, {Key: "retries", Num: i % 3},
				{Key: "trace_id", Str: fmt.Sprintf("%032x", i%7+1)}}
			s.Start = s.Time - i*1e6
		case 1:
			s.Labels, s.State = []pprofx.Label{{Key: "http.route", Str: "/b"}, {Key: "pid", Str: "own"}}, pprofx.StateGC
		case 2:
			s.TID, s.Thread, s.Turn, s.Stop = 8, "worker", uint64(1+i/50), pprofx.StopNoRule
		default:
			s.PID, s.TID, s.State = 9, 9, pprofx.StateOther
		}
		b.Add(s)
	}
	b.Lose(pprofx.LostRingFull, 3)
	return []*pprofx.Snapshot{b.Cut(recordingStart + 1e9), b.Cut(recordingStart + 2e9)}
}

// tablesOf are those of report --json, without those that a file without times cannot have.
func tablesOf(t *testing.T, timed bool, args ...string) map[string]any {
	t.Helper()
	var out, stderr bytes.Buffer
	if code := cli.Main(append([]string{"report", "--json"}, args...), &out, &stderr); code != 0 {
		t.Fatalf("%v: code %d: %s", args, code, &stderr)
	}
	all := map[string]any{}
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	if !timed {
		delete(all, "stalls")
		delete(all, "more_stalls")
		delete(all, "loops")
	}
	return all
}

func converted(t *testing.T, in, out string) string {
	t.Helper()
	var said bytes.Buffer
	if code := cli.Main([]string{"convert", in, out}, &said, &said); code != 0 {
		t.Fatalf("%s to %s: code %d: %s", in, out, code, &said)
	}
	return out
}

// Whatever the file is that a recording was written to, or has been converted to since, its tables are the same.
func TestReadFormats(t *testing.T) {
	dir, snapshots := t.TempDir(), richSnapshots(t)
	extensions := []string{".otlp", ".jsonl", ".pb.gz"}
	timed, untimed := []string{}, []string{}
	for _, from := range extensions {
		in := recordingtest.Write(t, dir, from, snapshots)
		for _, to := range extensions {
			once := converted(t, in, dir+"/"+from[1:]+to)
			for _, back := range extensions {
				again := converted(t, once, dir+"/"+from[1:]+to+back)
				if strings.Contains(again, ".pb.gz") || from == ".pb.gz" {
					untimed = append(untimed, again)
				} else {
					timed = append(timed, again)
				}
			}
		}
	}
	if len(timed) != 8 || len(untimed) != 19 {
		t.Fatal(timed, untimed)
	}
	first := dir + "/in.otlp"
	for _, args := range [][]string{{"--by", "retries"}, {"--route", "/a"}, {"--state", "gc", "--by", "pid"},
		{"--thread", "8"}, {"--thread", "worker"}, {"--service", "the shop"}, {"--focus", "pars"}} {
		want, without := tablesOf(t, true, append(args, first)...), tablesOf(t, false, append(args, first)...)
		if n := want["samples"].(float64); n < 25 || n > 200 || args[0] == "--thread" && want["stalls"] == nil {
			t.Fatalf("%v: a recording that shows nothing: %v", args, want)
		}
		for _, file := range timed {
			if diff := cmp.Diff(want, tablesOf(t, true, append(args, file)...)); diff != "" {
				t.Errorf("%v: %s: %s", args, file, diff)
			}
		}
		for _, file := range untimed {
			if diff := cmp.Diff(without, tablesOf(t, false, append(args, file)...)); diff != "" {
				t.Errorf("%v: %s: %s", args, file, diff)
			}
		}
	}
}

// What .otlp and JSON lines have in common survives any number of conversions, and all that pprof has does.
func TestConvertForthAndBack(t *testing.T) {
	dir, snapshots := t.TempDir(), richSnapshots(t)
	read := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	lines, recording := recordingtest.Write(t, dir, ".jsonl", snapshots),
		recordingtest.Write(t, dir, ".otlp", snapshots)
	same := converted(t, converted(t, lines, dir+"/a.otlp"), dir+"/b.jsonl")
	if diff := cmp.Diff(read(lines), read(same)); diff != "" {
		t.Errorf("JSON lines: %s", diff)
	}
	if diff := cmp.Diff(read(lines), read(converted(t, recording, dir+"/c.jsonl"))); diff != "" {
		t.Errorf("of .otlp: %s", diff)
	}
	counts := recordingtest.Write(t, dir, ".pb.gz", snapshots)
	for _, through := range []string{"d.otlp", "e.jsonl", "f.pb.gz"} {
		got := converted(t, converted(t, counts, filepath.Join(dir, through)), dir+"/g.collapsed")
		if diff := cmp.Diff(read(converted(t, recording, dir+"/h.collapsed")), read(got)); diff != "" {
			t.Errorf("%s: %s", through, diff)
		}
	}
}

// What needs times says that a pprof file, or what was made of one, has none, and leaves no file.
func TestUntimed(t *testing.T) {
	dir := t.TempDir()
	file := recordingtest.Write(t, dir, ".pb.gz", richSnapshots(t))
	made := converted(t, converted(t, file, dir+"/made.jsonl"), dir+"/made.otlp")
	for _, in := range []string{file, made, dir + "/made.jsonl"} {
		for _, args := range []string{"report --since 100000h", "report --until 1h", "report --older 1s",
			"report --compare-age 1s", "report -o OUT.html", "convert OUT.html", "convert OUT.speedscope.json",
			"convert OUT.cpuprofile", "convert OUT.firefox.json.gz", "convert OUT.perf", "trace 0000", "diff IN"} {
			args := strings.Fields(strings.NewReplacer("OUT", dir+"/out", "IN", in).Replace(args))
			if args[0] == "report" || args[0] == "diff" {
				args = append(args, in)
			} else if args[0] == "trace" {
				args = append(args, in)
			} else {
				args = []string{args[0], in, args[1]}
			}
			var said bytes.Buffer
			code := cli.Main(args, &said, &said)
			if code != exit.Failed || !strings.Contains(said.String(), in+": ") ||
				!strings.Contains(said.String(), " needs the time of each sample, which pprof files do not have") {
				t.Errorf("%v: code %d, %s", args, code, &said)
			}
		}
	}
	if left, _ := filepath.Glob(dir + "/out*"); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// Names do not matter, and what is malformed is said.
func TestReadFormatsErrors(t *testing.T) {
	dir, snapshots := t.TempDir(), richSnapshots(t)
	file := recordingtest.Write(t, dir, ".otlp", snapshots)
	want := tablesOf(t, false, file)
	recorded, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := slices.Clone(recorded)
	damaged[len(damaged)/4]++
	zipped, err := os.ReadFile(recordingtest.Write(t, dir, ".pb.gz", snapshots))
	if err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer
	unzip, err := gzip.NewReader(bytes.NewReader(zipped))
	if err == nil {
		_, err = plain.ReadFrom(unzip)
	}
	if err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(recordingtest.Write(t, dir, ".jsonl", snapshots))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text []byte
		says string // empty: it is read
	}{
		"plain":        {plain.Bytes(), ""},
		"lines.part":   {lines, ""},
		"zipped":       {zipped, ""},
		"cut.pb.gz":    {zipped[:len(zipped)-20], "cut.pb.gz is cut off, and nothing before"},
		"cut.pb":       {plain.Bytes()[:plain.Len()/2], "cut.pb is cut off"},
		"lines.gz":     {zippedText(t, lines), "lines.gz: pprof: no profile, or a damaged one: "},
		"old.jsonl":    {[]byte(`{"t":1,"stack":[]}` + "\n"), "old.jsonl: line 1: no snapshot, of which this"},
		"cut.jsonl":    {lines[:len(lines)/4], "cut.jsonl is cut off"},
		"half.jsonl":   {lines[:len(lines)*3/4], "warn: the recording is cut off: its last snapshot is missing"},
		"cut.otlp":     {recorded[:len(recorded)/4], "cut.otlp is cut off"},
		"damaged.otlp": {damaged, "damaged.otlp: snapshot 1: it is damaged: CRC"},
		"more.otlp":    {append(slices.Clone(recorded), "more"...), "snapshot 3: what is there is none: "},
		"newer.jsonl": {bytes.Replace(lines, []byte(`"js"`), []byte(`"os"`), 1),
			`State "os" is unknown (known: other js gc compiler external idle): a newer version of hotspan may ` +
				"have written it"},
		"x.cpuprofile":   {[]byte(`{"nodes":[]}`), "x.cpuprofile: line 1: neither a sample nor a snapshot"},
		"no lines.jsonl": {nil, "no lines.jsonl is empty"},
		"a page.html":    {[]byte("<!doctype html>"), "a page.html: no recording: it is neither"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, test.text, 0o600); err != nil {
			t.Fatal(err)
		}
		if test.says == "" {
			if diff := cmp.Diff(want, tablesOf(t, false, path)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			continue
		}
		var said bytes.Buffer
		if cli.Main([]string{"report", path}, &said, &said); !strings.Contains(said.String(), test.says) {
			t.Errorf("%s: %s, want %q", name, &said, test.says)
		}
	}
}

func zippedText(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	if _, err := zip.Write(text); err != nil || zip.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
