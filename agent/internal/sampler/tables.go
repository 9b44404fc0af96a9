package sampler

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/unwind"
)

// AddTable writes the unwind rules of a file to a BPF map, and returns the number of the table and the number of pages
// in its index. The BPF program finds the table by its number from SetProcess on.
func (s *Sampler) AddTable(t *unwind.Table) (slot, pages uint32, err error) {
	if err := checkSpan(t); err != nil {
		return 0, 0, err
	}
	if t.Len() > 0 {
		pages = t.End()>>bpf.PageBits + 1
	}
	if slot, err = s.tables.take(procs.ReadsFor(), tableElements(pages, t)*elementSize); err != nil {
		return 0, 0, fmt.Errorf("unwind rules (%d rows): %w", t.Len(), err)
	}
	if err := s.putTable(slot, pages, t); err != nil {
		s.tables.release(slot)
		return 0, 0, fmt.Errorf("unwind rules (%d rows): %w", t.Len(), err)
	}
	return slot, pages, nil
}

// Each page of code takes an element of the index, however few rows it has. A file may have sparsePages for each row,
// and freePages besides. Node 24 has three rows for each page, sparse libraries have one for ten pages.
const (
	sparsePages = 16
	freePages   = 1 << 18 // 64 MiB of code, 2 MiB of BPF maps
)

// checkSpan refuses few rows over much code: a file of a few kilobytes could take 128 MB of BPF maps.
func checkSpan(t *unwind.Table) error {
	if int(t.End()>>bpf.PageBits) > freePages+sparsePages*t.Len() {
		return fmt.Errorf("unwind rules: %d rows for %d MiB of code are too few to be kept", t.Len(), t.End()>>20)
	}
	return nil
}

// RemoveTable removes the unwind rules of a file.
func (s *Sampler) RemoveTable(slot uint32) error {
	if slot == 0 {
		return nil
	}
	s.placing.forget(slot)
	s.learned.keptPlaces.clear(slot)
	err := s.objects.Tables.Delete(slot)
	s.tables.release(slot)
	return err
}

func (s *Sampler) putTable(slot, pages uint32, t *unwind.Table) error {
	size := tableElements(pages, t)
	// BPF_F_INNER_MAP (Linux 5.10) allows inner maps of different sizes in one map of maps.
	m, err := ebpf.NewMap(&ebpf.MapSpec{
		Name: "rows", Type: ebpf.Array, KeySize: 4, ValueSize: elementSize,
		MaxEntries: uint32(size), Flags: unix.BPF_F_INNER_MAP | unix.BPF_F_MMAPABLE,
	})
	if err != nil {
		return err
	}
	if err := fillTable(m, pages, t); err != nil {
		return errors.Join(err, m.Close())
	}
	s.placing.put(s.objects.Tables, slot, m)
	return nil
}

func fillTable(m *ebpf.Map, pages uint32, t *unwind.Table) error {
	size := int(m.MaxEntries()) * elementSize
	b, err := unix.Mmap(m.FD(), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map the memory of the table: %w", err)
	}
	err = writeTable(b, pages, t)
	return errors.Join(err, unix.Munmap(b))
}

const elementSize = 8

func tableElements(pages uint32, t *unwind.Table) int { return int(pages) + 1 + t.Len() }

// writeTable writes an index and the rows behind it. For each page of code, and for the end, an element of it has
// the number of rows that begin before it, and a bit for each granule of the page in which the frame pointer's rule
// holds throughout.
func writeTable(b []byte, pages uint32, t *unwind.Table) error {
	var last unwind.Row
	page, chunk := uint32(0), make([]unwind.Row, min(t.Len(), 4096))
	for from := 0; from < t.Len(); from += len(chunk) {
		chunk = chunk[:min(len(chunk), t.Len()-from)]
		if err := t.ReadRows(from, chunk); err != nil {
			return err
		}
		for i, r := range chunk {
			if n := from + i; n > 0 && r.PC <= last.PC || r.PC>>bpf.PageBits >= pages {
				return fmt.Errorf("row %d is at %#x, behind %#x", n, r.PC, last.PC)
			}
			for ; page <= r.PC>>bpf.PageBits; page++ {
				putRows(b, page, uint32(from+i))
			}
			if keepsFramePointer(last) {
				markGranules(b, last.PC, r.PC)
			}
			binary.LittleEndian.PutUint64(b[elementSize*(int(pages)+1+from+i):], element(r))
			last = r
		}
	}
	putRows(b, pages, uint32(t.Len()))
	return nil
}

// putRows sets how many rows begin before a page, and keeps its granules.
func putRows(b []byte, page, rows uint32) {
	binary.LittleEndian.PutUint32(b[elementSize*int(page):], rows)
}

func keepsFramePointer(r unwind.Row) bool {
	return r.CFA == unwind.RBP && r.Off == 2 && r.RBP == bpf.RBPNext
}

// markGranules sets the bits of the granules that lie wholly in [start, end).
func markGranules(b []byte, start, end uint32) {
	const size = 1 << bpf.GranuleBits
	// in 64 bits: the file chooses both, and may choose the last addresses
	for g := (uint64(start) + size - 1) / size; (g+1)*size <= uint64(end); g++ {
		page, bit := g>>(bpf.PageBits-bpf.GranuleBits), g&(1<<(bpf.PageBits-bpf.GranuleBits)-1)
		at := b[elementSize*int(page)+4:]
		binary.LittleEndian.PutUint32(at, binary.LittleEndian.Uint32(at)|1<<bit)
	}
}

// element encodes a row as struct row of unwind.h, little endian.
func element(r unwind.Row) uint64 {
	return uint64(r.PC) | uint64(r.CFA)<<32 | uint64(uint8(r.RBP))<<40 | uint64(uint16(r.Off))<<48
}
