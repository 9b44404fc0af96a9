package e2e

import (
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// compare judges samples by the truth, and logs examples of wrong ones. The truth must tell what ran
// at nearly all of them.
func compare(t *testing.T, samples []judge.Sample, l *truth.Log) judge.Functions {
	t.Helper()
	v := judge.CompareFunctions(samples, l)
	tell(t, v.Examples.List())
	isTold(t, v)
	return v
}

// isTold checks that few samples were excused from the comparison.
func isTold(t *testing.T, v judge.Functions) {
	t.Helper()
	t.Logf("samples that the clock does not tell: %v", v.AtEdge())
	if judge.TooVague(v.AtEdge()) {
		t.Errorf("samples that the clock does not tell: %v, want at most %v %%", v.AtEdge(), 100*judge.MostEdge)
	}
}

// functionModes are the modes of functions.js.
var functionModes = map[string]functionMode{
	"plain": {3500 * time.Millisecond, 4000, 99},
	"alloc": {4500 * time.Millisecond, 5500, 99}, // a third of it is not compared
	"kinds": {4500 * time.Millisecond, 4000, 99},
	// Half of it is collections. Most code lives for milliseconds: what of it is read in time depends on the machine.
	"churn": {12 * time.Second, 6500, 95},
}

type functionMode struct {
	length time.Duration
	enough int     // samples with JavaScript
	there  float64 // percent of functions and lines that are there, at least
}

// TestFunctions: two hundred functions run in random order; each sample must name the one that ran, and its caller.
func TestFunctions(t *testing.T) {
	t.Parallel()
	for mode := range functionModes {
		t.Run(mode, func(t *testing.T) {
			eachNode(t, func(t *testing.T, node string) { checkFunctions(t, node, mode) })
		})
	}
}

// TestCoverage: with Node.js's coverage, blocks of TurboFan's code that allocate are not behind all that returns.
func TestCoverage(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		checkFunctions(t, node, "alloc", "NODE_V8_COVERAGE="+t.TempDir())
	})
}

func checkFunctions(t *testing.T, node, mode string, env ...string) {
	run := functionModes[mode]
	p := start(t, node, "functions.js", []string{"--expose-gc"}, append(env, "MODE="+mode))
	samples := recordEnoughJS(t, hotspan, p.PID, 1997, run.enough, run.length)
	v := compare(t, samples, p.truth(t))
	inTime(t, v.Right, "leaf function right", run.there, 3000)
	atLeast(t, v.LeafLine, "leaf line inside the function", run.there, 3000)
	inTime(t, v.Callers, "caller right", run.there, 3000)
	atLeast(t, v.Line, "caller's line right", run.there, 3000)
	atLeast(t, v.Column, "caller's column right", run.there, 3000)
	if v.Wrong > 0 || v.WrongLines > 0 {
		t.Errorf("%d functions and %d lines wrong, want none", v.Wrong, v.WrongLines)
	}
	reach(t, samples, p.PID, run.there)
	atLeast(t, judge.Share{Part: len(samples) - v.Edge, Whole: len(samples)},
		"samples that the clock tells", 99.5, 3000)
}

// reach checks that stacks of a main thread are whole, and have so many percent of their names.
func reach(t *testing.T, samples []judge.Sample, pid int, named float64) {
	t.Helper()
	v := judge.CompareReach(samples, pid)
	tell(t, v.EndsList())
	atLeast(t, v.Root, "to the thread's first frame", 99, 1000)
	inTime(t, v.Named, "all JavaScript named", named, 1000)
}
