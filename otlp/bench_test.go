package otlp

import (
	"bytes"
	"context"
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
		for _, m := range messages(s, Agent{}, processes(s, ""), defaultMaxMessage) {
			if _, err := proto.Marshal(m); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// nowhere is a transport that takes everything.
type nowhere struct{}

func (nowhere) send(context.Context, []byte) (answer, error) { return answer{}, nil }
func (nowhere) renew()                                       {}
func (nowhere) Close() error                                 { return nil }

// BenchmarkDeliver is what delivering a stored message costs, but for compression and network: as it is, and decoded.
func BenchmarkDeliver(b *testing.B) {
	message, err := proto.Marshal(Profiles(busySnapshot(), agent))
	if err != nil {
		b.Fatal(err)
	}
	config := Config{Agent: agent}
	config.setDefaults()
	e := &Exporter{config: config, transport: nowhere{}}
	b.Run("as it is", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := e.WriteMessage(b.Context(), message); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decoded", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s, err := Decode(message)
			if err == nil {
				err = e.Write(b.Context(), s)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCompress is what it costs to compress a message, and how many bytes a sample has then.
func BenchmarkCompress(b *testing.B) {
	s := busySnapshot()
	message, err := proto.Marshal(Profiles(s, agent))
	if err != nil {
		b.Fatal(err)
	}
	for name, by := range compressors {
		b.Run(string(name), func(b *testing.B) {
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				if err := by.Do(&out, message); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(out.Len())/float64(len(s.Rows)), "B/sample")
		})
	}
}
