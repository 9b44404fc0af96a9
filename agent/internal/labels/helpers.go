package labels

import (
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// owner says whose a sample is.
type owner int

const (
	ownThread    owner = iota // of the thread that runs the code of the isolate, or of one without an isolate
	helperThread              // of another thread: V8's own, which collects or compiles for that one
	unknownThread
)

// ownerOf tells a thread that runs JavaScript from V8's helper threads. These have entered the isolate for which they
// work, in V8 13.6 but not yet in 12.4 (SetCurrentIsolateScope in src/execution/isolate.h), and what is read there is
// the request that the isolate's own thread runs meanwhile, not theirs. A thread is known by its first sample with a
// frame of V8's code. Until then it may have the isolate in the memory of one whose thread has ended.
func (p *Process) ownerOf(s *sampler.Sample) owner {
	if s.Isolate == 0 || s.Work != 0 { // a thread of libuv's pool has what it works for
		return ownThread
	}
	tid, known := p.threads[s.Isolate]
	if known && tid == s.Tid {
		return ownThread
	}
	// after a gap the walk goes on at the isolate's own record, which may be another thread's
	if s.Resumed == 0 && slices.ContainsFunc(s.Frames, ofV8) {
		if len(p.threads) == maxIsolates {
			clear(p.threads)
		}
		p.threads[s.Isolate] = s.Tid
		delete(p.helpers, s.Tid)
		return ownThread
	}
	switch {
	case !known:
		return unknownThread
	case p.helpers[s.Tid]:
		return helperThread
	case p.ended(tid):
		delete(p.threads, s.Isolate)
		return unknownThread
	case len(p.helpers) == maxIsolates:
		clear(p.helpers)
	}
	p.helpers[s.Tid] = true
	return helperThread
}

func ofV8(f bpf.Frame) bool { return f.Kind == bpf.FrameJS || f.Kind == bpf.FrameTyped }
