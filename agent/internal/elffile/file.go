// Package elffile reads the ELF files that processes have mapped: symbols, unwind rules, build id, and the layout of
// the V8 in them. It reads each file once, however many processes run it.
package elffile

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"sync"
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
	Symbols *symbols.Table
	Rules   *unwind.Table
	Slot    uint32         // number of the rules in the BPF program; 0 = none
	Pages   uint32         // of their index
	Layout  *layout.Layout // nil: there is no V8 in it
	// ThreadLocals are variables through which applications publish contexts; nil if the file refers to none.
	ThreadLocals *threadlocal.File
	Pool         *uvpool.Pool // of libuv; nil if there is none, or no symbols for it
	Problems     []error
	segments     symbols.Segments

	// For the cache.
	key       key
	stamp     stamp
	rows      int       // of the rules in the BPF map
	users     int       // Holds that have the file
	idleSince time.Time // when it had its last user
}

// Address converts an offset in the file to an ELF virtual address. It is false if no segment holds the offset.
func (f *File) Address(offset uint64) (uint64, bool) { return f.segments.Address(offset) }

// open reads the ELF header and the build id. If the file has no symbols, it opens the separate debug file below one of
// the roots; close closes that. ef is nil if it is not an ELF file.
func open(r io.ReaderAt, path string, roots []string) (f *File, ef *elf.File, debug io.ReaderAt, close func()) {
	f, close = &File{Path: path}, func() {}
	ef, err := elf.NewFile(r)
	if err != nil {
		f.Problems = append(f.Problems, fmt.Errorf("%s: %w", path, err))
		return f, nil, nil, close
	}
	f.segments = symbols.SegmentsOf(ef)
	f.BuildID, err = symbols.BuildID(ef)
	f.note("build id", err)
	if ef.Section(".symtab") == nil {
		found, err := openDebug(roots, f.BuildID)
		f.note("debug file", err)
		if found != nil {
			debug, close = found, func() { found.Close() }
		}
	}
	return f, ef, debug, close
}

// loadLayout reads only the layout of the V8 in a file.
func loadLayout(r io.ReaderAt, path string, roots ...string) *File {
	f, ef, debug, close := open(r, path, roots)
	defer close()
	if ef != nil {
		var err error
		f.Layout, err = layout.ReadWith(r, debug)
		f.note("V8", noV8(err))
	}
	return f
}

// noV8 drops an error that only says that there is no V8.
func noV8(err error) error {
	if errors.Is(err, layout.ErrNotV8) {
		return nil
	}
	return err
}

// load reads a file, its parts concurrently: Node.js has some hundred thousand symbols and as many unwind rules.
func load(r io.ReaderAt, path string, roots ...string) *File {
	f, ef, debug, close := open(r, path, roots)
	defer close()
	if ef == nil {
		return f
	}
	var errs [5]error
	var parts sync.WaitGroup
	parts.Go(func() {
		if f.Symbols, errs[0] = symbols.OpenWith(r, debug); f.Symbols != nil {
			f.Pool, errs[4] = uvpool.Find(ef, f.Symbols)
		}
	})
	parts.Go(func() { f.Rules, errs[1] = unwind.Build(ef) })
	parts.Go(func() { f.Layout, errs[2] = layout.ReadWith(r, debug) })
	parts.Go(func() { f.ThreadLocals, errs[3] = threadlocal.Read(ef) })
	parts.Wait()
	errs[2] = noV8(errs[2])
	for i, what := range []string{"symbols", "unwind rules", "V8", "thread-local variables", "thread pool"} {
		f.note(what, errs[i])
	}
	return f
}

func (f *File) note(what string, err error) {
	if err != nil {
		f.Problems = append(f.Problems, fmt.Errorf("%s: %s: %w", f.Path, what, err))
	}
}

// FromMemory reads a file that is in memory only, such as the vdso.
func FromMemory(image []byte, name string) *File { return load(bytes.NewReader(image), name) }
