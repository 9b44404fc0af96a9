package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/test/built"
	"github.com/hotspan/hotspan/test/nodes"
)

// hotspan record sends to a Collector what it writes to its file, sample for sample, of a real service with requests.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cpu.pb.gz")
	hotspan, err := built.Hotspan(dir, "../..")
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, "profiles")
	record := exec.Command(hotspan, "record", "-p", strconv.Itoa(requests(t)), "-F", "199", "-d", "3s", "-o", file,
		"--otlp", c.endpoint)
	out, err := record.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	pprof, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer pprof.Close()
	want := countPprof(t, pprof)
	if len(want) < 100 || !strings.Contains(strings.Join(keys(want), " "), "trace_id=") {
		t.Errorf("%d different samples, want at least 100, some of them with a trace id", len(want))
	}
	if diff := cmp.Diff(want, fromOTLP(c.stop(t))); diff != "" {
		t.Errorf("(-pprof +otlp) %s", diff)
	}
}

func keys(counts map[string]int64) []string {
	var out []string
	for k := range counts {
		out = append(out, k)
	}
	return out
}

// requests runs the program that serves requests, and returns its pid when it does.
func requests(t *testing.T) int {
	t.Helper()
	return startRequests(t, filepath.Join(t.TempDir(), "truth")).Process.Pid
}

// startRequests runs the program that serves requests, which writes what it did to a file at its end.
func startRequests(t *testing.T, to string, env ...string) *exec.Cmd {
	t.Helper()
	node, err := nodes.Path("24.21.0")
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(node, "../programs/requests.js", to)
	program.Env = append(os.Environ(), env...)
	stderr, err := program.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Process.Kill(); program.Wait() })
	if line, err := bufio.NewReader(stderr).ReadString('\n'); !strings.HasPrefix(line, "ready ") {
		t.Fatalf("requests.js: %q, %v", line, err)
	}
	return program
}
