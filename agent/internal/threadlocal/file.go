// Package threadlocal finds the thread-local variables in which applications publish contexts: Read reads their symbols
// and relocations in an ELF file, Find reads the places that the dynamic linker chose in a process.
package threadlocal

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// wanted are the symbols that are looked for, with whether each is a thread-local variable.
var wanted = func() map[string]bool {
	out := map[string]bool{}
	for _, v := range bpf.PublishedVariables {
		out[v.Name] = true
		if v.Hash != "" {
			out[v.Hash] = true
		}
		if v.Version != "" {
			out[v.Version] = false
		}
	}
	return out
}()

// Limits of the parts of a file that are read, in bytes. Node 24's dynamic symbols take 2 MB, their names 9 MB.
const (
	maxSymbols     = 64 << 20
	maxStrings     = 256 << 20
	maxRelocations = 64 << 20 // of all sections
	maxReferences  = 4096     // a count
	maxNames       = 1024     // likewise
	symbolSize     = 24
	relocationSize = 24
)

// File has the variables that an ELF file defines or refers to.
type File struct {
	Defined map[string]uint64 // offset in the file's thread-local block; of a version, ELF virtual address
	refs    []reference
	// base is where the block of an executable begins, from the thread pointer; 0 for a library, whose place the
	// dynamic linker chooses.
	base int64
}

// Read finds the variables in a file. The result is nil for a file that names none of them, like nearly all files.
func Read(f *elf.File) (*File, error) {
	symbols := f.SectionByType(elf.SHT_DYNSYM)
	if symbols == nil || int(symbols.Link) >= len(f.Sections) {
		return nil, nil
	}
	names, err := contents(f.Sections[symbols.Link], maxStrings)
	if err != nil {
		return nil, err
	}
	at, err := nameOffsets(names)
	if err != nil || len(at) == 0 {
		return nil, err
	}
	table, err := contents(symbols, maxSymbols)
	if err != nil {
		return nil, err
	}
	out := &File{Defined: map[string]uint64{}, base: executableBase(f)}
	for b := table; len(b) >= symbolSize; b = b[symbolSize:] {
		s := decodeSymbol(b, at)
		if s.name != "" && s.defined && s.local == wanted[s.name] {
			out.Defined[s.name] = s.value
		}
	}
	left := uint64(maxRelocations)
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || int(s.Link) >= len(f.Sections) || f.Sections[s.Link] != symbols {
			continue
		}
		data, err := contents(s, left)
		if err != nil {
			return nil, err
		}
		left -= uint64(len(data))
		out.references(data, table, at)
	}
	return out, nil
}

func contents(s *elf.Section, limit uint64) ([]byte, error) {
	if s.Size > limit || s.FileSize > limit {
		return nil, fmt.Errorf("section %s: %d bytes, more than %d", s.Name, s.Size, limit)
	}
	b, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf("section %s: %w", s.Name, err)
	}
	return b, nil
}

// nameOffsets returns the offsets of the wanted names in a string table. A name may be the end of another one, so it
// may be there several times.
func nameOffsets(names []byte) (map[uint32]string, error) {
	at := map[uint32]string{}
	for w := range wanted {
		needle := append([]byte(w), 0)
		for from := 0; ; {
			i := bytes.Index(names[from:], needle)
			if i < 0 {
				break
			}
			if at[uint32(from+i)] = w; len(at) > maxNames {
				return nil, fmt.Errorf("the names are there more than %d times", maxNames)
			}
			from += i + len(needle)
		}
	}
	return at, nil
}

type symbol struct {
	name           string // empty for one that is not wanted
	value          uint64
	defined, local bool // in this file; thread-local
}

// decodeSymbol decodes an Elf64_Sym: name u32, info u8, other u8, section u16, value u64, size u64.
func decodeSymbol(b []byte, names map[uint32]string) symbol {
	return symbol{
		name:    names[binary.LittleEndian.Uint32(b)],
		value:   binary.LittleEndian.Uint64(b[8:]),
		defined: binary.LittleEndian.Uint16(b[6:]) != 0,
		local:   elf.ST_TYPE(b[4]) == elf.STT_TLS,
	}
}

// references keeps those relocations, Elf64_Rela each, that say where a wanted variable or this file's block is.
func (f *File) references(relocations, symbols []byte, names map[uint32]string) {
	for b := relocations; len(b) >= relocationSize && len(f.refs) < maxReferences; b = b[relocationSize:] {
		info := binary.LittleEndian.Uint64(b[8:])
		r := reference{kind: elf.R_X86_64(elf.R_TYPE64(info)), at: binary.LittleEndian.Uint64(b)}
		if !slices.Contains(referenceKinds, r.kind) {
			continue
		}
		r.value = binary.LittleEndian.Uint64(b[16:])
		if i := uint64(elf.R_SYM64(info)); i != 0 {
			if (i+1)*symbolSize > uint64(len(symbols)) {
				continue
			}
			s := decodeSymbol(symbols[i*symbolSize:], names)
			if s.name == "" && !s.defined {
				continue // a variable of another file
			}
			r.name = s.name
			r.value += s.value
		}
		f.refs = append(f.refs, r)
	}
}
