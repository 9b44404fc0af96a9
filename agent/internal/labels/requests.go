package labels

import (
	"encoding/binary"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/v8/heap"
)

// Answer answers the requests in a sample: it writes to the BPF maps what the BPF program lacked when it took the
// sample.
func (l *Learners) Answer(s *sampler.Sample) {
	if len(s.Context) == 0 {
		return
	}
	v, ok := l.processes.Load(int(s.Pid))
	if !ok {
		return
	}
	p := v.(*Learner)
	p.mu.Lock()
	defer p.mu.Unlock()
	// A record that is malformed is counted where the sample is handled.
	_ = s.ContextRecords(func(kind, label uint8, data []byte) {
		if !isRequest(kind) || len(data) != 16 {
			return
		}
		first, second := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
		if err := l.answer(p, s.Tid, kind, label, first, second); err != nil {
			l.log.Debug("request of the BPF program not answered", "pid", s.Pid, "kind", kind, "why", err)
		}
	})
}

func isRequest(kind uint8) bool {
	switch kind {
	case bpf.ContextLearnShape, bpf.ContextLearnKey, bpf.ContextLearnStore,
		bpf.ContextLearnIsolate, bpf.ContextLearnResource, bpf.ContextLearnSymbol, bpf.ContextLearnWork:
		return true
	}
	return false
}

// answer answers one request. If an object cannot be read because it is gone, the next sample with such an object
// repeats the request.
func (l *Learners) answer(p *Learner, thread uint32, kind, label uint8, first, second uint64) error {
	switch kind {
	case bpf.ContextLearnShape:
		return l.learnShape(p, int(label), heap.Word(first), heap.Word(second))
	case bpf.ContextLearnKey:
		if !p.mayAsk(hashRequest{second, label}) {
			return nil
		}
		if hash, ok := p.learner.NameHash(int(label), heap.Word(first)); ok {
			return l.sampler.SetHash(p.id, second, int(label), hash)
		}
	case bpf.ContextLearnStore:
		return l.learnStore(p, heap.Word(first), uint32(second))
	case bpf.ContextLearnWork:
		return l.learnWork(p, label, first, second)
	}
	return l.learnHooks(p, thread, kind, first, second)
}
