// Package large makes recordings of a million samples, and measures what reading them takes.
package large

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hotspan/hotspan/pprofx"
)

const (
	start     = 1_795_177_646_475_589_000
	period    = 10_101_010 // nanoseconds
	snapshots = 100
)

// Recording says how large a recording is.
type Recording struct{ Samples, Stacks, Requests int }

// Million is a recording of a service with many different stacks. go tool pprof takes minutes for more requests: it
// counts each label of each function.
var Million = Recording{Samples: 1_000_000, Stacks: 200_000, Requests: 1_000}

// Each calls do with the snapshots one after the other. Each stack is a path through callees, of which a function has a
// few, as deep as stacks of Node are, below one of some handlers.
func (l Recording) Each(do func(*pprofx.Snapshot) error) error {
	r := rand.New(rand.NewPCG(3, 4))
	stacks, requests := l.stacks(r), l.requests(r)
	builder, err := pprofx.NewBuilder(start, period)
	if err != nil {
		return err
	}
	builder.SetProcess(42, pprofx.Process{Service: "shop"})
	each := l.Samples / snapshots
	for i := range l.Samples {
		at := start + int64(i)*period/8
		builder.Add(&pprofx.Sample{
			Time: at, PID: 42, TID: 42 + r.IntN(12), Thread: "thread",
			State: pprofx.State(1 + r.IntN(2)*r.IntN(2)),
			Stop:  pprofx.StopRoot, Stack: stacks[i%len(stacks)], Labels: requests[i/20%len(requests)],
		})
		if i%each == each-1 {
			if err := do(builder.Cut(at + 1)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l Recording) stacks(r *rand.Rand) (stacks [][]*pprofx.Frame) {
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
	for len(stacks) < l.Stacks {
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
	return stacks
}

func (l Recording) requests(r *rand.Rand) (requests [][]pprofx.Label) {
	for i := range l.Requests {
		requests = append(requests, []pprofx.Label{
			{Key: "http.route", Str: fmt.Sprintf("/route/%d", i%25)},
			{Key: "span_id", Str: fmt.Sprintf("%016x", r.Uint64())},
			{Key: "trace_id", Str: fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64())},
		})
	}
	return requests
}
