package sampler

import "github.com/hotspan/hotspan/agent/internal/bpf"

// SetIsolate tells the program where an isolate's async_hooks are. Fields of 0 says that it has none.
func (s *Sampler) SetIsolate(key bpf.IsolateKey, h bpf.AsyncHooks) error {
	return s.objects.Isolates.Put(key, h)
}

// RemoveIsolate makes the program forget an isolate.
func (s *Sampler) RemoveIsolate(key bpf.IsolateKey) error { return s.objects.Isolates.Delete(key) }

// SetResource tells the program about a hidden class of the resources of async_hooks.
func (s *Sampler) SetResource(pid int, hiddenClass uint64, r bpf.Resource) error {
	return s.objects.Resources.Put(bpf.ShapeKey{Pid: uint32(pid), Map: hiddenClass}, r)
}

// RemoveResource makes the program forget a hidden class of resources.
func (s *Sampler) RemoveResource(pid int, hiddenClass uint64) error {
	return s.objects.Resources.Delete(bpf.ShapeKey{Pid: uint32(pid), Map: hiddenClass})
}

// SetSymbol tells the program what the key of a resource's dictionary is, by its hash.
func (s *Sampler) SetSymbol(pid int, hash, kind uint32) error {
	return s.objects.Symbols.Put(bpf.SymbolKey{Pid: uint32(pid), Hash: hash}, kind)
}

// RemoveSymbol makes the program forget a symbol.
func (s *Sampler) RemoveSymbol(pid int, hash uint32) error {
	return s.objects.Symbols.Delete(bpf.SymbolKey{Pid: uint32(pid), Hash: hash})
}
