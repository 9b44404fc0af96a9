package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
)

const period = 1_000_000_000 / 99

// service makes a recording of a service at 99 Hz, in snapshots of 10 s. Its 20 functions have shares of a core that
// halve every three, and belong to four routes; calls last for so many ticks on the average. heavier multiplies what
// the first one takes.
func service(t *testing.T, r *rand.Rand, seconds int, call, heavier float64) *Side {
	t.Helper()
	b, err := pprofx.NewBuilder(0, period)
	if err != nil {
		t.Fatal(err)
	}
	share := make([]float64, 20)
	for i, now := 0, 0.16; i < len(share); i++ {
		share[i] = now
		now *= 0.79
	}
	share[0] *= heavier
	side := NewSide("tenant", nil)
	running := -1
	for tick := range seconds * 99 {
		if running < 0 || r.Float64() < 1/call {
			running = pick(r, share)
		}
		if running >= 0 {
			f := &pprofx.Frame{Function: fmt.Sprint("f", running), File: "a.js", Line: 1}
			labels := []pprofx.Label{{Key: "http.route", Str: fmt.Sprint("/", running%4)}}
			b.Add(&pprofx.Sample{Time: int64(tick) * period, Thread: "node", Stack: []*pprofx.Frame{f}, Labels: labels})
		}
		if (tick+1)%990 == 0 {
			side.Add(b.Cut(int64(tick+1) * period))
		}
	}
	side.Add(b.Cut(int64(seconds) * 1e9))
	return side
}

// pick returns the index of a share, or −1 for what is left of 1.
func pick(r *rand.Rand, share []float64) int {
	x := r.Float64()
	for i, s := range share {
		if x -= s; x < 0 {
			return i
		}
	}
	return -1
}

func changes(c *Comparison) (out []string) {
	if c.Whole != nil && c.Whole.Certain {
		out = append(out, "all")
	}
	for _, table := range [][]Change{c.Classes, c.Routes, c.By, c.Functions} {
		for _, row := range Certain(table) {
			out = append(out, row.Name)
		}
	}
	return out
}

// Of two recordings of the same service nothing is shown, in 19 of 20 trials at least.
func TestCompareSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, unit := range []Unit{PerSecond, PerCPU} {
		for _, call := range []float64{1, 8, 60} {
			wrong, trials := 0, 40
			for range trials {
				c := Compare(service(t, r, 20, call, 1), service(t, r, 30, call, 1), unit, 0, 0)
				if len(changes(c)) > 0 {
					wrong++
				}
			}
			if wrong > 3 {
				t.Errorf("per %s, calls of %v ticks: %d of %d", unit, call, wrong, trials)
			}
		}
	}
}

// A large function that takes a fifth more is shown, and little else.
func TestCompareHeavier(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	found, held, others, failed := 0, 0, 0, 0
	const trials = 20
	for range trials {
		c := Compare(service(t, r, 180, 1, 1), service(t, r, 180, 1, 1.2), PerSecond, 0, 0)
		for _, row := range Certain(c.Functions) {
			if row.Name != "f0" {
				others++
				continue
			}
			found++
			if row.Low <= 1.2 && row.High != nil && *row.High >= 1.2 && row.AtLeast < row.Low {
				held++
			}
		}
		failed += len(Dearer(c.Functions, 0.3))
	}
	if found < trials-1 || held < trials-4 || others > 1 || failed > 0 {
		t.Errorf("of %d: found in %d, intervals right in %d, %d others; %d dearer by 30 %%", trials, found, held,
			others, failed)
	}
}

// steady is a recording with a sample of a function in each period, and of a second one every so often.
func steady(t *testing.T, seconds, rate int, often int) *Side {
	t.Helper()
	period := int64(1e9) / int64(rate)
	b, err := pprofx.NewBuilder(0, period)
	if err != nil {
		t.Fatal(err)
	}
	side, f := NewSide("", nil), &pprofx.Frame{Function: "f", Module: "node", Kind: pprofx.Native}
	for at := range int64(seconds * rate) {
		b.Add(&pprofx.Sample{Time: at * period, Stack: []*pprofx.Frame{f}})
		if often > 0 && at%int64(often) == 0 {
			b.Add(&pprofx.Sample{Time: at * period})
		}
	}
	b.Lose(pprofx.LostExited, 2)
	side.Add(b.Cut(int64(seconds) * 1e9))
	return side
}

// Slices become longer with the recording, so that there are never many, and keep what they have.
func TestSlices(t *testing.T) {
	const seconds, perSecond = 5000, 2
	b, err := pprofx.NewBuilder(0, 1e9/perSecond)
	if err != nil {
		t.Fatal(err)
	}
	side := NewSide("", nil)
	for second := range int64(seconds) {
		for i := range int64(perSecond) {
			b.Add(&pprofx.Sample{Time: second*1e9 + i*1e9/perSecond})
		}
		if (second+1)%10 == 0 {
			side.Add(b.Cut((second + 1) * 1e9))
		}
	}
	length, points := side.seconds(), side.functions[placeOf(noStack)].points
	if len(length) != seconds/2 || length[0] != 2 || len(points) != len(length) {
		t.Fatalf("%d slices of %v s, %d with samples", len(length), length[0], len(points))
	}
	for i, p := range points {
		if int(p.Slice) != i || p.Amount != 2e9 {
			t.Fatalf("slice %d: %+v", i, p)
		}
	}
}

// Functions are the same where their folder has another name.
func TestMoved(t *testing.T) {
	side := NewSide("", map[string]string{"/srv/1": "/srv/2", "/srv/1/lib/": "/lib/", "/opt/": "/usr"})
	for file, want := range map[string]string{
		"/srv/1/a.js":        "/srv/2/a.js",
		"file:///srv/1/a.js": "file:///srv/2/a.js",
		"/srv/1/lib/a.js":    "/lib/a.js",
		"/srv/10/a.js":       "/srv/10/a.js",
		"/x/srv/1/a.js":      "/x/srv/1/a.js",
		"/opt/node":          "/usr/node",
		"node:fs":            "node:fs",
		"":                   "",
	} {
		if got := movedFile(file, side.moved); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	b, err := pprofx.NewBuilder(0, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	b.Add(&pprofx.Sample{Time: 5, Stack: []*pprofx.Frame{{Function: "f", File: "/srv/1/a.js"}}})
	side.Add(b.Cut(1e9))
	if c := Compare(side, side, PerCPU, 0, 0); c.Functions[0].File != "/srv/2/a.js" || c.Functions[0].New != 1 {
		t.Errorf("%+v", c.Functions)
	}
}

// Rates do not depend on how often was sampled, for how long, or how long slices are.
func TestCompareRates(t *testing.T) {
	for name, test := range map[string]struct {
		before, after *Side
		unit          Unit
		old, new      float64 // of f
		share         float64 // of [no stack] in the new one
		certain       int
	}{
		"rate":     {steady(t, 20, 100, 0), steady(t, 20, 1000, 0), PerSecond, 1, 1, 0, 0},
		"length":   {steady(t, 20, 100, 0), steady(t, 2000, 100, 0), PerSecond, 1, 1, 0, 0},
		"new":      {steady(t, 20, 100, 0), steady(t, 20, 100, 5), PerSecond, 1, 1, 0.2, 2},
		"shares":   {steady(t, 20, 100, 0), steady(t, 20, 100, 1), PerCPU, 1, 0.5, 0.5, 2},
		"requests": {steady(t, 20, 100, 0), steady(t, 20, 100, 0), PerRequest, 0.2, 0.1, 0, 2},
	} {
		c := Compare(test.before, test.after, test.unit, 100, 200)
		var f, none Change
		for _, row := range c.Functions {
			switch row.Name {
			case "f":
				f = row
			case "[no stack]":
				none = row
			}
		}
		if math.Abs(f.Old-test.old) > 1e-9 || math.Abs(f.New-test.new) > 1e-9 || f.File != "node" ||
			math.Abs(none.New-test.share) > 1e-9 || none.Ratio != nil || c.New.Lost["process exited"] != 2 {
			t.Errorf("%s: %+v, %+v", name, f, none)
		}
		if certain := len(Certain(c.Functions)) + len(Certain(c.Routes)); certain != test.certain {
			t.Errorf("%s: %d rows are certain", name, certain)
		}
		if (c.Whole == nil) != (test.unit == PerCPU) || len(Dearer(c.Functions, 0)) > 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}
