package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/agent"
	"github.com/hotspan/hotspan/agent/cli/flags"
	"github.com/hotspan/hotspan/agent/cli/recording/recordingtest"
	"github.com/hotspan/hotspan/agent/cli/terminal"
	"github.com/hotspan/hotspan/agent/internal/store"
	"github.com/hotspan/hotspan/otlp"
	"github.com/hotspan/hotspan/pprofx"
)

// parseLine reads a command line of the verb agent, which accepts it.
func parseLine(args ...string) (*flags.Line, error) {
	vars := map[string]string{} // the help texts do not matter
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Verb]()) {
		for _, v := range regexp.MustCompile(`\$\{(\w+)\}`).FindAllStringSubmatch(string(f.Tag), -1) {
			vars[v[1]] = ""
		}
	}
	app := flags.App{Verbs: &struct {
		Agent Verb `cmd:""`
	}{}, Vars: vars}
	line, err := app.Parse(args, io.Discard)
	if err != nil {
		return nil, err
	}
	return line, line.Verb.(*Verb).Accept(line)
}

func parseVerb(args ...string) (*Verb, error) {
	line, err := parseLine(args...)
	if err != nil {
		return nil, err
	}
	return line.Verb.(*Verb), nil
}

// A flag counts before a variable, a variable before the file.
func TestWhichSettingCounts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "agent.yaml")
	if err := os.WriteFile(file, []byte("rate: 1\nstore-mib: 1\nstore-age: 1s\nname: [file]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOTSPAN_CONFIG", file)
	t.Setenv("HOTSPAN_RATE", "2")
	t.Setenv("HOTSPAN_STORE_MIB", "2")
	t.Setenv("HOTSPAN_NAME", "a,b")
	t.Setenv("HOTSPAN_CACHE", "no")
	v, err := parseVerb("agent", "--rate", "3")
	if err != nil {
		t.Fatal(err)
	}
	if v.Rate != 3 || v.StoreMIB != 2 || v.StoreAge != time.Second || v.Cache ||
		!slices.Equal(v.Name, []string{"a,b"}) {
		t.Errorf("%+v", v)
	}
	t.Setenv("HOTSPAN_RATE", "")
	_, err = parseVerb("agent")
	if err == nil || !strings.Contains(err.Error(), "--rate, from HOTSPAN_RATE") {
		t.Errorf("an empty rate: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	for name, test := range map[string]struct {
		env  map[string]string
		url  string
		want otlp.Config
	}{
		"base, HTTP": {map[string]string{"ENDPOINT": "http://c:4318"}, "http://c:4318",
			otlp.Config{Protocol: otlp.HTTP}},
		"base with a path": {map[string]string{"ENDPOINT": "http://c/otlp", "PROTOCOL": "http/protobuf"},
			"http://c/otlp/v1development/profiles", otlp.Config{Protocol: otlp.HTTP}},
		"gRPC": {map[string]string{"ENDPOINT": "http://c:4317", "HEADERS": "a=1, b=2%203"}, "http://c:4317",
			otlp.Config{Headers: map[string]string{"a": "1", "b": "2 3"}}},
		"of profiles": {map[string]string{"ENDPOINT": "http://c:4317", "PROFILES_ENDPOINT": "http://p:4318/x",
			"TIMEOUT": "1500", "PROFILES_COMPRESSION": "none", "COMPRESSION": "gzip"}, "http://p:4318/x",
			otlp.Config{Protocol: otlp.HTTP, Compression: otlp.Uncompressed, Timeout: 1500e6}},
	} {
		t.Run(name, func(t *testing.T) {
			for key, value := range test.env {
				t.Setenv("OTEL_EXPORTER_OTLP_"+key, value)
			}
			d, err := fromEnvironment()
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.otlp()
			if err != nil || d.url.String() != test.url {
				t.Fatalf("%s, %v, want %s", d.url, err, test.url)
			}
			if test.want.Headers == nil {
				test.want.Headers = map[string]string{}
			}
			if test.want.Timeout == 0 {
				test.want.Timeout = 10e9
			}
			got.Agent, got.TLS, got.GiveUp = otlp.Agent{}, nil, 0
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if d, err := fromEnvironment(); d != nil || err != nil {
		t.Errorf("without variables: %v, %v", d, err)
	}
}

func TestDestinationLabels(t *testing.T) {
	var d destination
	if err := d.parse("http://a,labels=http.* tenant"); err != nil {
		t.Fatal(err)
	}
	keep := d.keep()
	for label, want := range map[string]bool{"http.route": true, "http": false, "tenant": true, "tenants": false} {
		if got := keep(&pprofx.Label{Key: label}); got != want {
			t.Errorf("%s: %v", label, got)
		}
	}
}

func TestSnapshotFiles(t *testing.T) {
	dir := t.TempDir()
	s := recordingtest.Snapshot(t)
	s.Start, s.End = 1_760_000_000_500_000_000, 1_760_000_001_000_000_000
	if err := (&snapshotFiles{path: dir + "/new/cpu-%t.jsonl"}).write(s); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(dir + "/new/cpu-20251009T085320.500000.jsonl")
	if err != nil || bytes.Count(got, []byte("\n")) != 2 {
		t.Errorf("%v, %s", err, got)
	}
	for _, name := range []string{"/new", "/new/cpu-20251009T085320.500000.jsonl"} {
		if info, err := os.Stat(dir + name); err != nil || info.Mode().Perm()&0o007 != 0 {
			t.Errorf("%s, of all users' processes, is everybody's: %v, %v", name, info, err)
		}
	}
}

// A snapshot that begins soon after another, where a process has called execve, has a file too.
func TestBriefSnapshots(t *testing.T) {
	dir := t.TempDir()
	const start = 1_760_000_000_500_000_000
	b, err := pprofx.NewBuilder(start, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{0, 20_000} {
		b.SetProcess(1, pprofx.Process{})
		b.Add(&pprofx.Sample{Time: start + at, PID: 1})
		b.EndProcess(1, start+at+10_000)
	}
	all := b.CutByProcess(start + 1e9)
	for _, s := range all {
		if err := (&snapshotFiles{path: dir + "/%t.jsonl"}).write(s); err != nil {
			t.Fatal(err)
		}
	}
	if files, _ := os.ReadDir(dir); len(all) != 2 || len(files) != 2 {
		t.Errorf("%d snapshots, %v", len(all), files)
	}
}

// With profile-per each value of the label has a file: together they have all samples, and the losses once.
func TestFilesPerRoute(t *testing.T) {
	dir := t.TempDir()
	b, err := pprofx.NewBuilder(1_760_000_000_500_000_000, 10)
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"", "search", "/search", "-search", "/search/:id", "none", "other", strings.Repeat("x", 600),
		"/users", "users-954dac294d87c9529d601c4e99625428", // as the one before it is called in names
		"///", "732c4e97"}
	for i, value := range values {
		s := &pprofx.Sample{Time: 1_760_000_000_500_000_000 + int64(i), PID: 1, Stack: []*pprofx.Frame{{Function: "f"}}}
		if value != "" {
			s.Labels = []pprofx.Label{{Key: "http.route", Str: value}}
		}
		b.Add(s)
	}
	b.Lose(pprofx.LostLate, 5)
	files := &snapshotFiles{path: dir + "/%v/cpu-%t.otlp", per: "http.route"}
	for range 2 { // the second finds nothing but the losses
		if err := files.write(b.Cut(1_760_000_001_000_000_000)); err != nil {
			t.Fatal(err)
		}
		b.Lose(pprofx.LostLate, 5)
	}
	all, _ := filepath.Glob(dir + "/*/cpu-20251009T0853*.otlp")
	got, lost := map[string]bool{}, int64(0)
	for _, name := range all {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := otlp.NewReader(bytes.NewReader(content)).Next()
		if err != nil {
			t.Fatal(name, err)
		}
		for _, r := range s.Rows {
			value := ""
			for _, l := range s.LabelSets[r.Labels] {
				value = l.Str
			}
			got[value] = true
		}
		lost += s.Lost[pprofx.LostLate]
	}
	if len(got) != len(values) || len(all) != len(values)+1 || lost != 10 {
		t.Errorf("%d values of %d in %v, %d lost", len(got), len(values), all, lost)
	}
}

// The tables of docs/agent.md have each setting and each key of a destination, and no others.
func TestAgentTables(t *testing.T) {
	text, err := os.ReadFile("../../../docs/agent.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	line, err := parseLine("agent")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range line.Flags() {
		name, key := "`--"+f+"`", " `"+f+"`"
		if _, err := parseLine("agent", "--no-"+f); err == nil {
			name = "`--no-" + f + "`"
		}
		if f == configFlag {
			key = ""
		}
		want = append(want, fmt.Sprintf("| %s |%s | `%s` |", name, key, variable(f)))
	}
	for key := range destinationKeys {
		if !strings.Contains(string(text), "| `"+key+"`") && key != "key" {
			t.Errorf("docs/agent.md lacks the key %s of destinations", key)
		}
	}
	got := regexp.MustCompile("(?m)^\\| `--[a-z-]+` \\|.*? \\|? ?`HOTSPAN_[A-Z_]+` \\|").FindAllString(string(text), -1)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 10 {
		t.Errorf("docs/agent.md (-code +document): %s", diff)
	}
}

// The page lists each metric that the agent has, and no others.
func TestMetricsTable(t *testing.T) {
	text, err := os.ReadFile("../../../docs/agent.md")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := store.Open(t.TempDir(), store.Limits{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	o, err := openOutputs(destinations{{url: &url.URL{Scheme: "file", Path: "/x/%t.jsonl"}}}, slog.Default())
	if err == nil {
		err = o.take(kept, slog.Default())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer o.end()
	page := &statusPage{delivering: &delivering{from: kept, log: slog.Default(), now: o}}
	page.cut(agent.Stats{Lost: map[pprofx.LostReason]int64{pprofx.LostLate: 1}}, 1)
	if err := page.serve("127.0.0.1:0", nil); err != nil {
		t.Fatal(err)
	}
	defer page.close()
	r, err := http.Get("http://" + page.server.Address() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`\bhotspan_[a-z_]+`)
	got, want := name.FindAllString(string(text), -1), name.FindAllString(string(answer), -1)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(slices.Compact(want), slices.Compact(got)); diff != "" || len(want) < 15 {
		t.Errorf("docs/agent.md (-agent +document): %s", diff)
	}
}

// changes has the configurations that an agent is changed to. It refuses a rate of 13, and of 14 a part.
type changes []agent.Config

func (c *changes) Change(_ context.Context, to agent.Config) error {
	if to.Rate == 13 {
		return errors.New("refused")
	}
	*c = append(*c, to)
	if to.Rate == 14 {
		return errors.Join(agent.ErrPartly, errors.New("no such timer"))
	}
	return nil
}

// A reload changes all but what counts at the start; destinations that stay go on, and a configuration with a fault
// changes nothing.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "agent.yaml")
	configure := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := store.Open(filepath.Join(dir, "store"), store.Limits{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	var log bytes.Buffer
	d := &delivering{from: kept, log: terminal.Console{Writer: &log}.Logger(false), now: &outputs{}}
	v, err := parseVerb("agent")
	if err != nil {
		t.Fatal(err)
	}
	var seen changes
	r := &reloading{&seen, d, d.log, func() (*settings, error) {
		return v.reread(func() (*Verb, error) { return parseVerb("agent", "--config", file) }, d.log)
	}}
	for i, step := range []struct{ config, says string }{
		{"to: ['file://" + dir + "/a/%t.jsonl']\n", "read again, destinations 1"},
		{"to: ['file://" + dir + "/a/%t.jsonl', 'file://" + dir + "/b/%t.jsonl']\nrate: 7\nstore: /x\ncache: false\n",
			"these store cache"},
		{"to: [ftp://x]\n", "goes on as before"},
		{"rate: 13\n", "goes on as before: refused"},
		{"to: ['file://" + dir + "/b/%t.jsonl']\nrate: 7\nname: web\nperiod: 5s\nstore: /x\ncache: false\n",
			"read again, destinations 1"},
	} {
		configure(step.config)
		log.Reset()
		r.reload()
		if !strings.Contains(log.String(), step.says) || i < 1 && strings.Contains(log.String(), "starts again") {
			t.Errorf("step %d: %s, want %q", i, &log, step.says)
		}
		s := recordingtest.Snapshot(t)
		s.Start, s.End = int64(i)*1e9, int64(i+1)*1e9
		if err := (&storeSink{Store: kept, log: d.log}).Write(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if err := d.outputs().finish(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	// what was counted before a reload still is
	if got := d.outputs().destinations[0].Stats(); got.Snapshots != 4 || got.Samples != 8 {
		t.Errorf("%s: %+v, want 4 snapshots of 2 samples", d.outputs().destinations[0].Name(), got)
	}
	d.outputs().end()
	for folder, want := range map[string]int{"a": 4, "b": 4} {
		if files, _ := filepath.Glob(filepath.Join(dir, folder, "*.jsonl")); len(files) != want {
			t.Errorf("%s: %v, want %d", folder, files, want)
		}
	}
	if len(seen) != 3 || seen[1].Rate != 7 || !seen[1].Select.All || seen[2].Select.Name == nil ||
		seen[2].Select.All || seen[2].SnapshotEvery != 5*time.Second {
		t.Errorf("the agent was changed to %+v", seen)
	}
}

// The count of each reason for which samples of the timer are lost is there before the first is.
func TestLossesFromTheBeginning(t *testing.T) {
	page := &statusPage{}
	page.cut(agent.Stats{Lost: map[pprofx.LostReason]int64{pprofx.LostLate: 2}}, 1)
	want := map[string]int64{"late": 2, "full": 0, "ring buffer full": 0, "malformed record": 0, "process exited": 0}
	if diff := cmp.Diff(want, page.last.Lost); diff != "" {
		t.Error(diff)
	}
}
