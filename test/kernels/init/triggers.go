package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/hotspan/hotspan/test/kernels/outcome"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// triggers records what pauses.js waits for, and what it calls: with probes on a function and on its system call.
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
	const function, call = "uprobe::uv_os_getpriority", "syscall:getpriority"
	count := func(s *judge.Sample, in string) {
		o.Triggered++
		called := slices.ContainsFunc(s.JS(), func(f judge.Frame) bool { return f.F == in })
		if s.Stop == "root" && called {
			o.RightTriggered++
			return
		}
		o.Examples = append(o.Examples, fmt.Sprintf("%s, %v: %d ns in %v", in, s.Labels, s.Weight, s.Stack))
	}
	waits, err := recordOther(o, dir, p.PID, "--off-cpu", "--min-wait", "40ms")
	if err != nil {
		return err
	}
	for i := range waits {
		count(&waits[i], "waitHere") // for how long is nobody's promise where a machine is emulated
	}
	hits, err := recordOther(o, dir, p.PID, "--probe", function, "--probe", call)
	if err != nil {
		return err
	}
	seen := map[any]bool{}
	for i := range hits {
		seen[hits[i].Labels["hotspan.probe"]] = true
		count(&hits[i], "callHere")
	}
	if len(waits) == 0 || !seen[function] || !seen[call] {
		return fmt.Errorf("%d waits, hits of %v", len(waits), seen)
	}
	return nil
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
