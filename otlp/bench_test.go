package otlp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotspan/hotspan/pprofx"
)

// busySnapshot is what one busy CPU gives in 10 s at 99 Hz: 990 rows of 300 stacks of 32 frames, a span for each third.
func busySnapshot() *pprofx.Snapshot {
	r := rand.New(rand.NewPCG(1, 1))
	b, err := pprofx.NewBuilder(start, 10_101_010)
	if err != nil {
		panic(err)
	}
	var frames []*pprofx.Frame
	for i := range 1000 {
		frames = append(frames, &pprofx.Frame{Function: fmt.Sprint("function", i), File: fmt.Sprint("/srv/app/", i/20),
			Line: 1 + i, Column: 7, Kind: pprofx.JS, Tier: pprofx.TurboFan})
	}
	var stacks [][]*pprofx.Frame
	for range 300 {
		var stack []*pprofx.Frame
		for range 32 {
			stack = append(stack, frames[r.IntN(len(frames))])
		}
		stacks = append(stacks, stack)
	}
	var labels []pprofx.Label
	for i := range int64(990) {
		if i%3 == 0 {
			labels = []pprofx.Label{{Key: "http.route", Str: "/api/users/:id"},
				{Key: "span_id", Str: fmt.Sprintf("%016x", r.Uint64())},
				{Key: "trace_id", Str: fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64())}}
		}
		b.Add(&pprofx.Sample{Time: start + i*10_101_010, PID: 7, TID: 7, Thread: "node", Stop: pprofx.StopRoot,
			State: pprofx.StateJS, Stack: stacks[r.IntN(len(stacks))], Labels: labels})
	}
	return b.Cut(end)
}

func BenchmarkMessages(b *testing.B) {
	s := busySnapshot()
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range messages(s, Agent{}, processes(s), defaultMaxMessage) {
			if _, err := proto.Marshal(m); err != nil {
				b.Fatal(err)
			}
		}
	}
}
