package target

import (
	"io"
	"sync"
)

// Pages is the memory of a process, read page by page. A page that was read stays until Forget: a sample is named by
// hundreds of words, and most are on few pages. It is not safe for concurrent use.
type Pages struct {
	of   PartsReader
	kept *keptPages // nil: none
}

// PartsReader is memory that reads many ranges at once, as Live does.
type PartsReader interface {
	io.ReaderAt
	ReadParts(parts []Part) (n int, err error)
}

// NewPages reads memory through of.
func NewPages(of PartsReader) *Pages { return &Pages{of: of} }

// keptPages are pages by their addresses. Of those that share a place it has the one that was read last.
type keptPages struct {
	round  uint64 // what was kept in other rounds counts no more
	places [64]struct {
		round, at uint64
		page      [PageSize]byte
	}
}

// unusedPages are *keptPages. Few processes are named at a time, so that they are not kept for each.
var unusedPages = sync.Pool{New: func() any { return new(keptPages) }}

// Forget has all memory read anew.
func (p *Pages) Forget() {
	if p.kept != nil {
		unusedPages.Put(p.kept)
		p.kept = nil
	}
}

// ReadAt reads as Live.ReadAt does. It reads what is longer than a page anew.
func (p *Pages) ReadAt(b []byte, off int64) (n int, err error) {
	if len(b) > PageSize {
		return p.of.ReadAt(b, off)
	}
	for n < len(b) {
		at := uint64(off) + uint64(n)
		page := p.page(at &^ (PageSize - 1))
		if page == nil {
			some, err := p.of.ReadAt(b[n:], int64(at)) // which says why
			return n + some, err
		}
		n += copy(b[n:], page[at%PageSize:])
	}
	return n, nil
}

// page returns the page at an address; nil if it cannot be read.
func (p *Pages) page(at uint64) []byte {
	if p.kept == nil {
		p.kept = unusedPages.Get().(*keptPages)
		p.kept.round++
	}
	number := at / PageSize
	place := &p.kept.places[(number^number/64)%64]
	if place.round == p.kept.round && place.at == at {
		return place.page[:]
	}
	place.round = 0
	if _, err := p.of.ReadAt(place.page[:], int64(at)); err != nil {
		return nil
	}
	place.round, place.at = p.kept.round, at
	return place.page[:]
}

// ReadParts reads ranges as Live.ReadParts does, all anew.
func (p *Pages) ReadParts(parts []Part) (int, error) { return p.of.ReadParts(parts) }
