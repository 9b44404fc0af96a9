package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// contextRun is what contexts.js says of a run.
type contextRun struct {
	CPU, Longest float64 // nanoseconds
	Samples      int
}

// contexts measures what the contexts of the npm package cost, and profiles that the application takes of itself.
func (b *bench) contexts(ctx context.Context) ([]table, error) {
	agent, socket, err := b.startAgent(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { agent.Process.Signal(os.Interrupt); agent.Wait() }()
	clock, err := b.buildClock(ctx)
	if err != nil {
		return nil, err
	}
	run := func(way string, units int) (r contextRun, err error) {
		progress("%d requests: %s", units, way)
		cmd := exec.CommandContext(ctx, b.node, "test/bench/contexts.js", way, strconv.Itoa(units), clock, socket)
		cmd.Env = append(os.Environ(), "NODE_PATH="+b.app+":nodeaddon/test/node_modules")
		out, err := cmd.Output()
		if err != nil {
			return r, fmt.Errorf("contexts.js: %w", withStderr(err))
		}
		return r, json.Unmarshal(out, &r)
	}
	cost, err := b.contextCost(run)
	if err != nil {
		return nil, err
	}
	turns, err := b.longestTurns(run)
	return []table{cost, turns}, err
}

func withStderr(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return err
}

// contextWays are the ways of contexts.js, by the names that tables have.
var contextWays = []struct{ way, name string }{
	{"none", "none"}, {"none", "none"}, {"contexts", "contexts of hotspan, no profile"},
	{"hotspan", "contexts and profile of hotspan"}, {"datadog", "contexts and profile of @datadog/pprof"},
}

// inTurn runs the ways from the first on, each in every round, and returns the runs of each. Each round begins with
// another way.
func inTurn(first, rounds, units int, run func(string, int) (contextRun, error)) ([][]contextRun, error) {
	ways := contextWays[first:]
	all := make([][]contextRun, len(ways))
	for i := range rounds {
		for j := range ways {
			at := (i + j) % len(ways)
			r, err := run(ways[at].way, units)
			if err != nil {
				return nil, err
			}
			all[at] = append(all[at], r)
		}
	}
	return all, nil
}

func (b *bench) contextCost(run func(string, int) (contextRun, error)) (table, error) {
	runs, err := inTurn(0, b.plan.rounds, b.plan.requests, run)
	if err != nil {
		return table{}, err
	}
	var all []*variant
	for i, w := range contextWays {
		v := &variant{name: w.name}
		for _, r := range runs[i] {
			v.cost = append(v.cost, r.CPU)
		}
		all = append(all, v)
	}
	t, err := costTable(all, 1000)
	t.title = "What an application pays for contexts, and for a profile of itself at 1,000 Hz"
	return t, err
}

func (b *bench) longestTurns(run func(string, int) (contextRun, error)) (table, error) {
	const first = 2 // contexts without a profile
	runs, err := inTurn(first, b.plan.turnRounds, b.plan.turns, run)
	if err != nil {
		return table{}, err
	}
	t := table{
		title:   "The longest turn of an event loop that is busy all the time, with a snapshot each second at 1,000 Hz",
		columns: []string{"", "CPU time of the main thread, ms", "above no profile, ms", "samples in a snapshot"},
		note: fmt.Sprintf(`Medians and ranges of %d rounds of %d turns of some 0.4 ms. All of the main thread between
			two turns counts, collections too, by a clock of the thread that moves by nanoseconds.`, b.plan.turnRounds,
			b.plan.turns),
	}
	var control float64
	for i, of := range runs {
		var longest, samples []float64
		for _, r := range of {
			longest, samples = append(longest, r.Longest/1e6), append(samples, float64(r.Samples))
		}
		turn := spreadOf(longest)
		if i == 0 {
			control = turn.median
		}
		t.rows = append(t.rows, []string{contextWays[first+i].name, turn.String(),
			fmt.Sprintf("%.2f", turn.median-control), spreadOf(samples).String()})
	}
	return t, nil
}

// startAgent starts an agent that profiles those who ask.
func (b *bench) startAgent(ctx context.Context) (agent *exec.Cmd, socket string, err error) {
	socket = filepath.Join(b.dir, "agent.sock")
	agent = exec.CommandContext(ctx, b.profilers[0].binary, "agent", "--store", filepath.Join(b.dir, "store"),
		"--socket", socket, "--cpu-percent", "0", "--name", "no process has this name")
	agent.Stderr = new(lockedBuffer)
	if err := agent.Start(); err != nil {
		return nil, "", err
	}
	for range 100 {
		if _, err := os.Stat(socket); err == nil {
			return agent, socket, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	agent.Process.Kill()
	return nil, "", fmt.Errorf("the agent is not ready: %v", agent.Stderr)
}

// buildClock builds cpuclock.c.
func (b *bench) buildClock(ctx context.Context) (string, error) {
	clock := filepath.Join(b.dir, "cpuclock.node")
	headers := filepath.Join(filepath.Dir(filepath.Dir(b.node)), "include", "node")
	out, err := exec.CommandContext(ctx, "gcc", "-shared", "-fPIC", "-O1", "-I"+headers, "-o", clock,
		"test/bench/testdata/cpuclock.c").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("cpuclock.c: %w: %s", err, out)
	}
	return clock, nil
}
