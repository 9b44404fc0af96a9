// Package binary knows the ELF files that processes have mapped: symbols, unwind rules, build id, and the layout of
// the V8 that is in them. Each file is read once, whatever number of processes run it.
package binary

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/hotspan/hotspan/agent/internal/pool"
	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/agent/internal/threadlocal"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/v8/layout"
)

// File is a mapped ELF file. What could not be read of it is nil, and said in Problems.
type File struct {
	Path    string // as the first process that had it mapped sees it
	BuildID string
	Symbols *symbols.Table
	Rules   *unwind.Table
	Slot    uint32         // number of the rules in the BPF program; 0 = none
	Pages   uint32         // of their index
	Layout  *layout.Layout // nil: there is no V8 in it
	// ThreadLocals are variables by which applications publish contexts; nil: the file has to do with none.
	ThreadLocals *threadlocal.File
	Pool         *pool.Pool // of libuv; nil: there is none, or no symbols tell of it
	Problems     []error
	elf          *elf.File
	stamp        stamp
}

// Address turns an offset in the file into an ELF virtual address.
func (f *File) Address(offset uint64) (uint64, bool) {
	if f.elf == nil {
		return 0, false
	}
	return symbols.FileAddress(f.elf, offset)
}

// load reads a file, and its separate debug file from below the roots, if it has no symbols itself. The parts are read at
// the same time: Node.js has some hundred thousand symbols and as many rules.
func load(r io.ReaderAt, path string, roots ...string) *File {
	f := &File{Path: path}
	ef, err := elf.NewFile(r)
	if err != nil {
		f.Problems = append(f.Problems, fmt.Errorf("%s: %w", path, err))
		return f
	}
	f.elf = ef
	var errs [6]error
	f.BuildID, errs[3] = symbols.BuildID(ef)
	var debug io.ReaderAt
	if ef.Section(".symtab") == nil {
		found, err := openDebug(roots, f.BuildID)
		f.note("debug file", err)
		if found != nil {
			defer found.Close()
			debug = found
		}
	}
	var parts sync.WaitGroup
	parts.Go(func() {
		if f.Symbols, errs[0] = symbols.OpenWith(r, debug); f.Symbols != nil {
			f.Pool, errs[5] = pool.Find(ef, f.Symbols)
		}
	})
	parts.Go(func() { f.Rules, errs[1] = unwind.Build(ef) })
	parts.Go(func() { f.Layout, errs[2] = layout.ReadWith(r, debug) })
	parts.Go(func() { f.ThreadLocals, errs[4] = threadlocal.Read(ef) })
	parts.Wait()
	if errors.Is(errs[2], layout.ErrNotV8) {
		errs[2] = nil
	}
	for i, what := range []string{"symbols", "unwind rules", "V8", "build id", "thread-local variables", "thread pool"} {
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
