package pprofxtest

import (
	"fmt"
	"math/rand/v2"

	"github.com/hotspan/hotspan/pprofx"
)

// Generator makes random samples from few distinct values, hostile ones among them, so that they often agree.
type Generator struct {
	r      *rand.Rand
	frames []*pprofx.Frame
}

// NewGenerator returns a Generator of a source of random numbers.
func NewGenerator(r *rand.Rand) *Generator {
	g := &Generator{r: r}
	for range 25 {
		g.frames = append(g.frames, g.frame())
	}
	return g
}

// Pick returns any of some values.
func Pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func (g *Generator) frame() *pprofx.Frame {
	r := g.r
	f := &pprofx.Frame{
		Function: Pick(r, "main", "a;b 3", "get [Symbol.iterator]", "(anonymous)", "[unknown]", "_Z3foov",
			"T<x>::y(int)"),
		Kind:    pprofx.Kind(r.IntN(int(pprofx.Marker) + 1)),
		Inlined: r.IntN(3) == 0,
	}
	switch f.Kind {
	case pprofx.JS:
		f.File = Pick(r, "", "/srv/app.js", "node:internal/x", "data:text/javascript;base64,YQ==\n")
		f.Line, f.Column, f.Tier = r.IntN(3), r.IntN(3), pprofx.Tier(r.IntN(int(pprofx.TurboFan)+1))
	case pprofx.Native:
		f.Module, f.BuildID = Pick(r, "", "/usr/bin/node", "/lib/libc.so.6"), Pick(r, "", "ab12")
		f.Address = r.Uint64N(4)
	case pprofx.Kernel:
		f.Module, f.Address = "[kernel]", 1<<63+r.Uint64N(2)
	}
	return f
}

// Sample returns a sample of a time.
func (g *Generator) Sample(at int64) *pprofx.Sample {
	r := g.r
	s := &pprofx.Sample{
		Time: at, PID: r.IntN(3), TID: r.IntN(3), CPU: r.IntN(4),
		State:  pprofx.State(r.IntN(int(pprofx.StateIdle) + 1)),
		Thread: Pick(r, "", "node", "V8 Worker 1", "caf\xc3"), Stop: Pick(r, pprofx.StopRoot, pprofx.StopDepth),
		Start: Pick[int64](r, 0, 0, 1_763_845_234_567_000_001),
		Stack: make([]*pprofx.Frame, 0, 4),
	}
	for range r.IntN(5) {
		f := Pick(r, g.frames...)
		if r.IntN(4) == 0 {
			same := *f // equal, at another address
			f = &same
		}
		s.Stack = append(s.Stack, f)
	}
	for _, key := range []string{"http.route", "pid", "tenant"} {
		switch r.IntN(4) {
		case 0:
			s.Labels = append(s.Labels, pprofx.Label{Key: key, Str: fmt.Sprint("v", r.IntN(3))})
		case 1:
			s.Labels = append(s.Labels, pprofx.Label{Key: key, Num: r.Int64N(3) - 1, Unit: Pick(r, "", "bytes")})
		}
	}
	return s
}

// Snapshot returns one snapshot of n random samples and the samples themselves, by time.
func (g *Generator) Snapshot(n int) (*pprofx.Snapshot, []*pprofx.Sample) {
	const start = 1_700_000_000_000_000_000
	b := NewBuilder(start, 10_101_010)
	b.SetProcess(1, pprofx.Process{Executable: "/usr/bin/node"})
	var samples []*pprofx.Sample
	for i := range int64(n) {
		s := g.Sample(start + i)
		samples = append(samples, s)
		b.Add(s)
	}
	b.Lose(pprofx.LostMalformed, g.r.Int64N(3))
	return b.Cut(start + int64(n)), samples
}

// NewBuilder is pprofx.NewBuilder for a period that it accepts.
func NewBuilder(start, period int64) *pprofx.Builder {
	b, err := pprofx.NewBuilder(start, period)
	if err != nil {
		panic(err)
	}
	return b
}
