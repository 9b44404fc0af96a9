package sampler

import (
	"fmt"
	"sync"

	"github.com/cilium/ebpf"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// placing has the unwind tables that are being put into the map of all tables, or could not be. The kernel puts one
// there at once, but returns only when no BPF program runs any more that may still use what was there before: after
// some milliseconds, each time, though a process has ten tables and there was nothing before. (Linux:
// kernel/bpf/syscall.c, maybe_wait_bpf_programs) So they wait side by side, while further files are read.
type placing struct {
	mu    sync.Mutex
	slots map[uint32]*placed
}

type placed struct {
	done chan struct{}
	err  error // valid when done is closed
}

// put puts a table into the map on a goroutine, and closes it.
func (p *placing) put(into *ebpf.Map, slot uint32, table *ebpf.Map) {
	one := &placed{done: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.slots == nil {
		p.slots = map[uint32]*placed{}
	}
	p.slots[slot] = one
	go func() {
		defer close(one.done)
		defer table.Close() // the map of maps keeps a reference
		if err := into.Put(slot, table); err != nil {
			one.err = fmt.Errorf("unwind rules: table %d: %w", slot, err)
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.slots, slot)
	}()
}

// wait waits until the table of a slot is in the map, and returns the error if it is not.
func (p *placing) wait(slot uint32) error {
	p.mu.Lock()
	one := p.slots[slot]
	p.mu.Unlock()
	if one == nil {
		return nil // it is there
	}
	<-one.done
	return one.err
}

// forget waits for the table of a slot, which is to be removed.
func (p *placing) forget(slot uint32) {
	_ = p.wait(slot) // then there is nothing to remove
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.slots, slot)
}

// all waits for all tables.
func (p *placing) all() {
	for slot := range uint32(bpf.MaxTables) {
		_ = p.wait(slot) // who uses the table was told
	}
}
