package symbolize

import (
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
)

// TestMayUnload: mappings are read for the first sample after the end of a thread, not for one before it, and again if
// they have not come after a while. Without worker threads no end of a thread unloads anything.
func TestMayUnload(t *testing.T) {
	const mapped, ended = 1 * unloadEvery, 2 * unloadEvery
	type sample struct {
		at, ended int64
		want      bool
	}
	for name, c := range map[string]struct {
		tid     uint32 // of a thread of process 1 that has run JavaScript
		samples []sample
	}{
		"worker":         {2, []sample{{ended, ended, false}, {ended + 1, ended, true}, {ended + 2, ended, false}}},
		"not read":       {2, []sample{{ended + 1, ended, true}, {ended + 1 + unloadEvery, ended, true}}},
		"two ended":      {2, []sample{{ended + 1, ended, true}, {3*ended + 1, 3 * ended, true}}},
		"first thread":   {1, []sample{{ended + 1, ended, false}}},
		"read since":     {2, []sample{{ended + 1, mapped, false}}},
		"none has ended": {2, []sample{{ended + 1, 0, false}}},
		"read just now":  {2, []sample{{2*mapped - 1, mapped + 1, false}, {2 * mapped, mapped + 1, true}}},
	} {
		ts := newThreads()
		js := []bpf.Frame{{Kind: bpf.FrameJS}}
		ts.first(&sampler.Sample{Sample: &bpf.Sample{Pid: 1, Tid: c.tid, Time: 1}, Frames: js})
		for i, s := range c.samples {
			taken := &sampler.Sample{Sample: &bpf.Sample{Pid: 1, Tid: c.tid, Time: uint64(s.at)}}
			if got := ts.mayUnload(taken, s.ended, mapped); got != s.want {
				t.Errorf("%s: sample %d: %v", name, i, got)
			}
		}
	}
}
