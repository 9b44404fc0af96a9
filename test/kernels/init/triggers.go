package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hotspan/hotspan/test/kernels/outcome"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// What pauses.js calls: a function of libuv, the system call that it makes, of which the value is what it returns, and
// the tracepoint of that, where the kernel has what it takes.
const (
	function   = "uprobe::uv_os_getpriority"
	call       = "syscall:getpriority,value=ret"
	tracepoint = "tp:sys_enter,if=arg1==140"
)

// triggers records what pauses.js waits for, and what it calls.
func triggers(o *outcome.Outcome) error {
	dir, err := os.MkdirTemp("", "run-")
	if err != nil {
		return err
	}
	p, err := trial.Start(dir, node, programs+"pauses.js", nil, []string{"DURATION_MS=1200000"})
	if err != nil {
		return err
	}
	defer p.Kill()
	waits, err := recordOther(o, dir, p.PID, "--off-cpu", "--min-wait", "40ms")
	if err != nil {
		return err
	}
	for i := range waits {
		judgeHit(o, &waits[i], "waitHere") // for how long is nobody's promise where a machine is emulated
	}
	probes, err := possible(o, dir, p.PID)
	if err != nil {
		return err
	}
	var flags []string
	for _, probe := range probes {
		flags = append(flags, "--probe", probe)
	}
	hits, err := recordOther(o, dir, p.PID, flags...)
	if err != nil {
		return err
	}
	seen := map[any]bool{}
	for i := range hits {
		probe := hits[i].Labels["hotspan.probe"]
		seen[probe] = true
		judgeHit(o, &hits[i], "callHere")
		if returns := int64(20); probe == call && hits[i].Weight != returns { // for a nice value of 0: getpriority(2)
			return fmt.Errorf("%s: value %d, want %d", call, hits[i].Weight, returns)
		}
	}
	if len(waits) == 0 || len(seen) != len(probes) {
		return fmt.Errorf("%d waits, hits of %v", len(waits), seen)
	}
	return nil
}

// judgeHit counts a wait or a hit, which is right if its stack is whole and has the function.
func judgeHit(o *outcome.Outcome, s *judge.Sample, in string) {
	o.Triggered++
	called := slices.ContainsFunc(s.JS(), func(f judge.Frame) bool { return f.F == in })
	if s.Stop == "root" && called {
		o.RightTriggered++
		return
	}
	o.Examples = append(o.Examples, fmt.Sprintf("%s, %v: %d ns in %v", in, s.Labels, s.Weight, s.Stack))
}

// possible returns the probes that there are on this kernel. Where it has no cookies for tracepoints, hotspan says so.
func possible(o *outcome.Outcome, dir string, pid int) ([]string, error) {
	var major, minor int
	if _, err := fmt.Sscanf(o.Release, "%d.%d", &major, &minor); err != nil {
		return nil, fmt.Errorf("kernel %q: %w", o.Release, err)
	}
	if major > 6 || major == 6 && minor >= 10 {
		return []string{function, call, tracepoint}, nil
	}
	_, err := recordOther(o, dir, pid, "--probe", tracepoint)
	if err == nil || !strings.Contains(err.Error(), "tp needs Linux 6.10") {
		return nil, fmt.Errorf("%s: %w", tracepoint, err)
	}
	return []string{function, call}, nil
}

// recordOther records something else than CPU time.
func recordOther(o *outcome.Outcome, dir string, pid int, by ...string) ([]judge.Sample, error) {
	file := filepath.Join(dir, "out.jsonl")
	args := append([]string{"record", "-p", strconv.Itoa(pid), "-d", (length / 2).String(), "-o", file}, by...)
	said, err := trial.Run(hotspan, args...)
	o.Said = said.Stderr
	if err != nil || said.Code != 0 {
		return nil, fmt.Errorf("hotspan ended with %d, %v: %s", said.Code, err, said.Stderr)
	}
	return judge.ReadSamples(file)
}
