package page

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/pprofx"
)

const (
	manySamples = 1_000_000
	manyStacks  = 100_000
)

// large is a recording of a service with many different stacks: each is a path through callees, of which a function has
// a few, as deep as stacks of Node are, below one of some handlers.
func large(b *testing.B) []*pprofx.Snapshot {
	b.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var functions []*pprofx.Frame
	for i := range 6000 {
		functions = append(functions, &pprofx.Frame{
			Function: fmt.Sprintf("function%d", i),
			File:     fmt.Sprintf("/srv/app/node_modules/p%d/lib/f%d.js", i%90, i%700),
			Line:     1 + r.IntN(900), Column: 1 + r.IntN(80), Kind: pprofx.Kind(max(0, r.IntN(10)-5)),
			Tier: pprofx.Tier(r.IntN(5)),
		})
	}
	known := map[string]bool{}
	var stacks [][]*pprofx.Frame
	for len(stacks) < manyStacks {
		at := r.IntN(40)
		var path []*pprofx.Frame
		var key []byte
		for range 15 + r.IntN(30) {
			path = append(path, functions[at])
			key = binary.LittleEndian.AppendUint32(key, uint32(at))
			at = (at*7 + 11 + r.IntN(3)*r.IntN(3)*r.IntN(2)*131) % len(functions)
		}
		if !known[string(key)] {
			known[string(key)] = true
			slices.Reverse(path)
			stacks = append(stacks, path)
		}
	}
	builder, err := pprofx.NewBuilder(start, period)
	if err != nil {
		b.Fatal(err)
	}
	builder.SetProcess(42, pprofx.Process{Service: "shop"})
	var requests [][]pprofx.Label
	for i := range 50_000 {
		requests = append(requests, []pprofx.Label{
			{Key: "http.route", Str: fmt.Sprintf("/route/%d", i%25)},
			{Key: "span_id", Str: fmt.Sprintf("%016x", r.Uint64())},
			{Key: "trace_id", Str: fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64())},
		})
	}
	var list []*pprofx.Snapshot
	for i := range int64(manySamples) {
		at := i * period / 8
		builder.Add(&pprofx.Sample{
			Time: start + at, PID: 42, TID: 42 + r.IntN(12), Thread: "thread",
			State: pprofx.State(1 + r.IntN(2)*r.IntN(2)),
			Stop:  pprofx.StopRoot, Stack: stacks[int(i)%manyStacks], Labels: requests[int(i/20)%len(requests)],
		})
		if i%100_000 == 99_999 {
			list = append(list, builder.Cut(start+at+1))
		}
	}
	return list
}

// BenchmarkPage prints how long a browser takes to open a million samples of 100,000 stacks, and to show a selection of
// them, in milliseconds and as medians.
func BenchmarkPage(b *testing.B) {
	file := write(b, large(b))
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	var took map[string][]float64
	for b.Loop() {
		run(b, &took, "large.mjs", file)
	}
	for name, times := range took {
		slices.Sort(times)
		b.ReportMetric(times[len(times)/2], name+"-ms")
	}
	b.ReportMetric(float64(info.Size())/(1<<20), "MiB")
	b.ReportMetric(0, "ns/op")
}
