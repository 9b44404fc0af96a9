package sampler

import (
	"fmt"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/unwind"
)

// AddTable writes the unwind rules of a file to the BPF maps, and returns the number of the table and the number of
// pages in its index.
func (s *Sampler) AddTable(t *unwind.Table) (slot, pages uint32, err error) {
	if err := checkSpan(t.Rows); err != nil {
		return 0, 0, err
	}
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

// Each page of code takes an element of the index, however few rows it has. A file may have sparsePages for each row,
// and freePages besides. Node 24 has three rows for each page, sparse libraries have one for ten pages.
const (
	sparsePages = 16
	freePages   = 1 << 16
)

// checkSpan refuses few rows over much code: a file of a few kilobytes could take 128 MB of BPF maps.
func checkSpan(rows []unwind.Row) error {
	if len(rows) == 0 {
		return nil
	}
	end := rows[len(rows)-1].PC
	if int(end>>bpf.PageBits) > freePages+sparsePages*len(rows) {
		return fmt.Errorf("unwind rules: %d rows for %d MiB of code are too few to be kept", len(rows), end>>20)
	}
	return nil
}

// RemoveTable removes the unwind rules of a file.
func (s *Sampler) RemoveTable(slot uint32) error {
	if slot == 0 {
		return nil
	}
	err := s.objects.Tables.Delete(slot)
	s.tables.release(slot)
	return err
}

func (s *Sampler) putTable(slot uint32, elements []uint64) error {
	// BPF_F_INNER_MAP (Linux 5.10) allows inner maps of different sizes in one map of maps.
	m, err := ebpf.NewMap(&ebpf.MapSpec{
		Name: "rows", Type: ebpf.Array, KeySize: 4, ValueSize: 8,
		MaxEntries: uint32(len(elements)), Flags: unix.BPF_F_INNER_MAP,
	})
	if err != nil {
		return err
	}
	defer m.Close() // the map of maps keeps a reference
	keys := make([]uint32, len(elements))
	for i := range keys {
		keys[i] = uint32(i)
	}
	if _, err := m.BatchUpdate(keys, elements, nil); err != nil {
		return err
	}
	return s.objects.Tables.Put(slot, m)
}

// index encodes the rows and puts an index before them. For each page of code, and for the end, an element of the index
// has the number of rows that begin before it, and a bit for each granule of the page in which the frame pointer's rule
// holds throughout.
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

// markGranules sets the bits of the granules that lie wholly in [start, end).
func markGranules(elements []uint64, start, end uint32) {
	const size = 1 << bpf.GranuleBits
	for g := (start + size - 1) / size; (g+1)*size <= end; g++ {
		page, bit := g>>(bpf.PageBits-bpf.GranuleBits), g&(1<<(bpf.PageBits-bpf.GranuleBits)-1)
		elements[page] |= 1 << (32 + bit)
	}
}

// element encodes a row as struct row of unwind.h, little endian.
func element(r unwind.Row) uint64 {
	return uint64(r.PC) | uint64(r.CFA)<<32 | uint64(uint8(r.RBP))<<40 | uint64(uint16(r.Off))<<48
}
