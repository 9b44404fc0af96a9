package target

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// PageSize is the unit that memory is recorded in, in bytes.
const PageSize = 4096

// maxPages bounds a recording.
const maxPages = 4096

// Recording is what was kept of a stopped thread: its registers and some pages of its process's memory. It is an
// io.ReaderAt, for which all other memory is unreadable. Reading it is safe for concurrent use.
type Recording struct {
	Registers Registers
	About     json.RawMessage // what else the one who recorded it wants to know again
	Pages     map[uint64][]byte
}

// ErrNotRecorded says that a page is not in the recording.
var ErrNotRecorded = errors.New("page is not recorded")

// ReadAt reads len(p) bytes at the address off. The error wraps ErrNotRecorded where a page is missing; n bytes before
// it were read.
func (r *Recording) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		at := uint64(off) + uint64(n)
		page := r.Pages[at&^(PageSize-1)]
		if page == nil {
			return n, fmt.Errorf("read %d bytes at 0x%x: 0x%x: %w", len(p), uint64(off), at, ErrNotRecorded)
		}
		n += copy(p[n:], page[at%PageSize:])
	}
	return n, nil
}

// Addresses are the addresses of the pages, rising.
func (r *Recording) Addresses() []uint64 { return slices.Sorted(maps.Keys(r.Pages)) }

// Without is the recording without one of its pages.
func (r *Recording) Without(page uint64) *Recording {
	out := *r
	out.Pages = maps.Clone(r.Pages)
	delete(out.Pages, page)
	return &out
}

// Recorder records the memory that is read through it. It is not safe for concurrent use.
type Recorder struct {
	Mem io.ReaderAt
	Recording
}

// ReadAt reads from the process, and keeps the pages that it could read.
func (r *Recorder) ReadAt(p []byte, off int64) (int, error) {
	if len(p) > 0 {
		r.Keep(uint64(off), uint64(len(p)))
	}
	return r.Recording.ReadAt(p, off)
}

// Keep records the pages of a range of addresses, those that can be read, up to the first that cannot.
func (r *Recorder) Keep(at, size uint64) {
	if r.Pages == nil {
		r.Pages = map[uint64][]byte{}
	}
	for n := range (at%PageSize + size + PageSize - 1) / PageSize {
		page := at&^(PageSize-1) + n*PageSize
		if r.Pages[page] != nil {
			continue
		}
		b := make([]byte, PageSize)
		if len(r.Pages) >= maxPages || page == 0 {
			return
		}
		if n, _ := r.Mem.ReadAt(b, int64(page)); n < PageSize {
			return
		}
		r.Pages[page] = b
	}
}
