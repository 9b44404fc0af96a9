package agent

import (
	"errors"
	"time"

	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/agent/internal/uvloop"
	"github.com/hotspan/hotspan/pprofx"
)

// sample symbolizes and labels one sample of the BPF program and adds it to the snapshot.
func (a *Agent) sample(s *sampler.Sample) {
	t := a.targets[int(s.Pid)]
	if t == nil {
		a.builder.Lose(pprofx.LostExited, s.Hits(), s.Hit())
		a.sampler.Lost(s, pprofx.LostExited)
		return
	}
	out := &t.sample
	out.Time = a.clock.Unix(s.Time)
	out.PID, out.TID, out.CPU, out.Others = int(s.Pid), int(s.Tid), int(s.Cpu), int(s.Others)
	out.Thread, t.sampled = t.threads.Of(s), true
	a.watch(t)
	out.State, out.Stop = symbolize.State(s.VmState), symbolize.StopReason(s.Stop)
	labels, context := t.labels.Decode(s)
	if context.Helper && out.State != pprofx.StateGC { // with which V8's helpers help
		out.State = pprofx.StateOther
	}
	a.readV8(t, s)
	named := t.symbolizer.Stack(s, out)
	a.sampler.Took(named.Work)
	out.Labels, out.Start, out.Turn = labels, t.labels.RequestStart(), uvloop.Turn(s.Turn, out.Stack, t.config.Id)
	if s.Turn == 0 && s.Isolate != 0 && !context.Helper {
		a.findLoop(t, s, out.Stack)
	}
	if t.labels.Changed() {
		a.builder.SetProcess(t.PID, t.described())
	}
	a.logFirstSample(t, named)
	if out.Weight = a.sampler.Weight(s); symbolize.IsIdle(s, out) {
		a.stats.Idle, a.stats.IdleWaits = a.stats.Idle+time.Duration(out.Weight), a.stats.IdleWaits+1
		return
	}
	a.stats.count(out, named, context)
	if t.off != 0 {
		a.stats.Unverified++
	}
	if !a.sampler.Counts(s, out, &t.loops) {
		a.stats.NoHit++
		return
	}
	out.Labels = a.sampler.Labels(s, labels)
	if a.builder.Add(out, s.Hit()) {
		a.sampler.Kept(s)
	} else {
		a.sampler.Lost(s, a.builder.Refused(out.Time, s.Hit()))
	}
}

// logFirstSample logs how long it took to the first named sample of a process.
func (a *Agent) logFirstSample(t *target, named symbolize.Result) {
	if !t.logged && named.JS && !named.Unnamed {
		t.logged = true
		a.first.Named(t.PID, t.opened, t.ready)
	}
}

// drain handles the records that are in the ring buffer now, but none that arrive meanwhile.
func (a *Agent) drain() { a.drainUntil(sampler.Now()) }

// drainAll handles all samples up to a time that has passed. It waits for records that are being written.
func (a *Agent) drainAll(to int64) {
	for beyond := false; !beyond && !a.sampler.Empty(); {
		beyond = a.drainUntil(to)
	}
}

// drainUntil handles records until there is none, or until the oldest that is left is a sample taken after to. Then it
// returns true.
func (a *Agent) drainUntil(to int64) (beyond bool) {
	for {
		a.sampler.LookAhead(a.answer)
		r, err := a.sampler.Read()
		if errors.Is(err, sampler.ErrEmpty) {
			return false
		}
		a.handle(r, err)
		if a.sampler.Beyond(to) {
			return true
		}
	}
}

// answer answers the requests in a sample before anything else is done for it and those before it: naming may take
// long, and until a request is answered, samples with that hidden class lack labels.
func (a *Agent) answer(s *sampler.Sample) {
	if t := a.targets[int(s.Pid)]; t != nil && len(s.Context) > 0 {
		t.learner.Answer(s)
	}
}

func (a *Agent) handle(r sampler.Record, err error) {
	switch {
	case err != nil && r.Lifecycle != nil: // it was not taken, so it is not lost
		a.malformed++
	case err != nil:
		a.builder.Lose(pprofx.LostMalformed, r.Sample.Hits(), r.Sample.Hit())
	case r.Sample != nil:
		a.sample(r.Sample)
	default:
		a.lifecycle(*r.Lifecycle)
	}
}
