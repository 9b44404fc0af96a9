package pprofx

import (
	"fmt"
	"math/rand/v2"
)

// generator makes random samples from few distinct values, hostile ones among them, so that they often agree.
type generator struct {
	r      *rand.Rand
	frames []*Frame
}

func newGenerator(r *rand.Rand) *generator {
	g := &generator{r: r}
	for range 25 {
		g.frames = append(g.frames, g.frame())
	}
	return g
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func (g *generator) frame() *Frame {
	r := g.r
	f := &Frame{
		Function: pick(r, "main", "a;b 3", "get [Symbol.iterator]", "(anonymous)", "[unknown]", "_Z3foov",
			"T<x>::y(int)"),
		Kind:    Kind(r.IntN(len(kindNames))),
		Inlined: r.IntN(3) == 0,
	}
	switch f.Kind {
	case JS:
		f.File = pick(r, "", "/srv/app.js", "node:internal/x", "data:text/javascript;base64,YQ==\n")
		f.Line, f.Column, f.Tier = r.IntN(3), r.IntN(3), Tier(r.IntN(len(tierNames)))
	case Native:
		f.Module, f.BuildID = pick(r, "", "/usr/bin/node", "/lib/libc.so.6"), pick(r, "", "ab12")
		f.Address = r.Uint64N(4)
	case Kernel:
		f.Module, f.Address = "[kernel]", 1<<63+r.Uint64N(2)
	}
	return f
}

func (g *generator) sample(at int64) *Sample {
	r := g.r
	s := &Sample{
		Time: at, PID: r.IntN(3), TID: r.IntN(3), CPU: r.IntN(4), State: State(r.IntN(len(stateNames))),
		Thread: pick(r, "", "node", "V8 Worker 1", "caf\xc3"), Stop: pick(r, StopRoot, StopDepth),
		Start: pick[int64](r, 0, 0, 1_763_845_234_567_000_001),
		Stack: make([]*Frame, 0, 4),
	}
	for range r.IntN(5) {
		f := pick(r, g.frames...)
		if r.IntN(4) == 0 {
			same := *f // equal, at another address
			f = &same
		}
		s.Stack = append(s.Stack, f)
	}
	for _, key := range []string{"http.route", "pid", "tenant"} {
		switch r.IntN(4) {
		case 0:
			s.Labels = append(s.Labels, Label{Key: key, Str: fmt.Sprint("v", r.IntN(3))})
		case 1:
			s.Labels = append(s.Labels, Label{Key: key, Num: r.Int64N(3) - 1, Unit: pick(r, "", "bytes")})
		}
	}
	return s
}

// snapshot returns one snapshot of n random samples and the samples themselves, by time.
func (g *generator) snapshot(n int) (*Snapshot, []*Sample) {
	b := newTestBuilder(1_700_000_000_000_000_000, 10_101_010)
	b.SetProcess(1, Process{Executable: "/usr/bin/node"})
	var samples []*Sample
	for i := range int64(n) {
		s := g.sample(b.start + i)
		samples = append(samples, s)
		b.Add(s)
	}
	b.Lose(LostMalformed, g.r.Int64N(3))
	return b.Cut(b.start + int64(n)), samples
}

// newTestBuilder is NewBuilder for a period that it accepts.
func newTestBuilder(start, period int64) *Builder {
	b, err := NewBuilder(start, period)
	if err != nil {
		panic(err)
	}
	return b
}
