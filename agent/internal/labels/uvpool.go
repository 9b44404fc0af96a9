package labels

import (
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/agent/internal/uvpool"
	"github.com/hotspan/hotspan/pprofx"
)

// learnOfPool answers a request for what threads of the pool need.
func (p *Process) learnOfPool(kind uint8, about uint64) {
	var err error
	if kind == bpf.ContextLearnKept {
		err = p.learnKept(about)
	} else {
		err = p.learnPublisher(about)
	}
	if err != nil {
		p.decoder.log.Debug("request of the BPF program not answered", "pid", p.process.PID, "kind", kind, "why", err)
	}
}

// LearnCalls writes to the BPF maps what they will be asked first when a thread of the pool works: see learnKept. They
// have it once for all processes with the file.
func (p *Process) LearnCalls() {
	r, ok := p.process.Mappings.Find(p.config.Pool.Call)
	if !ok || r.File == nil || r.File.Pool == nil || r.File.Slot == 0 || p.decoder.sampler.KnowsKept(r.File.Slot) {
		return
	}
	err := p.decoder.sampler.SetFirstKept(r.File.Slot, r.File.Rules, uint8(p.config.Pool.Reg), r.File.Pool.Calls)
	if err != nil {
		p.decoder.log.Debug("calls of the pool not written", "pid", p.process.PID, "why", err)
	}
}

// learnKept finds where the function at pc, which a pool thread was in, keeps the register that leads to its work, and
// writes it to the BPF maps. It does not where code is new, such as a library's: the BPF program asks again.
func (p *Process) learnKept(pc uint64) error {
	r, ok := p.process.Mappings.Find(pc)
	if !ok || r.File == nil || r.File.Slot == 0 {
		return nil
	}
	return p.decoder.sampler.SetKept(r.File.Slot, r.File.Rules, uint8(p.config.Pool.Reg), pc-r.Bias)
}

// maxPoolThreads bounds the cached jobs, one for each thread.
const maxPoolThreads = 1 << 12

// jobLabels returns the labels of a pool thread. Its request cannot be read while the JavaScript thread collects
// garbage: then it uses the labels of an earlier sample of the same job, unless a thread has ended since: another
// isolate may count its jobs anew, and have one in the same memory. Those of a context that the job itself has entered
// are not kept: it may have left it since.
func (p *Process) jobLabels(s *sampler.Sample, labels []pprofx.Label) []pprofx.Label {
	last, known := p.jobs[s.Tid]
	switch {
	case hasEntered(s):
	case p.flags.complete():
		if len(p.jobs) >= maxPoolThreads {
			clear(p.jobs)
		}
		p.jobs[s.Tid] = job{s.Work, s.Job, labels, p.start, int64(s.Time)}
	case known && last.work == s.Work && last.id == s.Job && p.flags.Unreadable && last.at > p.lastEnd() &&
		p.isQueuedOnce(s):
		p.flags.Unreadable, p.start = false, last.start
		p.flags.Present = p.flags.Present || len(last.labels) > 0
		return last.labels
	}
	return labels
}

// isQueuedOnce reports whether the object of a sample's job has only this job. One that is queued again is the same
// object and operation, while its store may be another by then. The function of the job tells: the first one that
// libuv, and Node behind it, has called.
func (p *Process) isQueuedOnce(s *sampler.Sample) bool {
	worker := slices.IndexFunc(s.Frames, func(f bpf.Frame) bool { return f.Pc == p.config.Pool.Call })
	for i := worker - 1; i >= 0; i-- {
		pc := s.Frames[i].Pc
		if i > 0 { // a return address
			pc--
		}
		if name := p.process.Mappings.Function(pc); !uvpool.IsDispatch(name) {
			return !uvpool.IsQueuedAgain(name)
		}
	}
	return false
}

// hasEntered reports whether the thread had published a context of its own.
func hasEntered(s *sampler.Sample) (own bool) {
	_ = s.ContextRecords(func(kind, label uint8, _ []byte) { // those of a malformed sample have not been decoded
		own = own || kind == bpf.ContextLocalThread ||
			kind == bpf.ContextRecordOTel && uint32(label) == bpf.PublishedThread
	})
	return own
}
