package sampler

import "github.com/hotspan/hotspan/agent/internal/bpf"

// SetKept tells the BPF program where the function that is at pc keeps its caller's register, see unwind.Table.Kept.
func (s *Sampler) SetKept(process uint32, pc uint64, place int16) error {
	return s.objects.KeptPlaces.Put(bpf.KeptKey{Process: process, Pc: pc}, int32(place))
}

// SetWork tells the BPF program where the objects of a kind of work, and of a class, keep what they belong to.
func (s *Sampler) SetWork(process, kind uint32, class uint64, w bpf.Work) error {
	return s.objects.Works.Put(bpf.WorkKey{Process: process, Kind: kind, Class: class}, w)
}
