package e2e

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// recordNative records native.c, a program without V8, to its end. It ends when there are so many samples of a
// function.
func recordNative(t *testing.T, n int, of string, args ...string) (all []judge.Sample) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "native")
	if said, err := exec.Command("gcc", "-O1", "-o", program, "testdata/native.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	command := exec.Command(program)
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	started, err := trial.Begin(command)
	p := owned(t, started, err)
	p.await(t)
	go func() {
		defer input.Close()
		for range 300 {
			time.Sleep(100 * time.Millisecond)
			if samples, err := readAll(dir); err == nil && count(samples, of) >= n {
				return
			}
		}
	}()
	r := run(t, append([]string{"record", "-d", "60s", "-p", strconv.Itoa(p.PID), "--snapshot-every", "500ms",
		"-o", filepath.Join(dir, "%n.jsonl")}, args...)...)
	if r.Code != 0 || !strings.Contains(r.Stderr, "there is no V8 that hotspan knows in the process") {
		t.Errorf("ended with %d:\n%s", r.Code, r.Stderr)
	}
	if all, err = readAll(dir); err != nil {
		t.Fatal(err)
	}
	return all
}

// readAll reads the files of JSON lines in a folder.
func readAll(dir string) (all []judge.Sample, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	for _, file := range files {
		samples, err := judge.ReadSamples(file)
		if err != nil {
			return nil, err
		}
		all = append(all, samples...)
	}
	return all, err
}

// count returns how many samples are in a function.
func count(samples []judge.Sample, function string) (n int) {
	for _, s := range samples {
		if calledBy(&s, function) {
			n++
		}
	}
	return n
}

// calledBy reports whether a stack is whole and begins with these functions, but for the kernel's.
func calledBy(s *judge.Sample, functions ...string) bool {
	stack := s.Stack
	for len(stack) > 0 && stack[0].Kind == "kernel" {
		stack = stack[1:]
	}
	for i, f := range functions {
		if s.Stop != "root" || len(stack) <= i || stack[i].F != f {
			return false
		}
	}
	return true
}

// TestWithoutV8: a process without V8 that is named has its native stacks.
func TestWithoutV8(t *testing.T) {
	t.Parallel()
	right, all := 0, recordNative(t, 300, "burn", "-F", "499")
	for _, s := range all {
		if calledBy(&s, "burn", "outer", "main") {
			right++
		}
	}
	if t.Logf("%d of %d samples are right", right, len(all)); right < 300 || float64(right) < 0.99*float64(len(all)) {
		t.Errorf("%d of %d samples have the stack burn, outer, main", right, len(all))
	}
}

// TestProbeWithoutV8: each call is a hit, with its callers.
func TestProbeWithoutV8(t *testing.T) {
	t.Parallel()
	hits := 0
	for _, s := range recordNative(t, 1, "warm", "--probe", "uprobe::counted", "--probe", "uprobe::warm") {
		switch probe := s.Labels["hotspan.probe"]; {
		case probe == "uprobe::counted" && calledBy(&s, "counted", "main"):
			hits++
		case probe != "uprobe::warm" || !calledBy(&s, "warm", "main"):
			t.Errorf("%v: stack %v", probe, s.Stack)
		}
	}
	if hits != 123 {
		t.Errorf("%d hits, want 123", hits)
	}
}
