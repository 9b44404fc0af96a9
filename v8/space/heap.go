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

	mem   io.ReaderAt
	l     *layout.Layout
	r     *heap.Reader
	types map[int]string
	pages []page            // by address
	areas map[uint64][]area // by heap
	live  bool
}

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

// Same reports whether a heap that was found later has the same pages for the same: no collection has moved objects
// between them.
func (h *Heap) Same(later *Heap) bool {
	return slices.EqualFunc(h.pages, later.pages, func(a, b page) bool {
		const moved = fromPage | toPage
		return a.at == b.at && a.start == b.start && a.owner == b.owner && a.flags&moved == b.flags&moved
	})
}
