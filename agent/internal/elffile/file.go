// Package elffile reads the ELF files that processes have mapped: symbols, unwind rules, build id, and the layout of
// the V8 in them. It reads each file once, however many processes run it and however many copies of it there are.
package elffile

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/agent/internal/threadlocal"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/agent/internal/uvpool"
	"github.com/hotspan/hotspan/v8/layout"
)

// File is a mapped ELF file. A part that could not be read is nil, and Problems says why.
type File struct {
	Path    string // as the first process that had it mapped sees it
	BuildID string
	Number  uint64 // that no other file of the cache has or had
	Symbols *symbols.Table
	Rules   *unwind.Table
	Slot    uint32         // number of the rules in the BPF program; 0 = none
	Pages   uint32         // of their index
	Layout  *layout.Layout // nil: there is no V8 in it
	// ThreadLocals are variables through which applications publish contexts; nil if the file refers to none.
	ThreadLocals *threadlocal.File
	Pool         *uvpool.Pool // of libuv; nil if there is none, or no symbols for it
	Problems     []error

	// For the cache.
	contents  *contents // nil: the file could not be opened
	key       key
	stamp     stamp
	users     int       // Holds that have the file
	idleSince time.Time // when it had its last user
}

// newFile makes the File of a path with contents.
func newFile(path string, c *contents) *File {
	f := &File{
		Path: path, BuildID: c.buildID, Symbols: c.symbols, Rules: c.rules, Slot: c.slot, Pages: c.pages,
		Layout: c.layout, ThreadLocals: c.threadLocals, Pool: c.pool, contents: c,
	}
	problems := c.problems
	if c.unplaced != nil {
		problems = append(slices.Clip(problems), problem{"unwind rules", c.unplaced})
	}
	for _, p := range problems {
		if p.what == "" {
			f.Problems = append(f.Problems, fmt.Errorf("%s: %w", path, p.err))
		} else {
			f.Problems = append(f.Problems, fmt.Errorf("%s: %s: %w", path, p.what, p.err))
		}
	}
	return f
}

// Unplaced reports whether the BPF program lacks the rules of the file, for want of room: there it follows frame
// pointers, and may leave out callers.
func (f *File) Unplaced() bool { return f.contents != nil && f.contents.unplaced != nil }

// Address converts an offset in the file to an ELF virtual address. It is false if no segment holds the offset.
func (f *File) Address(offset uint64) (uint64, bool) {
	if f.contents == nil {
		return 0, false
	}
	return f.contents.segments.Address(offset)
}

// FromMemory reads a file that is in memory only, such as the vdso.
func FromMemory(image []byte, name string) *File {
	return newFile(name, parse(bytes.NewReader(image), nil))
}
