package symbolize

import (
	"math"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// threads are those of a process that have run JavaScript.
type threads struct {
	since map[thread]int64 // the times of the first samples that have shown it
}

// thread is a thread in an isolate.
type thread struct {
	isolate uint64
	tid     uint32
}

// maxThreads bounds the threads that are kept of one process.
const maxThreads = 1 << 10

func newThreads() threads { return threads{since: map[thread]int64{}} }

// first returns the time of the first sample of a sample's thread that has frames in V8's code; never: of none.
func (ts *threads) first(s *sampler.Sample) int64 {
	t := thread{s.Isolate, s.Tid}
	at, known := ts.since[t]
	switch {
	case known:
		return at
	case !slices.ContainsFunc(s.Frames, inV8):
		return never
	case len(ts.since) >= maxThreads:
		clear(ts.since)
	}
	ts.since[t] = int64(s.Time)
	return ts.since[t]
}

const never = math.MinInt64

func inV8(f bpf.Frame) bool { return f.Kind == bpf.FrameJS || f.Kind == bpf.FrameTyped }
