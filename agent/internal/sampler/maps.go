package sampler

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/unwind"
)

// tableSlots are the numbers of the unwind tables that are loaded. Number 0 is none.
type tableSlots struct {
	sync.Mutex
	used [bpf.MaxTables]bool
}

// AddTable gives the BPF program the unwind rules of a file and returns their number and the pages of their index.
func (s *Sampler) AddTable(t *unwind.Table) (slot, pages uint32, err error) {
	if slot, err = s.tables.take(); err != nil {
		return 0, 0, err
	}
	elements, pages := index(t.Rows)
	if err := s.putTable(slot, elements); err != nil {
		s.tables.release(slot)
		return 0, 0, fmt.Errorf("unwind rules (%d rows): %w", len(t.Rows), err)
	}
	return slot, pages, nil
}

// index puts before the rows, for each page of code and the end, how many rows begin before it, and in which granules
// of it the frame pointer's rule holds.
func index(rows []unwind.Row) (elements []uint64, pages uint32) {
	if len(rows) == 0 {
		return nil, 0
	}
	pages = rows[len(rows)-1].PC>>bpf.PageBits + 1
	elements = make([]uint64, int(pages)+1, int(pages)+1+len(rows))
	for _, r := range rows {
		elements[r.PC>>bpf.PageBits+1]++
		elements = append(elements, element(r))
	}
	for i := range pages {
		elements[i+1] += elements[i]
	}
	for i := range rows[:len(rows)-1] {
		if keepsFramePointer(rows[i]) {
			markGranules(elements, rows[i].PC, rows[i+1].PC)
		}
	}
	return elements, pages
}

func keepsFramePointer(r unwind.Row) bool {
	return r.CFA == unwind.RBP && r.Off == 2 && r.RBP == bpf.RBPNext
}

// markGranules marks those that lie wholly in [start, end).
func markGranules(elements []uint64, start, end uint32) {
	const size = 1 << bpf.GranuleBits
	for g := (start + size - 1) / size; (g+1)*size <= end; g++ {
		page, bit := g>>(bpf.PageBits-bpf.GranuleBits), g&(1<<(bpf.PageBits-bpf.GranuleBits)-1)
		elements[page] |= 1 << (32 + bit)
	}
}

// element is a row in the layout of struct row of unwind.h, little endian.
func element(r unwind.Row) uint64 {
	return uint64(r.PC) | uint64(r.CFA)<<32 | uint64(uint8(r.RBP))<<40 | uint64(uint16(r.Off))<<48
}

func (s *Sampler) putTable(slot uint32, elements []uint64) error {
	// Maps of different sizes may be in one map of maps, with a flag of Linux 5.10.
	m, err := ebpf.NewMap(&ebpf.MapSpec{
		Name: "rows", Type: ebpf.Array, KeySize: 4, ValueSize: 8,
		MaxEntries: uint32(len(elements)), Flags: unix.BPF_F_INNER_MAP,
	})
	if err != nil {
		return err
	}
	defer m.Close() // the map of tables keeps it
	keys := make([]uint32, len(elements))
	for i := range keys {
		keys[i] = uint32(i)
	}
	if _, err := m.BatchUpdate(keys, elements, nil); err != nil {
		return err
	}
	return s.objects.Tables.Put(slot, m)
}

// RemoveTable takes the rules of a file away.
func (s *Sampler) RemoveTable(slot uint32) error {
	if slot == 0 {
		return nil
	}
	err := s.objects.Tables.Delete(slot)
	s.tables.release(slot)
	return err
}

func (t *tableSlots) take() (uint32, error) {
	t.Lock()
	defer t.Unlock()
	for i := uint32(1); i < uint32(bpf.MaxTables); i++ {
		if !t.used[i] {
			t.used[i] = true
			return i, nil
		}
	}
	return 0, fmt.Errorf("unwind rules of %d files are loaded, there is no room for more", bpf.MaxTables-1)
}

func (t *tableSlots) release(i uint32) {
	t.Lock()
	defer t.Unlock()
	t.used[i] = false
}

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
