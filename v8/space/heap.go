// Package space finds the pages of V8's heap in the memory of a process, and tells apart the objects on them.
//
// V8 keeps objects on pages of 256 KiB, and each large one on pages of its own. Each page begins with a description of
// itself, or with where that is. Objects follow each other without a gap: each begins with its hidden class, which
// tells how large it is, and where there is none, V8 puts what is as large as the gap. So a walk that comes out at the
// end of a page has seen all of it. What a walk cannot tell apart it counts.
//
// Objects that nothing refers to any more are among them, until V8 collects them.
package space

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Heap is the heaps of all isolates of a process.
type Heap struct {
	// Cut says that there is more than is looked at.
	Cut bool

	mem    io.ReaderAt
	l      *layout.Layout
	r      *heap.Reader
	types  map[int]string
	ranges []Range           // where pages, and what describes them, may be
	pages  []page            // by address
	areas  map[uint64][]area // by heap
	live   bool
}

// Range is memory of a process, [Start, End).
type Range struct{ Start, End uint64 }

// area is where a thread makes objects next: memory from top to limit is for those that are to come.
type area struct {
	top, limit uint64
	at         uint64 // address of its three words
}

// pageOf is the page on which an object at an address would be; nil: none.
func (h *Heap) pageOf(at uint64) *page {
	i, found := slices.BinarySearchFunc(h.pages, at, func(p page, at uint64) int { return cmp.Compare(p.at, at) })
	if !found {
		i--
	}
	if i < 0 || at < h.pages[i].start || at >= h.pages[i].end {
		return nil
	}
	return &h.pages[i]
}

// Bytes is how large all pages are.
func (h *Heap) Bytes() (n uint64) {
	for i := range h.pages {
		n += h.pages[i].end - h.pages[i].start
	}
	return n
}

// forget has what follows read as it is now, of a process that runs: what was read for objects of another page of V8's
// may have changed.
func (h *Heap) forget() {
	if h.live {
		h.r.Forget()
	}
}

// Collecting reports whether the collector of an isolate is at work now.
func (h *Heap) Collecting() bool {
	if !h.l.Has(layout.HeapGCState) {
		return false
	}
	h.forget()
	for of := range h.areas {
		state, err := h.r.Bytes(of+uint64(h.l.At(layout.HeapGCState)), 4)
		if err == nil && binary.LittleEndian.Uint32(state) != 0 {
			return true
		}
	}
	return false
}

// Holds reports whether an address is on a page of the heap.
func (h *Heap) Holds(at uint64) bool { return h.pageOf(at) != nil }

// Still reports whether the pages are still there for the same: no collection has moved objects between them, and none
// is at work.
func (h *Heap) Still() bool {
	h.forget()
	for i := range h.pages {
		if !h.same(&h.pages[i]) {
			return false
		}
	}
	return !h.Collecting()
}

// same reports whether a page is still what it was.
func (h *Heap) same(p *page) bool {
	first, ok := words(h.mem, p.at, headWords)
	if !ok {
		return false
	}
	now, ok := readPage(h.mem, p.at, p.at+p.size, first)
	const moved = fromPage | toPage
	return ok && now.owner == p.owner && now.start == p.start && now.flags&moved == p.flags&moved
}
