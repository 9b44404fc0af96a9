package agent

import (
	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/uvloop"
	"github.com/hotspan/hotspan/pprofx"
	memory "github.com/hotspan/hotspan/v8/target"
)

const (
	// maxLoops bounds the threads of a process that are remembered.
	maxLoops = 256
	// maxLoopTries bounds how often the loop of a thread is searched for: where libuv does not count, none is found.
	maxLoopTries = 3
)

// findLoop has the event loop found that a thread runs, once a sample shows that it runs one: its turns are in the
// samples from then on.
func (a *Agent) findLoop(t *target, s *sampler.Sample, stack []*pprofx.Frame) {
	key := bpf.EnvironmentKey{Process: t.config.Id, Tid: s.Tid, Isolate: s.Isolate}
	if t.loopTries[key] >= maxLoopTries || uvloop.Runs(stack) != 1 {
		return
	}
	if t.loopTries == nil || len(t.loopTries) >= maxLoops {
		t.loopTries = map[bpf.EnvironmentKey]int{}
	}
	t.loopTries[key]++
	pid, sp := t.PID, s.Sp
	a.async.Run(func() func() {
		turns, err := uvloop.Find(memory.Live{PID: int(key.Tid)}, pid, sp)
		if err == nil {
			err = a.sampler.SetLoop(key, turns)
		}
		if err != nil {
			a.log.Debug("no turns of the event loop", "thread", key.Tid, "why", err)
		}
		return func() {}
	})
}
