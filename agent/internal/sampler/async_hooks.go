package sampler

import "github.com/hotspan/hotspan/agent/internal/bpf"

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
