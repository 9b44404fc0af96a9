package pprof

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/pprofx/internal/pprofxtest"
)

// remark is what pprof says of a numeric -tagfocus that it understood.
var remark = regexp.MustCompile(`(?m)^tagfocus:Interpreted .* as range, not regexp\n`)

// goToolPprof runs `go tool pprof` with args on a snapshot and returns what it prints. It fails on any complaint.
func goToolPprof(t *testing.T, s *pprofx.Snapshot, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cpu.pb.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(f, s); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append(append([]string{"tool", "pprof", "-sample_index=samples"}, args...), path)...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if said := remark.ReplaceAllString(complaints.String(), ""); err != nil || said != "" {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, said)
	}
	return string(out)
}

func labelledSnapshot() *pprofx.Snapshot {
	b := pprofxtest.NewBuilder(0, 10_101_010)
	b.SetProcess(70, pprofx.Process{Executable: "/usr/bin/node"})
	stack := []*pprofx.Frame{
		{Function: "_Z1fv<T>", File: "/srv/app.js", Line: 12, Column: 3},
		{Function: "(anonymous)", File: "/srv/app.js", Line: 40, Column: 9},
		{Function: "node::Start(int)", Kind: pprofx.Native, Module: "/usr/bin/node", Address: 64},
	}
	add := func(n int, thread string, tid int, labels ...pprofx.Label) {
		for range n {
			b.Add(&pprofx.Sample{PID: 70, TID: tid, Thread: thread, State: pprofx.StateJS, Stop: pprofx.StopRoot,
				Stack: stack, Labels: labels})
		}
	}
	add(3, "node", 70, pprofx.Label{Key: "http.route", Str: "/users/:id"}, pprofx.Label{Key: "retries", Num: 0})
	add(2, "node", 70, pprofx.Label{Key: "http.route", Str: "/über"}, pprofx.Label{Key: "retries", Num: 2})
	add(4, "node", 70, pprofx.Label{Key: "thread_name", Str: "mine"},
		pprofx.Label{Key: "wait", Num: 1500, Unit: "milliseconds"})
	add(1, "libuv-worker", 71)
	return b.Cut(1)
}

// TestLabelsSurviveGoToolPprof reads the table of `go tool pprof -tags`: "key: Total …", then lines "n (p%): value".
func TestLabelsSurviveGoToolPprof(t *testing.T) {
	out := goToolPprof(t, labelledSnapshot(), "-tags")
	got := map[string]map[string]string{}
	header, value := regexp.MustCompile(`^ *(\S+): +Total`), regexp.MustCompile(`^ +(\d+) \(.*%\): +(.+)$`)
	key := ""
	for line := range strings.Lines(out) {
		if m := header.FindStringSubmatch(line); m != nil {
			key = m[1]
			got[key] = map[string]string{}
		} else if m := value.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			got[key][m[2]] = m[1]
		}
	}
	want := map[string]map[string]string{
		"http.route":        {"/users/:id": "3", "/über": "2"},
		"retries":           {"0": "3", "2": "2"},
		"label.thread_name": {"mine": "4"},
		"wait":              {"1.50s": "4"},
		"thread_name":       {"node": "9", "libuv-worker": "1"},
		"thread_id":         {"70": "9", "71": "1"},
		"pid":               {"70": "10"},
		"vm_state":          {"js": "10"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, out)
	}
}

// TestNamesSurviveGoToolPprof: pprof demangles and trims what it takes for C++.
func TestNamesSurviveGoToolPprof(t *testing.T) {
	out := goToolPprof(t, labelledSnapshot(), "-top", "-lines", "-showcolumns")
	for _, want := range []string{
		"File: node\n",
		"_Z1fv<T> /srv/app.js:12:3\n",
		"(anonymous) /srv/app.js:40:9\n",
		"node::Start(int)\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestTagfocusAndShow(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"route":     {[]string{"-tagfocus=http.route=/users"}, "Showing nodes accounting for 3, 30.00% of 10 total"},
		"thread":    {[]string{"-tagfocus=thread_id=71"}, "Showing nodes accounting for 1, 10.00% of 10 total"},
		"tagroot":   {[]string{"-tagroot=http.route", "-tagfocus=http.route=ber"}, "/über"},
		"only code": {[]string{`-show=^\[v8\]$`}, "Showing nodes accounting for 10, 100% of 10 total"},
	} {
		t.Run(name, func(t *testing.T) {
			if out := goToolPprof(t, labelledSnapshot(), append(tt.args, "-top")...); !strings.Contains(out, tt.want) {
				t.Errorf("no %q in\n%s", tt.want, out)
			}
		})
	}
}

func TestEmptySnapshotInGoToolPprof(t *testing.T) {
	b := pprofxtest.NewBuilder(0, 1)
	b.Lose(pprofx.LostMalformed, 2)
	if out := goToolPprof(t, b.Cut(1), "-comments"); out != "lost: 2 malformed record\n" {
		t.Errorf("got %q", out)
	}
}
