package probe

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/procs"
	"github.com/hotspan/hotspan/agent/internal/symbols"
	"github.com/hotspan/hotspan/agent/internal/turn"
	"github.com/hotspan/hotspan/v8/elfheaders"
)

// Limits of a table of symbols, and of one for the dynamic linker, with their names each, in bytes. Node 26 has 4 and
// 19 MB, and 3 and 6 MB.
const maxTable, maxDynamic = 64 << 20, 16 << 20

// turns bound what is read for probes of files at a time, in bytes: it is in memory. A function may be searched for by
// several names.
var turns = turn.New(turn.Limits{Large: 256 << 20, One: 512 << 20, Passed: 64 << 20, AllPassed: 256 << 20})

// file reads an executable file in turn. It is for one goroutine.
type file struct {
	timed *procs.Timed
	size  int64
	turn  *turn.Turn // nil: it has not begun
	err   error      // of the turn
}

// newFile is a file, which the caller closes.
func newFile(f *os.File) (*file, error) {
	st, err := procs.StatFile(f)
	if err != nil {
		return nil, err
	}
	r := &file{timed: procs.NewTimed(f), size: st.Size}
	r.timed.WhenLate(func() { r.turn.Pass() })
	return r, nil
}

// begin waits for the turn of the file, when its headers have been read: if they do not come, nobody waits for it.
func (r *file) begin() { r.turn = turns.Begin(r.size) }

// end ends it.
func (r *file) end() { r.turn.End() }

// failed says why it could not be read; nil if nothing was amiss.
func (r *file) failed() error {
	if r.err != nil {
		return r.err
	}
	return r.timed.Err()
}

// ReadAt implements io.ReaderAt.
func (r *file) ReadAt(b []byte, off int64) (int, error) {
	if err := r.turn.Take(int64(len(b))); err != nil {
		r.err = err
		return 0, err
	}
	return r.timed.ReadAt(b, off)
}

// open reads the head of an ELF file.
func open(r io.ReaderAt) (*elf.File, error) {
	f, err := elfheaders.Open(r)
	if err != nil {
		return nil, err
	}
	for _, table := range f.Sections {
		most := uint64(maxTable)
		if table.Flags&elf.SHF_ALLOC != 0 {
			most = maxDynamic
		}
		kind := table.Type
		isTable := kind == elf.SHT_SYMTAB || kind == elf.SHT_STRTAB || kind == elf.SHT_DYNSYM
		if size := max(table.Size, table.FileSize); isTable && size > most {
			return nil, fmt.Errorf("section %s has %d bytes, more than %d", table.Name, size, most)
		}
	}
	return f, nil
}

// allSymbols are those of .symtab, read one by one, and then those of .dynsym.
func allSymbols(f *elf.File) iter.Seq[elf.Symbol] {
	return func(yield func(elf.Symbol) bool) {
		if !eachSymbol(f, yield) {
			return
		}
		dynamic, _ := f.DynamicSymbols() // a file may have none
		slices.Values(dynamic)(yield)
	}
}

// eachSymbol yields the symbols of .symtab, without keeping them, and reports whether to go on. (System V ABI, figure
// 4-16)
func eachSymbol(f *elf.File, yield func(elf.Symbol) bool) bool {
	table := f.SectionByType(elf.SHT_SYMTAB)
	if table == nil || int64(table.Link) >= int64(len(f.Sections)) || f.Class != elf.ELFCLASS64 {
		return true
	}
	names, err := symbols.Contents(f.Sections[table.Link], maxTable)
	if err != nil {
		return true
	}
	in := io.LimitReader(table.Open(), int64(table.Size))
	var raw elf.Sym64
	for b := make([]byte, 1<<12*elf.Sym64Size); ; {
		n, err := io.ReadFull(in, b)
		for at := 0; at+elf.Sym64Size <= n; at += elf.Sym64Size {
			_, bad := binary.Decode(b[at:], f.ByteOrder, &raw)
			if bad != nil || uint64(raw.Name) >= uint64(len(names)) {
				continue
			}
			name, _, _ := bytes.Cut(names[raw.Name:], []byte{0})
			s := elf.Symbol{Name: string(name), Info: raw.Info, Other: raw.Other, Section: elf.SectionIndex(raw.Shndx),
				Value: raw.Value, Size: raw.Size}
			if !yield(s) {
				return false
			}
		}
		if err != nil {
			return true
		}
	}
}
