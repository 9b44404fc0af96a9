package e2e

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
	"github.com/hotspan/hotspan/test/truth/judge"
	"github.com/hotspan/hotspan/test/truth/trial"
)

// TestEveryNode is a short test of each version that eachNode leaves out. The two hundred functions, half of them with
// a debugger's breakpoints, and the chain of calls in each tier run at the same time.
func TestEveryNode(t *testing.T) {
	t.Parallel()
	list := slices.DeleteFunc(nodes.Versions(), func(v nodes.Version) bool {
		return !*all && slices.Contains(nodes.Thorough(), v)
	})
	runNodes(t, list, func(t *testing.T, v nodes.Version, node string) {
		functions := launch(t, node, "functions.js", []string{"--expose-gc"}, []string{"INSPECT=1"})
		programs, names := []program{functions}, []string{"functions"}
		for _, tier := range trial.Tiers {
			if flags, ok := tier.Flags(v); ok {
				programs = append(programs, launch(t, node, "tiers.js", flags, []string{"TIER=" + tier.Name}))
				names = append(names, tier.Name)
			}
		}
		for _, p := range programs {
			p.await(t)
		}
		samples := recordAll(t, programs, 997, 3*time.Second)
		for i, p := range programs {
			t.Run(names[i], func(t *testing.T) { shortLook(t, p, names[i], samples[p.PID]) })
		}
	})
}

// enough is how many samples of each program the short test needs: the programs share the CPUs.
const enough = 30

func shortLook(t *testing.T, p program, name string, samples []judge.Sample) {
	l := p.truth(t)
	v := compare(t, samples, l)
	// hotspan shares the CPUs too: V8 may discard code before it is named, and what its lines are read of
	atLeast(t, v.Right, "leaf function right", 95, enough)
	atLeast(t, v.LeafLine, "leaf line inside the function", 95, enough)
	atLeast(t, v.Line, "caller's line right", 95, enough)
	atLeast(t, v.Column, "caller's column right", 95, enough)
	lines := v.LeafLine.Whole + v.Line.Whole
	atLeast(t, judge.Share{Part: lines - v.WrongLines, Whole: lines}, "lines not wrong", 99.5, enough)
	if name == "functions" {
		if v.Wrong > 0 || v.WrongLines > 0 {
			t.Errorf("%d functions and %d lines wrong, want none", v.Wrong, v.WrongLines)
		}
		atLeast(t, v.Callers, "caller right", 95, enough)
		return
	}
	// The chain is called again and again within an interval: the clock cannot tell what a caller does between two
	// calls from callees that are lost, which are bounded here and by inlinedKept.
	atLeast(t, judge.Share{Part: v.Right.Whole - v.Wrong, Whole: v.Right.Whole}, "functions not wrong", 99.5, enough)
	atLeast(t, v.Callers, "caller right", 100, enough)
	inlinedKept(t, samples, l, enough)
}

// recordAll samples several processes at once and returns the samples by process.
func recordAll(t *testing.T, all []program, rate int, d time.Duration) map[int][]judge.Sample {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.jsonl")
	args := []string{"record", "-F", strconv.Itoa(rate), "-d", d.String(), "-o", file}
	for _, p := range all {
		args = append(args, "-p", strconv.Itoa(p.PID))
	}
	r := run(t, args...)
	t.Logf("%s", r.Stderr)
	if r.Code != 0 {
		t.Fatalf("hotspan ended with %d", r.Code)
	}
	out := map[int][]judge.Sample{}
	for _, s := range readSamples(t, file) {
		out[s.PID] = append(out[s.PID], s)
	}
	return out
}
