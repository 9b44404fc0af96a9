package labels

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/threadlocal"
)

// maxPublishers is how many threads of a process are looked at.
const maxPublishers = 1 << 10

// learnPublisher finds where the thread of an isolate has the variable in which it publishes: one that has begun since
// findPublishers has looked. Where it publishes nothing yet, that looks again.
func (p *Process) learnPublisher(isolate uint64) (err error) {
	if time.Since(p.published.listed) < changedEvery { // the BPF program asks again
		return nil
	}
	err = p.findPublishers(time.Now())
	for _, number := range p.nodeVariables() {
		err = errors.Join(err, p.setPublisher(number, isolate, 0))
	}
	return err
}

// findPublishers tells the BPF program of all threads that publish for an isolate now, for the threads of libuv's pool.
// What they publish names its AsyncContextFrame, so that no helper thread of V8's is taken for the isolate's own.
func (p *Process) findPublishers(now time.Time) error {
	variables := p.nodeVariables()
	if len(variables) == 0 {
		return nil
	}
	p.published.listed = now
	threads, err := p.process.ThreadPointers()
	tids := slices.Sorted(maps.Keys(threads))
	for _, tid := range tids[:min(len(tids), maxPublishers)] {
		for _, number := range variables {
			at, slot := p.publishedBy(threads[tid], p.config.Published[number])
			if slot != 0 {
				err = errors.Join(err, p.setPublisher(number, slot-uint64(p.config.V8.Cped), at))
			}
		}
	}
	return err
}

// nodeVariables returns the numbers of the variables that threads of libuv's pool read of another thread.
func (p *Process) nodeVariables() (numbers []uint32) {
	for i, v := range p.config.Published[:p.config.N_published] {
		if v.Kind == bpf.PublishedNode && p.config.V8.Cped != 0 && p.config.Pool.Call != 0 {
			numbers = append(numbers, uint32(i))
		}
	}
	return numbers
}

// publishedBy returns where a thread has a variable, and the first word of what it publishes: the address of its
// isolate's AsyncContextFrame, 0 for nothing.
func (p *Process) publishedBy(thread uint64, v bpf.Published) (at, slot uint64) {
	place := threadlocal.Place{
		Kind: threadlocal.Kind(slices.Index(placeKinds[:], v.At.Kind)), Offset: v.At.Offset,
		Module: v.At.Module, Generation: v.At.Generation,
	}
	at, ok := place.Address(p.process.Memory, thread)
	var b [8]byte
	if !ok {
		return 0, 0
	}
	if _, err := p.process.Memory.ReadAt(b[:], int64(at)); err != nil {
		return 0, 0
	}
	return at, binary.LittleEndian.Uint64(b[:])
}

func (p *Process) setPublisher(number uint32, isolate, at uint64) error {
	return p.decoder.sampler.SetPublisher(bpf.PublisherKey{Process: p.config.Id, Number: number, Isolate: isolate}, at)
}
