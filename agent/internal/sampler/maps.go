package sampler

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"

	"github.com/cilium/ebpf"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/unwind"
)

// generations is the number of times that processes were set. What the BPF program keeps of their mappings holds for
// one.
var generations atomic.Uint32

// SetProcess adds a process to those that are sampled, or updates it, and sets p.Generation. Mappings become
// bpf.MappingGone that were replaced since p.Read. It waits until the BPF program is loaded, so that the end of the
// process is reported, and until that has the tables of the mappings.
func (s *Sampler) SetProcess(pid int, p *bpf.Process) error {
	if err := s.Loaded(); err != nil {
		return err
	}
	if err := s.Placed(p.Mappings[:p.N_mappings]); err != nil {
		return err
	}
	had, err := s.places.take(pid)
	if err != nil {
		return err
	}
	if p.Since == 0 {
		p.Since = uint64(procs.Monotonic())
	}
	if err := s.putProcess(pid, p); err != nil {
		if !had {
			s.places.give(pid)
		}
		return err
	}
	s.learned.setID(pid, p.Id)
	return nil
}

// putProcess tells the BPF program of a process, but for code that was replaced since the mappings were read. If some
// is while it does, the program may have noted that in what is overwritten: then no code of files counts until they are
// read again.
func (s *Sampler) putProcess(pid int, p *bpf.Process) error {
	replaced := s.Replaced(p)
	if replaced > int64(p.Read) {
		if err := s.keepGone(pid, p); err != nil {
			return err
		}
	}
	err := s.put(pid, p)
	if err != nil || s.Replaced(p) == replaced {
		return err
	}
	goneAt(p, 0, math.MaxUint64)
	return s.put(pid, p)
}

func (s *Sampler) put(pid int, p *bpf.Process) error {
	p.Generation = generations.Add(1)
	return s.objects.Processes.Put(uint32(pid), p)
}

// Placed waits until the tables of mappings are in the BPF maps, and returns the error if one is not. SetProcess does,
// so it is for who runs the BPF program without.
func (s *Sampler) Placed(mappings []bpf.Mapping) error {
	for _, m := range mappings {
		if err := s.placing.wait(m.Table); err != nil {
			return err
		}
	}
	return nil
}

// AddProbes puts the probes on a process, or those whose files were not mapped before (trigger.Probes). It may wait for
// its files, and is safe for concurrent use. ok is false if the process is not to be sampled.
func (s *Sampler) AddProbes(pid int) (ok bool, err error) {
	if s.probes == nil {
		return true, nil
	}
	ok, err = s.probes.Add(pid)
	var p bpf.Process
	if s.use(func() error { return s.objects.Processes.Lookup(uint32(pid), &p) }) != nil { // removed meanwhile
		s.probes.Remove(pid)
	}
	return ok, err
}

// use runs f, which uses BPF maps on a goroutine that Close does not wait for, unless they are closed: their
// descriptors may be those of other files then.
func (s *Sampler) use(f func() error) error {
	s.closing.RLock()
	defer s.closing.RUnlock()
	if s.closed {
		return fmt.Errorf("BPF maps: %w", os.ErrClosed)
	}
	return f()
}

// PlaceFreed reports, once, whether there is room for a process that SetProcess has refused with ErrNoPlace.
func (s *Sampler) PlaceFreed() bool { return s.places.freed() }

// RemoveProcess ends the sampling of a process, and forgets what was learned of it.
func (s *Sampler) RemoveProcess(pid int) error {
	err := s.objects.Processes.Delete(uint32(pid))
	s.places.give(pid)
	if s.probes != nil {
		s.probes.Remove(pid)
	}
	s.learned.forget(pid)
	if errors.Is(err, ebpf.ErrKeyNotExist) {
		return nil
	}
	return err
}

// SetLoop stores where the event loop that a thread runs counts its turns. It is safe for concurrent use.
func (s *Sampler) SetLoop(key bpf.EnvironmentKey, count uint64) error {
	return s.use(func() error { return s.learned.loops.put(key.Process, key, count) })
}

// SetEnvironment stores where the Environment of an isolate keeps its async_hooks.
func (s *Sampler) SetEnvironment(key bpf.EnvironmentKey, hooks bpf.AsyncHooks) error {
	return s.learned.environments.put(key.Process, key, hooks)
}

// SetResource stores where resources of a hidden class keep their stores.
func (s *Sampler) SetResource(key bpf.ShapeKey, r bpf.Resource) error {
	return s.learned.resources.put(key.Process, key, r)
}

// SetWork stores where AsyncWraps, class 0, or the ThreadPoolWorks of another C++ class keep their async resource.
func (s *Sampler) SetWork(process uint32, class uint64, w bpf.Work) error {
	return s.learned.works.put(process, bpf.WorkKey{Process: process, Class: class}, w)
}

// SetPublisher stores where the thread of an isolate has a published variable; 0, if nothing is stored yet, that it
// publishes nothing.
func (s *Sampler) SetPublisher(key bpf.PublisherKey, at uint64) error {
	if at != 0 {
		return s.objects.Publishers.Put(key, at)
	}
	err := s.objects.Publishers.Update(key, at, ebpf.UpdateNoExist)
	if errors.Is(err, ebpf.ErrKeyExist) {
		return nil
	}
	return err
}

// SetKept stores where the function at an ELF virtual address keeps its caller's value of the register that the pool's
// worker uses, for all processes with the file whose rules are in a slot: see unwind.Table.Kept.
func (s *Sampler) SetKept(slot uint32, rules *unwind.Table, register uint8, vaddr uint64) error {
	return s.learned.keptPlaces.put(slot, keptKey(slot, rules, register, vaddr), int32(rules.Kept(register, vaddr)))
}

// SetFirstKept is SetKept of several functions, for a file of which KnowsKept is false.
func (s *Sampler) SetFirstKept(slot uint32, rules *unwind.Table, register uint8, vaddrs []uint64) error {
	keys, places := make([]bpf.KeptKey, len(vaddrs)), make([]int32, len(vaddrs))
	for i, vaddr := range vaddrs {
		keys[i], places[i] = keptKey(slot, rules, register, vaddr), int32(rules.Kept(register, vaddr))
	}
	return s.learned.keptPlaces.putFirst(slot, keys, places)
}

func keptKey(slot uint32, rules *unwind.Table, register uint8, vaddr uint64) bpf.KeptKey {
	return bpf.KeptKey{Table: uint16(slot), Reg: uint16(register), At: uint32(vaddr - rules.Base)}
}

// KnowsKept reports whether SetKept has stored anything of the file whose rules are in a slot.
func (s *Sampler) KnowsKept(slot uint32) bool { return s.learned.keptPlaces.has(slot) }
