package e2e

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hotspan/hotspan/test/nodes"
)

// TestEveryNode has a short look at each version that eachNode leaves out: the two hundred functions, half of them with a
// debugger's breakpoints, and the chain of calls in each tier run at the same time.
func TestEveryNode(t *testing.T) {
	list := slices.DeleteFunc(nodes.Versions(), func(v nodes.Version) bool {
		return !*all && slices.Contains(nodes.Thorough(), v)
	})
	runNodes(t, list, func(t *testing.T, v nodes.Version, node string) {
		env, stop := stopFile(t)
		functions := launch(t, node, "functions.js", []string{"--expose-gc"}, []string{env, "INSPECT=1", "DURATION_MS=60000"})
		programs, names := []*program{functions}, []string{"functions"}
		for _, tier := range tiers {
			if flags, ok := tierFlags(v, tier.name, tier.flags); ok {
				programs = append(programs, launch(t, node, "tiers.js", flags, []string{env, "TIER=" + tier.name, "DURATION_MS=60000"}))
				names = append(names, tier.name)
			}
		}
		for _, p := range programs {
			p.await(t)
		}
		samples := recordAll(t, programs, 997, 3*time.Second)
		stop()
		for i, p := range programs {
			t.Run(names[i], func(t *testing.T) { shortLook(t, p, names[i], samples[p.pid]) })
		}
	})
}

// enough is how many samples of each program a short look needs: they share the CPUs.
const enough = 30

func shortLook(t *testing.T, p *program, name string, samples []sample) {
	l := p.truth(t)
	v := compare(t, samples, l)
	v.right.atLeast(t, "leaf function right", 95, enough) // hotspan shares the CPUs too: code may be gone before it is named
	v.leafLine.atLeast(t, "leaf line inside the function", 99.5, enough)
	v.callerLine.atLeast(t, "caller's line right", 100, enough)
	v.callerColumn.atLeast(t, "caller's column right", 99, enough)
	if name != "functions" { // here some samples of an interval are in the clock
		v.callers.atLeast(t, "caller right", 100, enough)
		inlinedKept(t, samples, l, name, enough)
		return
	}
	v.callers.atLeast(t, "caller right", 95, enough)
	if v.wrong > 0 {
		t.Errorf("%d wrong functions, want none", v.wrong)
	}
}

// recordAll samples several processes at once and returns the samples by process.
func recordAll(t *testing.T, all []*program, rate int, d time.Duration) map[int][]sample {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.jsonl")
	args := []string{"record", "-F", strconv.Itoa(rate), "-d", d.String(), "-o", file}
	for _, p := range all {
		args = append(args, "-p", strconv.Itoa(p.pid))
	}
	r := run(t, args...)
	t.Logf("%s", r.stderr)
	if r.code != 0 {
		t.Fatalf("hotspan ended with %d", r.code)
	}
	out := map[int][]sample{}
	for _, s := range readSamples(t, file) {
		out[s.PID] = append(out[s.PID], s)
	}
	return out
}
