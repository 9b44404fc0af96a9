package target

import (
	"io"
	"sync"
)

// Pages is the memory of a process, read page by page. A page that was read stays until Forget: a sample is named by
// hundreds of words, and most are on few pages. It is not safe for concurrent use.
type Pages struct {
	of   io.ReaderAt
	many bool       // for a walk through a heap
	kept *keptPages // nil: none
}

// PartsReader is memory that reads many ranges at once, as Live does.
type PartsReader interface {
	io.ReaderAt
	ReadParts(parts []Part) (n int, err error)
}

// How many pages are kept: for a sample, and for a walk through a heap, whose objects refer to any page.
const (
	fewPages  = 1 << 6
	manyPages = 1 << 11 // 8 MiB
)

// NewPages reads memory through of.
func NewPages(of PartsReader) *Pages { return &Pages{of: of} }

// NewManyPages is NewPages for walks through a heap: it keeps up to 8 MiB. Memory of a core is read by it too.
func NewManyPages(of io.ReaderAt) *Pages { return &Pages{of: of, many: true} }

// keptPages are pages by their addresses. Of those that share a place it has the one that was read last.
type keptPages struct {
	round  uint64 // what was kept in other rounds counts no more
	places []keptPage
}

type keptPage struct {
	round, at uint64
	page      [PageSize]byte
}

// unusedPages are *keptPages for samples. Few processes are named at a time, so that they are not kept for each.
var unusedPages = sync.Pool{New: func() any { return &keptPages{places: make([]keptPage, fewPages)} }}

// Forget has all memory read anew.
func (p *Pages) Forget() {
	switch {
	case p.kept == nil:
	case p.many:
		p.kept.round++
	default:
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
	switch {
	case p.kept != nil:
	case p.many:
		p.kept = &keptPages{1, make([]keptPage, manyPages)}
	default:
		p.kept = unusedPages.Get().(*keptPages)
		p.kept.round++
	}
	number, n := at/PageSize, uint64(len(p.kept.places)) // a power of two
	place := &p.kept.places[(number^number/fewPages)&(n-1)]
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
func (p *Pages) ReadParts(parts []Part) (int, error) {
	if of, ok := p.of.(PartsReader); ok {
		return of.ReadParts(parts)
	}
	for i := range parts {
		if _, err := p.of.ReadAt(parts[i].To, int64(parts[i].At)); err != nil {
			return i, err
		}
	}
	return len(parts), nil
}
