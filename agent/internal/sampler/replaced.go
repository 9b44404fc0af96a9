package sampler

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/cilium/ebpf"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// Replaced returns when a process last asked for memory and got some where code of a file was, on the clock of
// samples; 0: it has not. It may have been another process, with an id that is equal modulo bpf.MaxReplaced.
func (s *Sampler) Replaced(p *bpf.Process) int64 {
	if s.waiter == nil {
		return 0
	}
	return int64(atomic.LoadUint64(&s.waiter.consumer.Replaced[p.Id%bpf.MaxReplaced]))
}

// Outdated reports whether code was replaced since the mappings were read that the BPF program was told last.
func (s *Sampler) Outdated(p *bpf.Process) bool { return s.Replaced(p) > int64(p.Read) }

// keepGone takes over what the BPF program has noted: places, or that it has forgotten all.
func (s *Sampler) keepGone(pid int, p *bpf.Process) error {
	var old bpf.Process
	err := s.objects.Processes.Lookup(uint32(pid), &old)
	if errors.Is(err, ebpf.ErrKeyNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("what code was replaced: %w", err)
	}
	if old.N_mappings == 0 {
		goneAt(p, 0, math.MaxUint64)
	}
	for _, m := range old.Mappings[:min(int(old.N_mappings), bpf.MaxMappings)] {
		if m.Kind == bpf.MappingGone {
			goneAt(p, m.Start, m.End)
		}
	}
	return nil
}

// goneAt has code of files not count that is at [start, end).
func goneAt(p *bpf.Process, start, end uint64) {
	for i := range p.Mappings[:p.N_mappings] {
		if m := &p.Mappings[i]; m.Kind == bpf.MappingNative && m.Start < end && start < m.End {
			m.Kind = bpf.MappingGone
		}
	}
}
