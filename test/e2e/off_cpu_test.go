package e2e

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/hotspan/hotspan/test/truth/judge"
)

// waited is how long requests have waited and have been on a CPU, in milliseconds.
type waited struct{ Least, Most, OnCPU float64 }

// waitsOf says which function of waits.js waits in requests of an endpoint.
var waitsOf = map[string]string{
	"thread": "waitForThread", "worker": "waitForThread", "child": "waitForChild", "pipe": "waitForPipe",
	"page": "waitForPage",
}

// waitsEnv returns the environment of waits.js: the add-ons that it needs.
func waitsEnv(t *testing.T, node string) []string {
	t.Helper()
	return []string{"PAGES=" + addon(t, node, "slow_pages.c"), "CLOCK=" + addon(t, node, "task_clock.c")}
}

// TestOffCPU: the program waits in known functions for known requests, as long as the kernel says. Elsewhere in them it
// may wait for a lock of V8's. Few may lack their request, or the name of a function whose code was gone, which hotspan
// must have counted, or shows. Where the kernel wakes a thread on a virtual CPU that another machine has, it leaves out
// of its wait for the CPU what passes until it has that one back. (kernel/sched/core.c, rq_clock_skip_update)
func TestOffCPU(t *testing.T) {
	eachNode(t, func(t *testing.T, node string) {
		var want map[string]waited
		before := stolen(t)
		samples, said := recordGo(t, &want, node, "waits.js", waitsEnv(t, node), "--off-cpu", "--min-wait", "10us")
		others := stolen(t) - before
		got, unlabelled, n, gone := map[string]float64{}, map[string]float64{}, 0, 0
		begun := map[int]bool{} // by thread: it has had requests that count
		for _, s := range samples {
			if begun[s.TID] = begun[s.TID] || waitsOf[endpoint(&s)] != ""; begun[s.TID] && endpoint(&s) == "warm" {
				t.Errorf("a request of before: %v", &s)
			}
			switch of := waitsIn(t, &s); {
			case isGone(&s):
				gone++
				unlabelled[waitsOf[endpoint(&s)]] += float64(s.Weight) / 1e6
			case of != "" && len(s.Labels) == 0:
				n++
				unlabelled[of] += float64(s.Weight) / 1e6
			case of != "":
				got[endpoint(&s)] += float64(s.Weight) / 1e6
			}
		}
		if counted := unlabelledOf(said); n > counted || n > len(samples)/10 || gone > len(samples)/50 {
			t.Errorf("of %d waits %d have no request, hotspan counts %d; %d lack a function", len(samples), n, counted,
				gone)
		}
		for endpoint, of := range waitsOf {
			w, ms := want[endpoint], got[endpoint]
			t.Logf("%s: waited %.1f to %.1f ms, samples %.1f ms; others had the CPUs for %.0f ms", endpoint, w.Least,
				w.Most, ms, others)
			if w.Least < 100 || ms < 0.98*w.Least-unlabelled[of]-others || ms > 1.02*w.Most {
				t.Errorf("%s: samples differ, %.1f ms without a request", endpoint, unlabelled[of])
			}
		}
		checkWaitSum(t, said, samples)
	})
}

// isGone reports whether the code of a function was gone before it was read.
func isGone(s *judge.Sample) bool {
	gone := []string{"[code gone]", "[stale function]"}
	return slices.ContainsFunc(s.Stack, func(f judge.Frame) bool { return slices.Contains(gone, f.F) })
}

// waitsIn returns which of the functions of waitsOf a sample waits in, if any. With labels of a request, it must be in
// a request, and in no function that waits in others.
func waitsIn(t *testing.T, s *judge.Sample) (in string) {
	t.Helper()
	of := endpoint(s)
	if s.Stop != "root" {
		t.Errorf("%s: a stack of %d frames ends with %s", of, len(s.Stack), s.Stop)
	}
	functions := map[string]bool{}
	for _, f := range s.JS() {
		functions[f.F] = true
	}
	for _, f := range waitsOf {
		if functions[f] {
			in = f
		}
	}
	fault := len(s.Stack) > 0 && s.Stack[0].F == "[page fault]" // of a few ms anywhere, where memory is short
	switch {
	case of == "" || of == "warm" || isGone(s):
	case !functions["handle"]:
		t.Errorf("%s: %d ns outside of a request: %v", of, s.Weight, s.Stack)
	case in != "" && in != waitsOf[of]:
		t.Errorf("%s: %d ns in %s", of, s.Weight, in)
	case in == "waitForPage" && s.Weight > 1e6 && !fault, in != "" && in != "waitForPage" && s.Weight > 10e6 && fault:
		t.Errorf("%s: %d ns: %v", of, s.Weight, s.Stack)
	}
	return in
}

var (
	sumOfWaits = regexp.MustCompile(
		`(?m)^(\d+) waits in .* = (\d+) written \+ (\d+) idle \+ (\d+) lost(?: \(process exited (\d+)\))?`)
	timeOfWaits = regexp.MustCompile(`= ([\d.]+) s of samples`)
)

// checkWaitSum compares the closing lines with the file: no wait is lost but those that the end of the process ends,
// and each has its time.
func checkWaitSum(t *testing.T, said string, samples []judge.Sample) {
	t.Helper()
	sum, took := sumOfWaits.FindStringSubmatch(said), timeOfWaits.FindStringSubmatch(said)
	if sum == nil || took == nil {
		t.Fatal("the closing lines lack the sums")
	}
	if sum[2] != strconv.Itoa(len(samples)) || sum[4] != cmp.Or(sum[5], "0") || sum[3] == "0" {
		t.Errorf("%d samples: %s", len(samples), sum[0])
	}
	seconds := 0.0
	for _, s := range samples {
		seconds += float64(s.Weight) / 1e9
	}
	if took[1] != strconv.FormatFloat(seconds, 'f', 3, 64) {
		t.Errorf("samples of %.3f s, the closing line has %s", seconds, took[1])
	}
}

// TestWall: with --wall requests that wait have that time, as the kernel says, and one that computes has the time that
// it was not waiting for a CPU. That is sampled, and may be off by four standard deviations, and by what is lost. While
// other virtual machines have the CPUs nothing is sampled, and the kernel takes that time for the thread's own.
func TestWall(t *testing.T) {
	var want map[string]waited
	env := append(waitsEnv(t, node24(t)), "ROUNDS=30")
	before := stolen(t)
	samples, said := recordGo(t, &want, node24(t), "waits.js", env, "--wall", "-F", "999", "--min-wait", "10us")
	others := stolen(t) - before
	got := map[any]map[string]float64{"on": {}, "off": {}}
	without := 0.0
	for _, s := range samples {
		got[s.Labels["hotspan.cpu"]][endpoint(&s)] += float64(s.Weight) / 1e6
		if s.Labels["hotspan.cpu"] == "off" && waitsIn(t, &s) != "" && endpoint(&s) == "" {
			without += float64(s.Weight) / 1e6
		}
	}
	for of := range waitsOf {
		w, off := want[of], got["off"][of]
		t.Logf("%s: waited %.1f to %.1f ms, samples %.1f ms, without a request %.1f", of, w.Least, w.Most, off, without)
		if w.Least < 500 || off < 0.98*w.Least-without-others || off > 1.02*w.Most {
			t.Errorf("%s: samples differ", of)
		}
	}
	computed, on := want["compute"].OnCPU, got["on"]["compute"]
	t.Logf("computed %.1f ms, samples %.1f ms; others had the CPUs for %.0f ms", computed, on, others)
	off, most := got["off"]["compute"], max(1.02*want["compute"].Most, 0.02*computed) // for collections
	if computed < 300 || math.Abs(on-computed) > 4*math.Sqrt(computed)+0.03*computed+others || off > most {
		t.Errorf("samples differ; waits of %.1f ms", off)
	}
	if !regexp.MustCompile(`(?m)^\d+ samples and waits in .*\nthreads were on a CPU for [\d.]+ s of samples\n`).
		MatchString(said) {
		t.Error("the closing lines lack the time on a CPU")
	}
}
