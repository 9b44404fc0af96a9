package e2e

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/hotspan/hotspan/test/draw"
	"github.com/hotspan/hotspan/test/truth/judge"
)

// done is what requests of beside.js did: how often they called, and for how many milliseconds they had a CPU.
type done struct {
	Called int
	Used   float64
}

// computes says in which function requests of beside.js compute.
var computes = map[string]string{"search": "multiply", "basket": "rotate", "orders": "divide"}

// TestBeside: in one recording the hits of each request are its calls, and the samples of the timer its CPU time. Those
// that are lost, since a hit was sampled then, are a part of the time that the calls took.
func TestBeside(t *testing.T) {
	draw.Quarter(t, seldom)
	t.Parallel()
	eachNode(t, func(t *testing.T, node string) {
		const onReturn = "uretprobe::uv_os_getpriority"
		want := map[string]done{}
		before := stolen(t)
		samples, said := recordGo(t, &want, node, "beside.js", nil, "--probe", onFunction, "--probe", onReturn,
			"--probe-limit", "1000000", "-F", "999")
		var ticks, hits []judge.Sample
		for _, s := range samples {
			if s.Labels["hotspan.probe"] == nil {
				ticks = append(ticks, s)
			} else {
				hits = append(hits, s)
			}
		}
		lost := checkLost(t, samples, checkApart(t, said, len(ticks), len(hits)))
		called, unlabelled := map[string]int{}, unlabelledOf(said)
		for request, d := range want {
			called[request] = d.Called
		}
		for _, probe := range []string{onFunction, onReturn} {
			got := map[string]int{}
			for _, s := range hits {
				if s.Labels["hotspan.probe"] == probe {
					got[endpoint(&s)]++
				}
			}
			compareHits(t, probe, called, got, unlabelled)
		}
		compareTicks(t, want, ticks, lost, unlabelled, stolen(t)-before)
		checkCallers(t, hits, ticks)
	})
}

var sumsApart = regexp.MustCompile(`(?m)^(\d+) samples and hits of probes in .* = (\d+) written \+ (\d+) lost.*
by the timer: (\d+) samples = (\d+) \+ (\d+) lost
by probes: (\d+) hits = (\d+) \+ (\d+) lost$`)

// checkApart compares the sums in the closing lines with what is in the file, and returns how many samples of the timer
// were lost. No hit may be.
func checkApart(t *testing.T, said string, ticks, hits int) (lost int) {
	t.Helper()
	m := sumsApart.FindStringSubmatch(said)
	if m == nil {
		t.Fatal("the closing lines lack the sums")
	}
	var n []int
	for _, text := range m[1:] {
		i, _ := strconv.Atoi(text)
		n = append(n, i)
	}
	for _, sum := range [][3]int{
		{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, {n[6], n[7], n[8]}, {n[0], n[3], n[6]}, {n[1], n[4], n[7]},
	} {
		if sum[0] != sum[1]+sum[2] {
			t.Errorf("%d is not %d + %d", sum[0], sum[1], sum[2])
		}
	}
	if n[4] != ticks || n[7] != hits || n[8] != 0 {
		t.Errorf("%d samples and %d hits in the file: %s", ticks, hits, m[0])
	}
	return n[5]
}

// checkLost compares the losses of the snapshots in a file with those that hotspan says, which are all of the timer. It
// returns how many of them met a hit.
func checkLost(t *testing.T, samples []judge.Sample, said int) (met int) {
	t.Helper()
	lost := map[string]map[string]int{"": {}, "hits": {}} // by what a snapshot measures
	for _, s := range samples {
		var snapshot struct {
			Measure string
			Lost    map[string]int
		}
		if s.Snapshot == nil {
			continue
		}
		if err := json.Unmarshal(s.Snapshot, &snapshot); err != nil {
			t.Fatal(err)
		}
		for reason, n := range snapshot.Lost {
			if n > 0 {
				lost[snapshot.Measure][reason] += n
			}
		}
	}
	sum := 0
	for _, n := range lost[""] {
		sum += n
	}
	if sum != said || len(lost["hits"]) > 0 {
		t.Errorf("the snapshots have lost %v, hotspan says %d", lost, said)
	}
	return lost[""]["another hit"]
}

// compareTicks compares the samples of the timer in each request, of a millisecond each, with the CPU time that it had.
// They may be off by four standard deviations, by what a tick is late, by those without a request, and by the time in
// which other virtual machines had the CPU: no timer fires then.
func compareTicks(t *testing.T, want map[string]done, ticks []judge.Sample, lost, counted int, stolen float64) {
	t.Helper()
	got, unlabelled := map[string]float64{"busy": float64(lost)}, 0.0
	for _, s := range ticks {
		of := endpoint(&s)
		js := s.JS()
		in := func(function string) bool {
			return slices.ContainsFunc(js, func(f judge.Frame) bool { return f.F == function })
		}
		switch {
		case of == "" && (in("callOften") || in("timed")):
			unlabelled++
		case of == "" || of == "warm":
		case of == "busy" && in("callOften"), in(computes[of]):
			got[of] += 1000. / 999
		}
		for request, function := range computes {
			if of != "" && of != "warm" && of != request && in(function) {
				t.Errorf("%s in request %s", function, of)
			}
		}
	}
	if int(unlabelled) > counted {
		t.Errorf("%.0f samples lack their request, hotspan counts %d", unlabelled, counted)
	}
	for request, d := range want {
		t.Logf("%s: had a CPU for %.1f ms, samples %.1f ms; %d lost", request, d.Used, got[request], lost)
		if d.Used < 100 || math.Abs(got[request]-d.Used) > 4*math.Sqrt(d.Used)+0.03*d.Used+unlabelled+stolen {
			t.Errorf("%s: samples differ, %.0f have no request, %.0f ms were stolen", request, unlabelled, stolen)
		}
	}
	if lost < 10 {
		t.Error("few samples of the timer met one of a hit")
	}
}

// checkCallers compares who calls uv_os_getpriority in samples of the timer with who does where it is hit: its
// registers are others in the trap of a probe, and its return address is replaced.
func checkCallers(t *testing.T, hits, ticks []judge.Sample) {
	t.Helper()
	const function = "uv_os_getpriority"
	callers, met, broken := map[string]bool{}, 0, 0
	for _, s := range hits {
		if s.Stack[0].F == function {
			callers[s.Stack[1].F] = true
		}
	}
	for _, s := range ticks {
		if s.Stop != "root" {
			broken++
		}
		for i, f := range s.Stack {
			if f.F == function && i+1 < len(s.Stack) {
				met++
				if caller := s.Stack[i+1].F; !callers[caller] {
					t.Errorf("%s is called by %s in a sample of the timer, by %v in hits: %v", function, caller,
						callers, s.Stack[:i+2])
				}
			}
		}
	}
	t.Logf("%d samples of the timer in %s, called by %v; %d of %d stacks broken", met, function, callers, broken,
		len(ticks))
	if len(callers) != 1 || met < 1 || broken > len(ticks)/100 {
		t.Error("want one caller, a sample, and few broken stacks")
	}
}
