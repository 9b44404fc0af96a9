package agent

import (
	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/uvloop"
	"github.com/hotspan/hotspan/pprofx"
)

// findLoop has the event loop found that a thread runs, once a sample shows that it runs one: its turns are in the
// samples from then on.
func (a *Agent) findLoop(t *target, s *sampler.Sample, stack []*pprofx.Frame) {
	key := bpf.EnvironmentKey{Process: t.config.Id, Tid: s.Tid, Isolate: s.Isolate}
	back, last := t.loops.Search(key, stack, s.Frames)
	if back == 0 {
		return
	}
	pid, sp := t.PID, s.Sp
	a.async.Run(pid, func() func() {
		turns, err := uvloop.Find(pid, int(key.Tid), sp, back)
		if err == nil {
			err = a.sampler.SetLoop(key, turns)
		}
		if err != nil {
			log := a.log.Debug
			if last && a.sampler.OfStalls() {
				log = a.log.Warn
			}
			log("the turns of an event loop are not known: it has no stalls", "thread", key.Tid, "why", err)
		}
		return func() {}
	})
}
