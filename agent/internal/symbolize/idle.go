package symbolize

import (
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
)

// pauses are the system calls in which threads wait for something to do: event loops for events, those of a pool for
// work. Threads with work may wait in them, too. The numbers are those of x86-64.
var pauses = []uint32{epollWait, epollPwait, epollPwait2, futex}

const (
	futex       = 202
	epollWait   = 232
	epollPwait  = 281
	epollPwait2 = 441
)

// inFault reports whether a sample is of a wait in a page fault.
func inFault(s *sampler.Sample) bool { return s.Weight != 0 && s.Call == bpf.PageFault }

// IsIdle reports whether a sample is a wait of a thread that had nothing to do: by its whole stack no JavaScript called
// what waits, no collection, and no job of libuv's pool.
func IsIdle(s *sampler.Sample, named *pprofx.Sample) bool {
	if s.Weight == 0 || s.InJob != 0 || !slices.Contains(pauses, s.Call) || named.State == pprofx.StateGC ||
		named.Stop != pprofx.StopRoot {
		return false
	}
	return !slices.ContainsFunc(named.Stack, func(f *pprofx.Frame) bool { return f.Kind == pprofx.JS })
}
