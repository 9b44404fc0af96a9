package labels

import (
	"encoding/binary"
	"errors"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/v8/heap"
)

// Answer answers the requests in a sample of the process: it writes to the BPF maps what the BPF program lacked when it
// took the sample.
func (p *Learner) Answer(s *sampler.Sample) {
	// A record that is malformed is counted where the sample is handled.
	_ = s.ContextRecords(func(kind, _ uint8, data []byte) {
		if !isRequest(kind) {
			return
		}
		if err := p.bounded(s.Tid, kind, data); err != nil {
			p.log.Debug("request of the BPF program not answered", "pid", s.Pid, "kind", kind, "why", err)
		}
	})
}

func isRequest(kind uint8) bool {
	switch kind {
	case bpf.ContextLearnNames, bpf.ContextLearnIsolate, bpf.ContextLearnResource, bpf.ContextLearnWork:
		return true
	}
	return false
}

var errRests = errors.New("answers have taken too long")

// bounded answers one request, or none while it rests from those before: then samples go on to be counted as learning.
func (p *Learner) bounded(thread uint32, kind uint8, data []byte) error {
	if p.effort.Rests() {
		return errRests
	}
	had, before := p.effort.Had(), p.heap.Work()
	err := p.answer(thread, kind, data)
	p.effort.Add(p.heap.Work() - before)
	if p.effort.Had() && !had {
		p.log.Warn("reading where a process has its stores takes too long: its samples lack labels at times",
			"pid", p.pid)
	}
	return err
}

// answer answers one request. If an object cannot be read because it is gone, the next sample with such an object
// repeats the request.
func (p *Learner) answer(thread uint32, kind uint8, data []byte) error {
	if kind == bpf.ContextLearnWork {
		return p.learnWork(data)
	}
	if len(data) != 16 {
		return sampler.ErrMalformed
	}
	first, second := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
	if kind == bpf.ContextLearnNames {
		return p.properties.Add(p.heap, heap.Word(first))
	}
	return p.learnHooks(thread, kind, first, second)
}
