package sampler

import (
	"errors"

	"github.com/cilium/ebpf"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// SetProcess begins to profile a process, or changes what is known of it.
func (s *Sampler) SetProcess(pid int, p *bpf.Process) error {
	return s.objects.Processes.Put(uint32(pid), p)
}

// RemoveProcess ends the profiling of a process.
func (s *Sampler) RemoveProcess(pid int) error {
	err := s.objects.Processes.Delete(uint32(pid))
	if errors.Is(err, ebpf.ErrKeyNotExist) {
		return nil
	}
	return err
}

// What is learned of a process is kept under its bpf.Process.Id. Nothing removes it: where there is no room the kernel
// drops what was not used for longest, and a number is never given again.

// SetShape tells the BPF program about a hidden class.
func (s *Sampler) SetShape(process uint32, hiddenClass uint64, shape bpf.Shape) error {
	return s.objects.Shapes.Put(bpf.ShapeKey{Process: process, HiddenClass: hiddenClass}, shape)
}

// SetHash tells the BPF program the hash of a name in one isolate.
func (s *Sampler) SetHash(process uint32, isolate uint64, name int, hash uint32) error {
	var names bpf.IsolateNames
	if name >= len(names.Hash) {
		return nil
	}
	key := bpf.IsolateKey{Process: process, Isolate: isolate}
	if err := s.objects.Isolates.Lookup(key, &names); err != nil {
		return err
	}
	names.Hash[name] = hash
	return s.objects.Isolates.Put(key, names)
}

// SetStore tells the BPF program what to do with the store of an AsyncLocalStorage, by its identity hash.
func (s *Sampler) SetStore(process uint32, hash uint32, store bpf.Store) error {
	return s.objects.Stores.Put(bpf.StoreKey{Process: process, Hash: hash}, store)
}

// SetEnvironment tells the BPF program where the Environment of an isolate has its async_hooks.
func (s *Sampler) SetEnvironment(key bpf.EnvironmentKey, hooks bpf.AsyncHooks) error {
	return s.objects.Environments.Put(key, hooks)
}

// SetResource tells the BPF program about the hidden class of resources.
func (s *Sampler) SetResource(process uint32, hiddenClass uint64, r bpf.Resource) error {
	return s.objects.Resources.Put(bpf.ShapeKey{Process: process, HiddenClass: hiddenClass}, r)
}

// SetSymbol tells the BPF program what a symbol is as the key of a resource's property, by its hash.
func (s *Sampler) SetSymbol(process, hash, kind uint32) error {
	return s.objects.Symbols.Put(bpf.SymbolKey{Process: process, Hash: hash}, kind)
}

// SetWork tells the BPF program where the objects of a kind of work, and of a class, keep what they belong to.
func (s *Sampler) SetWork(process, kind uint32, class uint64, w bpf.Work) error {
	return s.objects.Works.Put(bpf.WorkKey{Process: process, Kind: kind, Class: class}, w)
}

// SetKept tells the BPF program where the function that is at pc keeps its caller's register, see unwind.Table.Kept.
func (s *Sampler) SetKept(process uint32, pc uint64, place int16) error {
	return s.objects.KeptPlaces.Put(bpf.KeptKey{Process: process, Pc: pc}, int32(place))
}
