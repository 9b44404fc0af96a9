package symbolize

import (
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// threads are those of a process that have run JavaScript.
type threads map[thread]bool

// thread is a thread in an isolate.
type thread struct {
	isolate uint64
	tid     uint32
}

// maxThreads bounds the threads that are kept of one process.
const maxThreads = 1 << 10

// isFirst reports whether a sample is the first one of a thread that has frames in V8's code.
func (ts threads) isFirst(s *sampler.Sample) bool {
	t := thread{s.Isolate, s.Tid}
	if ts[t] || !slices.ContainsFunc(s.Frames, inV8) {
		return false
	}
	if len(ts) >= maxThreads {
		clear(ts)
	}
	ts[t] = true
	return true
}

func inV8(f bpf.Frame) bool { return f.Kind == bpf.FrameJS || f.Kind == bpf.FrameTyped }
