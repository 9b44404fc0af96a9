// Package binary knows the ELF files that processes have mapped: symbols, unwind rules, build id, and the layout of
// the V8 that is in them. Each file is read once, whatever number of processes run it.
package binary

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"

	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/v8/layout"
)

// File is a mapped ELF file. What could not be read of it is nil, and said in Problems.
type File struct {
	Path     string // as the first process that had it mapped sees it
	BuildID  string
	Symbols  *symbols.Table
	Rules    *unwind.Table
	Slot     uint32         // number of the rules in the BPF program; 0 = none
	Pages    uint32         // of their index
	Layout   *layout.Layout // nil: there is no V8 in it
	Problems []error
	elf      *elf.File
}

// Address turns an offset in the file into an ELF virtual address.
func (f *File) Address(offset uint64) (uint64, bool) {
	if f.elf == nil {
		return 0, false
	}
	return symbols.FileAddress(f.elf, offset)
}

// load reads all but the V8 layout.
func load(r io.ReaderAt, path string) *File {
	f := &File{Path: path}
	ef, err := elf.NewFile(r)
	if err != nil {
		f.Problems = append(f.Problems, fmt.Errorf("%s: %w", path, err))
		return f
	}
	f.elf = ef
	f.BuildID, err = symbols.BuildID(ef)
	f.note("build id", err)
	f.Symbols, err = symbols.Open(r)
	f.note("symbols", err)
	f.Rules, err = unwind.Build(ef)
	f.note("unwind rules", err)
	return f
}

func (f *File) note(what string, err error) {
	if err != nil {
		f.Problems = append(f.Problems, fmt.Errorf("%s: %s: %w", f.Path, what, err))
	}
}

// loadLayout finds out whether there is a V8 in the file.
func (f *File) loadLayout(r io.ReaderAt) {
	l, err := layout.Read(r)
	if err == nil {
		f.Layout = l
	} else if !errors.Is(err, layout.ErrNotV8) {
		f.note("V8", err)
	}
}

// FromMemory reads a file that is in memory only, such as the vdso.
func FromMemory(image []byte, name string) *File { return load(bytes.NewReader(image), name) }
