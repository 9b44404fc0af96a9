// Package threadlocal finds the thread-local variables in which applications publish contexts: Read reads their symbols
// and relocations in an ELF file, Find reads the places that the dynamic linker chose in a process.
package threadlocal

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/symbols"
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
	maxName        = 64       // with its zero
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
	dynamic := f.SectionByType(elf.SHT_DYNSYM)
	if dynamic == nil || int(dynamic.Link) >= len(f.Sections) {
		return nil, nil
	}
	names, err := symbols.Contents(f.Sections[dynamic.Link], maxStrings)
	if err != nil {
		return nil, err
	}
	table, err := symbols.Contents(dynamic, maxSymbols)
	if err != nil || !namesAny(table, names) {
		return nil, err
	}
	out := &File{Defined: map[string]uint64{}, base: executableBase(f)}
	for b := table; len(b) >= symbolSize; b = b[symbolSize:] {
		s := decodeSymbol(b, names)
		if s.name != "" && s.defined && s.local == wanted[s.name] {
			out.Defined[s.name] = s.value
		}
	}
	left := uint64(maxRelocations)
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || int(s.Link) >= len(f.Sections) || f.Sections[s.Link] != dynamic {
			continue
		}
		data, err := symbols.Contents(s, left)
		if err != nil {
			return nil, err
		}
		left -= uint64(len(data))
		out.references(data, table, names)
	}
	return out, nil
}

// namesAny reports whether symbols have a wanted name. Functions and other objects, which are nearly all symbols of a
// file, are not asked.
func namesAny(table, names []byte) bool {
	for b := table; len(b) >= symbolSize; b = b[symbolSize:] {
		switch elf.ST_TYPE(b[4]) {
		case elf.STT_FUNC, elf.STT_OBJECT:
			continue
		}
		if decodeSymbol(b, names).name != "" {
			return true
		}
	}
	return false
}

type symbol struct {
	name           string // empty for one that is not wanted
	value          uint64
	defined, local bool // in this file; thread-local
}

// decodeSymbol decodes an Elf64_Sym: name u32, info u8, other u8, section u16, value u64, size u64.
func decodeSymbol(b, names []byte) symbol {
	return symbol{
		name:    wantedName(names, binary.LittleEndian.Uint32(b)),
		value:   binary.LittleEndian.Uint64(b[8:]),
		defined: binary.LittleEndian.Uint16(b[6:]) != 0,
		local:   elf.ST_TYPE(b[4]) == elf.STT_TLS,
	}
}

// wantedName returns the name at an offset of a string table, if it is one that is looked for.
func wantedName(names []byte, at uint32) string {
	if uint64(at) >= uint64(len(names)) {
		return ""
	}
	rest := names[at:min(len(names), int(at)+maxName)]
	name := rest[:max(0, bytes.IndexByte(rest, 0))]
	if _, ok := wanted[string(name)]; ok {
		return string(name)
	}
	return ""
}

// references keeps those relocations, Elf64_Rela each, that say where a wanted variable or this file's block is.
func (f *File) references(relocations, table, names []byte) {
	for b := relocations; len(b) >= relocationSize && len(f.refs) < maxReferences; b = b[relocationSize:] {
		info := binary.LittleEndian.Uint64(b[8:])
		r := reference{kind: elf.R_X86_64(elf.R_TYPE64(info)), at: binary.LittleEndian.Uint64(b)}
		if !slices.Contains(referenceKinds, r.kind) {
			continue
		}
		r.value = binary.LittleEndian.Uint64(b[16:])
		if i := uint64(elf.R_SYM64(info)); i != 0 {
			if (i+1)*symbolSize > uint64(len(table)) {
				continue
			}
			s := decodeSymbol(table[i*symbolSize:], names)
			if s.name == "" && !s.defined {
				continue // a variable of another file
			}
			r.name = s.name
			r.value += s.value
		}
		f.refs = append(f.refs, r)
	}
}
