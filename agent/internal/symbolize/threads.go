package symbolize

import (
	"math"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// threads are those of a process that have run JavaScript, with the time of the first sample that has shown it.
type threads map[thread]int64

// thread is a thread in an isolate.
type thread struct {
	isolate uint64
	tid     uint32
}

// maxThreads bounds the threads that are kept of one process.
const maxThreads = 1 << 10

// first returns the time of the first sample of a sample's thread that has frames in V8's code; never: of none.
func (ts threads) first(s *sampler.Sample) int64 {
	t := thread{s.Isolate, s.Tid}
	at, known := ts[t]
	switch {
	case known:
		return at
	case !slices.ContainsFunc(s.Frames, inV8):
		return never
	case len(ts) >= maxThreads:
		clear(ts)
	}
	ts[t] = int64(s.Time)
	return ts[t]
}

const never = math.MinInt64

func inV8(f bpf.Frame) bool { return f.Kind == bpf.FrameJS || f.Kind == bpf.FrameTyped }
