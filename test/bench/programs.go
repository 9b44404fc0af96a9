package main

import (
	"fmt"
	"time"

	"github.com/cilium/ebpf"
)

// programs are the BPF programs of a process: those that it has descriptors of, or of links to. It keeps them, so that
// one which is gone still counts. The kernel counts only while ebpf.EnableStats is on.
type programs struct {
	pid  int
	open map[uint32]*ebpf.Program
}

// runs is what the kernel counted of BPF programs. A program that calls another one is counted with it.
type runs struct {
	all     time.Duration // of all programs
	samples time.Duration // of those that perf events run: the sampling
}

func (p *programs) read() (runs, error) {
	ids, err := descriptorValues(p.pid, "prog_id:")
	if err != nil {
		return runs{}, err
	}
	for id := range ids {
		if p.open[id] != nil {
			continue
		}
		program, err := ebpf.NewProgramFromID(ebpf.ProgramID(id))
		if err != nil {
			continue // it has just been unloaded
		}
		p.open[id] = program
	}
	var sum runs
	for id, program := range p.open {
		stats, err := program.Stats()
		if err != nil {
			return runs{}, fmt.Errorf("run time of BPF program %d: %w", id, err)
		}
		sum.all += stats.Runtime
		if program.Type() == ebpf.PerfEvent {
			sum.samples += stats.Runtime
		}
	}
	return sum, nil
}

func (p *programs) close() {
	for _, program := range p.open {
		program.Close()
	}
}

// mapMemory is the memory of the process's BPF maps in bytes, as the kernel charges it: of those that it has
// descriptors of, those that its programs use, and those that are in maps of maps.
func (p *programs) mapMemory() (uint64, error) {
	ids, err := descriptorValues(p.pid, "map_id:")
	if err != nil {
		return 0, err
	}
	for _, program := range p.open {
		info, err := program.Info()
		if err != nil {
			return 0, fmt.Errorf("maps of a BPF program: %w", err)
		}
		used, _ := info.MapIDs()
		for _, id := range used {
			ids[uint32(id)] = true
		}
	}
	sizes := map[uint32]uint64{}
	for id := range ids {
		if err := addMap(sizes, id); err != nil {
			return 0, err
		}
	}
	var sum uint64
	for _, size := range sizes {
		sum += size
	}
	if sum == 0 {
		return 0, fmt.Errorf("the kernel does not say how much memory %d BPF maps have", len(sizes))
	}
	return sum, nil
}

// addMap notes the size of a map and of those in it.
func addMap(sizes map[uint32]uint64, id uint32) error {
	if _, ok := sizes[id]; ok {
		return nil
	}
	m, err := ebpf.NewMapFromID(ebpf.MapID(id))
	if err != nil {
		return nil // it has just been removed
	}
	defer m.Close()
	info, err := m.Info()
	if err != nil {
		return fmt.Errorf("memory of BPF map %d: %w", id, err)
	}
	sizes[id], _ = info.Memlock() // an empty trie has none
	if m.Type() != ebpf.HashOfMaps && m.Type() != ebpf.ArrayOfMaps {
		return nil
	}
	var key []byte
	var inner uint32
	entries := m.Iterate()
	for entries.Next(&key, &inner) {
		if err := addMap(sizes, inner); err != nil {
			return err
		}
	}
	return entries.Err()
}
