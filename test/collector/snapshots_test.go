package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/hotspan/hotspan/pprofx"
)

const (
	begin  = int64(1_760_000_000_000_000_000)
	second = int64(1_000_000_000)
)

// recording returns snapshots of one second each, in sequence, of two processes.
func recording(snapshots, samplesEach int) []*pprofx.Snapshot {
	r := rand.New(rand.NewPCG(1, 2))
	b, err := pprofx.NewBuilder(begin, second/99)
	if err != nil {
		panic(err)
	}
	b.SetProcess(10, pprofx.Process{Executable: "/usr/bin/node", Service: "shop", Container: "c0ffee"})
	b.SetProcess(11, pprofx.Process{Executable: "/opt/app/worker"})
	frames := frames()
	var all []*pprofx.Snapshot
	for i := range int64(snapshots) {
		for range samplesEach {
			b.Add(sample(r, begin+i*second+r.Int64N(second), frames))
		}
		b.Lose(pprofx.LostRingFull, i+1)
		all = append(all, b.Cut(begin+(i+1)*second))
	}
	return all
}

func sample(r *rand.Rand, at int64, frames [][]*pprofx.Frame) *pprofx.Sample {
	s := &pprofx.Sample{Time: at, PID: 10 + r.IntN(2), TID: 20 + r.IntN(3), CPU: r.IntN(4), Stop: pprofx.StopRoot,
		Thread: []string{"node", "V8Worker", ""}[r.IntN(3)], State: pprofx.State(r.IntN(6))}
	for range 1 + r.IntN(40) {
		s.Stack = append(s.Stack, frames[r.IntN(len(frames))]...)
	}
	for _, l := range []pprofx.Label{
		{Key: "http.route", Str: fmt.Sprintf("/users/:id/%d", r.IntN(5))},
		{Key: "retries", Num: int64(r.IntN(3))},
		{Key: "sent", Num: int64(r.IntN(3)), Unit: "By"},
		{Key: "span_id", Str: fmt.Sprintf("%016x", 1+r.IntN(4))},
		{Key: "tenant", Str: []string{"acme", "日本 <&\"\n"}[r.IntN(2)]},
		{Key: "trace_id", Str: fmt.Sprintf("%032x", 1+r.IntN(4))},
	} {
		if r.IntN(5) > 0 {
			s.Labels = append(s.Labels, l)
		}
	}
	return s
}

// frames returns physical frames, some with functions inlined into them, of every kind.
func frames() [][]*pprofx.Frame {
	var all [][]*pprofx.Frame
	for i := range 20 {
		js := pprofx.Frame{Function: fmt.Sprintf("f%d", i), File: fmt.Sprintf("file:///app/%d.js", i%4), Line: i,
			Column: i % 3, Tier: pprofx.Tier(1 + i%4)}
		inlined := js
		inlined.Function, inlined.Inlined, inlined.Line = "inlined"+js.Function, true, i+100
		all = append(all, []*pprofx.Frame{&js}, []*pprofx.Frame{&inlined, &js})
	}
	for i := range uint64(6) {
		for _, f := range machineFrames(i) {
			all = append(all, []*pprofx.Frame{&f})
		}
	}
	return all
}

func machineFrames(i uint64) []pprofx.Frame {
	return []pprofx.Frame{
		{Function: "ArrayMap", Kind: pprofx.Builtin, Module: "/usr/bin/node", BuildID: "abcd", Address: i << 20},
		{Function: "std::vector<int>::push_back", Kind: pprofx.Native, Module: "/usr/lib/libc.so", BuildID: "ef01",
			Address: i},
		{Function: "tcp_sendmsg", Kind: pprofx.Kernel, Module: "[kernel]", Address: 1<<63 + i},
		{Function: "[regexp]", Kind: pprofx.Regexp},
		{Function: fmt.Sprintf("[wasm %d]", i), Kind: pprofx.Wasm},
		{Function: "[jit]", Kind: pprofx.JIT},
		{Function: fmt.Sprintf("[%d frames]", i), Kind: pprofx.Marker},
	}
}
