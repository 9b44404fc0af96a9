package agent

import (
	"errors"
	"os"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/symbolize"
	"github.com/hotspan/hotspan/pprofx"
)

// sample symbolizes and labels one sample of the BPF program and adds it to the snapshot.
func (a *Agent) sample(s *sampler.Sample) {
	t := a.targets[int(s.Pid)]
	if t == nil {
		a.builder.Lose(pprofx.LostExited, 1)
		return
	}
	out := &t.sample
	out.Time = a.clock.unix(s.Time)
	out.PID, out.TID, out.CPU = int(s.Pid), int(s.Tid), int(s.Cpu)
	out.Thread = t.threadName(s)
	out.State = symbolize.State(s.VmState)
	out.Stop = stopReasons[min(int(s.Stop), len(stopReasons)-1)]
	labels, context := t.labels.Decode(s)
	stack, named := t.symbolizer.Stack(s)
	out.Labels, out.Stack = labels, stack
	if t.labels.Changed() {
		a.builder.SetProcess(t.PID, t.labels.Described())
	}
	a.logFirstSample(t, named)
	a.stats.count(out, named, context)
	a.builder.Add(out)
}

// slowStart is the delay of the first named sample of a process from which on it is logged.
const slowStart = 300 * time.Millisecond

// logFirstSample logs the delay of the first named sample of a process if it was long.
func (a *Agent) logFirstSample(t *target, named symbolize.Result) {
	if t.logged || !named.JS || named.Unnamed {
		return
	}
	t.logged = true
	reading, waiting := time.Duration(t.ready-t.opened), time.Duration(monotonic()-t.ready)
	if reading+waiting < slowStart {
		return
	}
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
	a.log.Info("first named sample", "pid", t.PID, "after", round(reading+waiting), "reading its files", round(reading),
		"waiting for a sample", round(waiting))
}

// stopReasons maps the BPF program's stop codes to those of pprofx.
var stopReasons = [...]pprofx.StopReason{
	bpf.StopRoot:       pprofx.StopRoot,
	bpf.StopDepth:      pprofx.StopDepth,
	bpf.StopUnreadable: pprofx.StopUnreadable,
	bpf.StopNoRule:     pprofx.StopNoRule,
	bpf.StopNoProgress: pprofx.StopNoProgress,
	bpf.StopBadPC:      pprofx.StopBadPC,
	bpf.StopBadPC + 1:  pprofx.StopUnknown,
}

// readUntil handles records until a deadline.
func (a *Agent) readUntil(deadline time.Time) {
	for time.Now().Before(deadline) {
		r, err := a.sampler.Read(deadline)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			a.handle(r, err)
			a.drain()
		}
		a.async.drainResults()
	}
}

// drain handles the records that are in the ring buffer now, but none that arrive meanwhile.
func (a *Agent) drain() {
	now := monotonic()
	for {
		r, err := a.sampler.Read(time.Unix(1, 0))
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		a.handle(r, err)
		if r.Sample != nil && int64(r.Sample.Time) > now {
			return
		}
	}
}

func (a *Agent) handle(r sampler.Record, err error) {
	switch {
	case err != nil:
		a.builder.Lose(pprofx.LostMalformed, 1)
	case r.Sample != nil:
		a.sample(r.Sample)
	default:
		a.lifecycle(*r.Lifecycle)
	}
}
