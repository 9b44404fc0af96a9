package space

import (
	"io"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Range is memory of a process, [Start, End).
type Range struct{ Start, End uint64 }

// Limits of what is looked at, in a process that may say anything of itself.
const (
	maxPlaces = 1 << 22 // where a page may be: 1 TiB of addresses
	maxPages  = 1 << 18 // 64 GiB of heap
	maxHeaps  = 256     // isolates
)

// Find finds the pages of V8 in memory of a process: ranges, by address, are what is not of a file. types are those of
// layout.TypeNames. live says that the process runs.
func Find(mem io.ReaderAt, l *layout.Layout, types map[int]string, ranges []Range, live bool) *Heap {
	h := &Heap{mem: mem, l: l, r: heap.NewReader(mem, l), types: types, areas: map[uint64][]area{}, live: live}
	h.forget()
	places := 0
	for _, r := range joined(ranges) {
		for at := (r.Start + pageSize - 1) &^ (pageSize - 1); r.Start <= at && at < r.End; at += pageSize {
			if places++; places > maxPlaces || len(h.pages) >= maxPages {
				h.Cut = true
				break
			}
			if p, ok := readPage(mem, at, r.End); ok {
				h.pages = append(h.pages, p)
				at += (p.size - 1) &^ (pageSize - 1)
			}
		}
	}
	h.findAreas()
	h.findUnused()
	return h
}

// joined joins ranges that touch each other.
func joined(ranges []Range) (out []Range) {
	for _, r := range ranges {
		if n := len(out); n > 0 && out[n-1].End == r.Start {
			out[n-1].End = r.End
		} else {
			out = append(out, r)
		}
	}
	return out
}

// findAreas finds the areas of each heap. Pages of heaps beyond maxHeaps are left out.
func (h *Heap) findAreas() {
	kept := h.pages[:0]
	for _, p := range h.pages {
		if _, ok := h.areas[p.heap]; !ok && len(h.areas) == maxHeaps {
			h.Cut = true
			continue
		}
		h.areas[p.heap] = nil
		kept = append(kept, p)
	}
	h.pages = kept
	for of := range h.areas {
		h.areas[of] = h.areasOf(of)
	}
}
