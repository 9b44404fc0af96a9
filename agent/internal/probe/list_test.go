package probe

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// TestList compares the functions of libuv with what nm says of them, and finds each that is listed.
func TestList(t *testing.T) {
	node := live.Binary(t, "24.21.0")
	file := live.Addon(t, node, "../../../test/e2e/testdata/probed.c")
	process := exec.Command(node, "-e", "require(process.argv[1]); console.log('ready'); process.stdin.resume()", file)
	in, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); process.Wait() }()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	list := func(pattern string) (names []string) {
		all, err := List(process.Process.Pid, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range all {
			names = append(names, l.Probe)
			s, err := Parse(l.Probe)
			if err != nil {
				t.Fatal(err)
			}
			place, err := Find(process.Process.Pid, s)
			if err != nil {
				t.Error(err)
				continue
			}
			place.File.Close()
		}
		return names
	}
	if diff := cmp.Diff(functionsOf(t, node, "uv_loop_"), list("uv_loop_*")); diff != "" {
		t.Errorf("nm says, and hotspan: %s", diff)
	}
	if got := list("node::fs::Op*n"); !slices.Equal(got, []string{"uprobe::node::fs::Open"}) {
		t.Errorf("%v", got)
	}
	want := []string{"usdt:probed.node:hotspan_test:listened", "usdt:probed.node:hotspan_test:mark"}
	if got := list("hotspan_te*"); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := list("no such function"); len(got) > 0 {
		t.Errorf("%v", got)
	}
	if _, err := List(-1, "x"); err == nil {
		t.Error("no error for a process that cannot be")
	}
}

// functionsOf returns uprobes on the functions of a file whose names begin so, as nm says.
func functionsOf(t *testing.T, file, prefix string) (probes []string) {
	t.Helper()
	text, err := exec.Command("nm", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && strings.EqualFold(fields[1], "t") && strings.HasPrefix(fields[2], prefix) {
			probes = append(probes, "uprobe::"+fields[2])
		}
	}
	if len(probes) < 5 {
		t.Fatalf("nm lists %v", probes)
	}
	slices.Sort(probes)
	return probes
}

// TestListTracepoints: the kernel's tracepoints are listed by their names, but not those that are refused.
func TestListTracepoints(t *testing.T) {
	for pattern, want := range map[string][]string{
		"sched_process_fork": {"tp:sched_process_fork"}, "sched_process_f*k": {"tp:sched_process_fork"},
		"reschedule_e": nil,
	} {
		all, err := List(os.Getpid(), pattern)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, l := range all {
			names = append(names, l.Probe)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: %v", pattern, names)
		}
	}
}
