package space

import (
	"encoding/binary"
	"io"
)

// pageSize is the size of V8's pages, and what every page is aligned to. (src/common/globals.h, kRegularPageSize)
const pageSize = 1 << 18

// Flags of pages of the two halves of the young generation: of the one in which objects are made, and of the other one,
// which holds what was there before the last collection. (src/heap/memory-chunk.h)
const (
	fromPage = 1 << 3
	toPage   = 1 << 4
)

// page is a page of V8's heap, or the pages of one large object.
type page struct {
	at         uint64 // address
	start, end uint64 // addresses of what objects may have of it, [start, end)
	heap       uint64 // address of the Heap that it belongs to: each isolate has one
	owner      uint64 // address of its space
	flags      uint64
	size       uint64 // all of it, in bytes
	head       uint64 // address of what describes it
	unused     bool   // what is on it are no objects any more
}

// large says that there is one object.
func (p *page) large() bool { return p.size > pageSize }

// isNew says that it is of the young generation.
func (p *page) isNew() bool { return p.flags&(fromPage|toPage) != 0 && !p.large() }

// description is where V8 keeps what it knows of a page, in words of the page's head.
type description struct {
	apart bool // the head is where the second word of the page says, and its own second word is the page's address
	flags int  // always in the page itself

	size, heap, start, end, owner int
}

// descriptions are those of V8 9, 12 and 12.9 on. Which one a V8 has, shows in its memory. (src/heap/
// basic-memory-chunk.h; since V8 12.9 src/heap/memory-chunk.h and src/heap/base-page.h)
var descriptions = []description{
	{size: 0, flags: 1, heap: 2, start: 3, end: 4, owner: 8},
	{flags: 0, size: 2, heap: 3, start: 4, end: 5, owner: 9},
	{apart: true, flags: 0, size: 2, end: 7, heap: 8, start: 9, owner: 10},
}

const headWords = 11 // that are read of a head

// readPage reads the page at an address, in memory that ends at end; ok is false where none is. first are its first
// words.
func readPage(mem io.ReaderAt, at, end uint64, first []uint64) (p page, ok bool) {
	for _, d := range descriptions {
		head, w := at, first
		if d.apart {
			head = first[1]
			var ok bool
			if w, ok = words(mem, head, headWords); !ok || w[1] != at {
				continue
			}
		}
		p = page{at: at, start: w[d.start], end: w[d.end], heap: w[d.heap], owner: w[d.owner], flags: first[d.flags],
			size: w[d.size], head: head}
		if p.sound(end) && p.owned(mem) {
			return p, true
		}
	}
	return p, false
}

const (
	maxHead     = 1 << 14 // bytes of a page before its first object
	unit        = 1 << 12 // in which the memory of pages is asked for
	readOnly    = 0       // number of the space of what V8 never changes (src/common/globals.h, RO_SPACE)
	addressBits = 47
)

// sound reports whether the numbers of a head agree with each other.
func (p *page) sound(end uint64) bool {
	return p.size > 0 && p.size%unit == 0 && p.size <= end-p.at && p.heap > pageSize && p.heap>>addressBits == 0 &&
		p.start > p.at && p.start-p.at <= maxHead && (p.heap|p.owner|p.start|p.end)%word == 0 && p.start <= p.end &&
		p.end <= p.at+p.size
}

// owned reports whether the space of a page belongs to the page's heap: the heap is the first field of every space, its
// number the second one. What is read-only does not count. (src/heap/base-space.h)
func (p *page) owned(mem io.ReaderAt) bool {
	w, ok := words(mem, p.owner, 3)
	return ok && w[1] == p.heap && uint32(w[2]) != readOnly
}

const word = 8 // bytes

func le(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// words reads n words at an address.
func words(mem io.ReaderAt, at uint64, n int) ([]uint64, bool) {
	if at < unit || at>>addressBits != 0 {
		return nil, false
	}
	out := upTo(mem, at, n)
	return out, len(out) == n
}

// upTo reads at most n words at an address: those before the first that cannot be read.
func upTo(mem io.ReaderAt, at uint64, n int) []uint64 {
	b := make([]byte, word*n)
	got, _ := mem.ReadAt(b, int64(at))
	return wordsOf(b[:max(got, 0)])
}

func wordsOf(b []byte) []uint64 {
	out := make([]uint64, len(b)/word)
	for i := range out {
		out[i] = le(b[word*i:])
	}
	return out
}
