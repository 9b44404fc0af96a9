package labels

import (
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/pprofx"
)

// learnKept learns where the function that a thread of the pool was in keeps the register that tells its work.
func (p *Process) learnKept(pc uint64) {
	place := unwind.KeptLost
	if r, ok := p.process.Mappings.Find(pc); ok && r.File != nil && r.File.Rules != nil {
		place = r.File.Rules.Kept(uint8(p.config.Pool.Reg), pc-r.Bias)
	}
	if err := p.decoder.sampler.SetKept(p.config.Id, pc, place); err != nil {
		p.decoder.log.Debug("not learnt", "pid", p.process.PID, "pc", pc, "why", err)
	}
}

// maxPoolThreads bounds the threads of which that is kept.
const maxPoolThreads = 1 << 12

// jobLabels are the labels of a thread of the pool. What it works for cannot be read while the thread of the JavaScript
// collects: then the labels count that an earlier sample of the same job had.
func (p *Process) jobLabels(s *sampler.Sample, labels []pprofx.Label) []pprofx.Label {
	last, known := p.jobs[s.Tid]
	switch {
	case p.flags.complete():
		if len(p.jobs) >= maxPoolThreads {
			clear(p.jobs)
		}
		p.jobs[s.Tid] = job{s.Work, s.Job, labels}
	case known && last.work == s.Work && last.id == s.Job && p.flags.Unreadable:
		p.flags.Unreadable = false
		p.flags.Present = p.flags.Present || len(last.labels) > 0
		return last.labels
	}
	return labels
}
