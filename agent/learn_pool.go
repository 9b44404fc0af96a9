package agent

import (
	"errors"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/pool"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/layout"
)

// configurePool tells the program where the threads of libuv's pool have their work, unless nothing is read of requests.
// Whether the owner of a request collects must be known.
func (t *target) configurePool(tree *reqctx.Tree) {
	p, bias := t.space.Pool()
	l := t.space.Layout()
	if p == nil || len(tree.Labels) == 0 || requireContext(l) != nil || l.Require(layout.IsolateVMState) != nil {
		return
	}
	t.config.Pool = bpf.Pool{Call: p.Return + bias, NodeWork: p.NodeWork + bias, Reg: uint32(p.Register), Offset: p.Offset}
	for kind, at := range p.Functions {
		t.config.Pool.Functions[kind] = at + bias
		t.config.Pool.Requests[kind] = pool.Requests[kind]
	}
}

// learnKept learns where the function that a thread of the pool was in keeps the register that tells its work.
func (a *Agent) learnKept(t *target, pc uint64) {
	place := unwind.KeptLost
	if r, ok := t.space.Find(pc); ok && r.File != nil && r.File.Rules != nil {
		place = r.File.Rules.Kept(uint8(t.config.Pool.Reg), pc-r.Bias)
	}
	if err := a.sampler.SetKept(t.config.Id, pc, place); err != nil {
		a.log.Debug("not learnt", "pid", t.pid, "pc", pc, "why", err)
	}
}

// manyTries is how often an object of a class must not be what is known until none of the class is: an object may be
// moving when it is looked at, or gone.
const manyTries = 32

// learnWork learns the class of an object of Node's that the pool works on. One that is not known is told in the end, too:
// its objects belong to no request that can be told. Class 0 stands for AsyncWraps, which may be gone too.
func (a *Agent) learnWork(p *pupil, kind uint8, object, class uint64) error {
	w, err := p.learner.WorkOf(object)
	if err != nil {
		if p.strangers == nil || len(p.strangers) >= maxStrangers {
			p.strangers = map[uint64]int{}
		}
		if p.strangers[class]++; class == 0 || !errors.Is(err, reqctx.ErrNoOwner) || p.strangers[class] < manyTries {
			return err
		}
	}
	return a.sampler.SetWork(p.id, uint32(kind), class, bpf.Work{
		Resource: int32(w.Resource), Id: int32(w.ID), Frame: int32(w.Frame), Field: uint32(w.Field), Realm: int32(w.Realm), Isolate: uint32(w.Isolate),
	})
}

// job is what a thread of the pool worked on when it was sampled last, and for whom.
type job struct {
	work, id uint64
	labels   []pprofx.Label
}

// maxStrangers bounds the classes of which it is kept how often they were not known.
const maxStrangers = 256

// maxPoolThreads bounds the threads of which that is kept.
const maxPoolThreads = 1 << 12

// jobLabels are the labels of a thread of the pool. What it works for cannot be read while the thread of the JavaScript
// collects: then the labels count that an earlier sample of the same job had.
func (t *target) jobLabels(s *sampler.Sample, labels []pprofx.Label) []pprofx.Label {
	last, known := t.jobs[s.Tid]
	switch {
	case t.flags.whole():
		if len(t.jobs) >= maxPoolThreads {
			clear(t.jobs)
		}
		t.jobs[s.Tid] = job{s.Work, s.Job, labels}
	case known && last.work == s.Work && last.id == s.Job && t.flags.unreadable:
		t.flags.unreadable = false
		t.flags.present = t.flags.present || len(last.labels) > 0
		return last.labels
	}
	return labels
}
