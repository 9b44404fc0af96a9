package space

import (
	"io"
	"slices"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// Limits of what is looked at, in a process that may say anything of itself.
const (
	maxPlaces = 1 << 22 // where a page may be: 1 TiB of addresses
	maxPages  = 1 << 18 // 64 GiB of heap
	maxHeaps  = 256     // isolates
)

// manyPlaces are read at once.
const manyPlaces = 1 << 10

const headSize = word * headWords

// Find finds the pages of V8 in memory of a process: ranges, by address, are what is not of a file. types are those of
// layout.TypeNames. live says that the process runs.
func Find(mem io.ReaderAt, l *layout.Layout, types map[int]string, ranges []Range, live bool) *Heap {
	h := FindPages(mem, l, types, ranges, live)
	h.findAreas()
	h.findUnused()
	return h
}

// FindPages is Find for Isolates and Of alone: a heap that is not read as a whole.
func FindPages(mem io.ReaderAt, l *layout.Layout, types map[int]string, ranges []Range, live bool) *Heap {
	h := &Heap{mem: mem, l: l, r: heap.NewReader(mem, l), types: types, ranges: joined(ranges),
		areas: map[uint64][]area{}, live: live}
	h.forget()
	next := uint64(0)
	for places := range slices.Chunk(h.places(), manyPlaces) {
		firsts := firstWords(mem, places)
		heads := h.readHeads(firsts)
		for i, at := range places {
			if firsts[i] == nil || at.start < next {
				continue
			}
			if len(h.pages) >= maxPages {
				h.Cut = true
				return h
			}
			if p, ok := readPage(heads, at.start, at.end, firsts[i]); ok {
				h.pages = append(h.pages, p)
				next = at.start + (p.size+pageSize-1)&^(pageSize-1)
			}
		}
	}
	return h
}

// place is where a page may be: its address, and where the memory ends.
type place struct{ start, end uint64 }

func (h *Heap) places() (out []place) {
	for _, r := range h.ranges {
		for at := (r.Start + pageSize - 1) &^ (pageSize - 1); r.Start <= at && at < r.End; at += pageSize {
			if len(out) >= maxPlaces {
				h.Cut = true
				return out
			}
			out = append(out, place{at, r.End})
		}
	}
	return out
}

// firstWords are the first words of places; nil for those that cannot be read.
func firstWords(mem io.ReaderAt, places []place) [][]uint64 {
	b := make([]byte, len(places)*headSize)
	parts := make([]target.Part, len(places))
	for i, at := range places {
		parts[i] = target.Part{At: at.start, To: b[i*headSize:][:headSize]}
	}
	out := make([][]uint64, len(places))
	readAll(mem, parts, func(i int) { out[i] = wordsOf(parts[i].To) })
	return out
}

// readAhead is memory of which heads of pages have been read, by their addresses. There are no others.
type readAhead struct {
	io.ReaderAt
	heads map[uint64][]byte
}

func (m readAhead) ReadAt(p []byte, off int64) (int, error) {
	if len(p) != headSize {
		return m.ReaderAt.ReadAt(p, off)
	}
	return copy(p, m.heads[uint64(off)]), nil
}

// readHeads reads the heads of pages ahead that are elsewhere, if there are any. firsts are the first words of places.
func (h *Heap) readHeads(firsts [][]uint64) readAhead {
	var parts []target.Part
	for _, first := range firsts {
		if first != nil && first[1]%word == 0 && h.inRange(first[1]) {
			parts = append(parts, target.Part{At: first[1], To: make([]byte, headSize)})
		}
	}
	out := readAhead{h.mem, map[uint64][]byte{}}
	readAll(h.mem, parts, func(i int) { out.heads[parts[i].At] = parts[i].To })
	return out
}

// readAll reads ranges, and calls done with the number of each that can be read.
func readAll(mem io.ReaderAt, parts []target.Part, done func(i int)) {
	for i := 0; i < len(parts); i++ { // behind one that cannot be read
		for read := i + readParts(mem, parts[i:]); i < read; i++ {
			done(i)
		}
	}
}

// readParts reads ranges until one of them cannot be read, and returns how many it has read.
func readParts(mem io.ReaderAt, parts []target.Part) (n int) {
	if of, ok := mem.(target.PartsReader); ok {
		n, _ = of.ReadParts(parts)
		return n
	}
	for _, p := range parts {
		if _, err := mem.ReadAt(p.To, int64(p.At)); err != nil {
			break
		}
		n++
	}
	return n
}

// Isolates are the addresses of what each isolate has of the heap, lowest first. Those beyond maxHeaps are left out.
func (h *Heap) Isolates() (out []uint64) {
	for i := range h.pages {
		out = append(out, h.pages[i].heap)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > maxHeaps {
		out, h.Cut = out[:maxHeaps], true
	}
	return out
}

// Of is the heap of one isolate.
func (h *Heap) Of(isolate uint64) *Heap {
	one := *h
	one.pages, one.areas = nil, map[uint64][]area{}
	for _, p := range h.pages {
		if p.heap == isolate {
			one.pages = append(one.pages, p)
		}
	}
	one.forget()
	one.findAreas()
	one.findUnused()
	return &one
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
