// Package threadlocal finds out where the thread-local variables are by which applications publish contexts: what the
// ELF files say (Read), and what the dynamic linker made of it in one process (Find).
package threadlocal

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
)

// The variables, and a constant that belongs to them.
const (
	NodeContext   = "otel_thread_ctx_nodejs_v1" // RFC in open-telemetry/opentelemetry-ebpf-profiler, pull request 1861
	ThreadContext = "otel_thread_ctx_v1"        // OpenTelemetry, OTEP 4947

	LabelsVersion = "custom_labels_abi_version" // u32, no thread-local: Polar Signals, Custom Label ABI (v1)
	LabelsSet     = "custom_labels_current_set"
	LabelsHandle  = "custom_labels_als_handle" // github.com/polarsignals/custom-labels, js/addon.cpp
	LabelsHash    = "custom_labels_als_identity_hash"
)

var wanted = []string{NodeContext, ThreadContext, LabelsVersion, LabelsSet, LabelsHandle, LabelsHash}

// Limits of what is read of a file, in bytes. Node 24's dynamic symbols have 2 MB, their names 9 MB.
const (
	maxSymbols     = 64 << 20
	maxStrings     = 256 << 20
	maxRelocations = 64 << 20 // of all sections
	maxReferences  = 4096     // that are kept
	symbolSize     = 24
	relocationSize = 24
)

// File is what an ELF file says of the variables.
type File struct {
	Defined map[string]uint64 // offset in the file's thread-local block; of LabelsVersion, ELF virtual address
	refs    []reference
	// base is where the block of an executable begins, from the thread pointer; 0 for a library, whose place the
	// dynamic linker chooses.
	base int64
}

// reference is a relocation for thread-local storage: words that tell, once they are relocated, where something is.
type reference struct {
	kind  elf.R_X86_64
	at    uint64 // ELF virtual address of the words
	name  string // a wanted variable, maybe another file's; empty for a place in this file's own block
	value uint64 // of name "": offset in the block
}

// Read looks for the variables in a file. It is nil for a file that has to do with none of them, which is nearly all.
func Read(f *elf.File) (*File, error) {
	symbols := f.SectionByType(elf.SHT_DYNSYM)
	if symbols == nil || int(symbols.Link) >= len(f.Sections) {
		return nil, nil
	}
	names, err := contents(f.Sections[symbols.Link], maxStrings)
	if err != nil {
		return nil, err
	}
	at := nameOffsets(names)
	if len(at) == 0 {
		return nil, nil
	}
	table, err := contents(symbols, maxSymbols)
	if err != nil {
		return nil, err
	}
	out := &File{Defined: map[string]uint64{}, base: executableBase(f)}
	for b := table; len(b) >= symbolSize; b = b[symbolSize:] {
		s := decodeSymbol(b, at)
		if s.name != "" && s.defined && s.local == (s.name != LabelsVersion) {
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

// nameOffsets are the places of the wanted names in a string table. (A name may be the end of another one.)
func nameOffsets(names []byte) map[uint32]string {
	at := map[uint32]string{}
	for _, w := range wanted {
		needle := append([]byte(w), 0)
		for from := 0; ; {
			i := bytes.Index(names[from:], needle)
			if i < 0 {
				break
			}
			at[uint32(from+i)] = w
			from += i + len(needle)
		}
	}
	return at
}

type symbol struct {
	name           string // empty for one that is not wanted
	value          uint64
	defined, local bool // in this file; thread-local
}

// decodeSymbol takes an Elf64_Sym apart: name u32, info u8, other u8, section u16, value u64, size u64.
func decodeSymbol(b []byte, names map[uint32]string) symbol {
	return symbol{
		name:    names[binary.LittleEndian.Uint32(b)],
		value:   binary.LittleEndian.Uint64(b[8:]),
		defined: binary.LittleEndian.Uint16(b[6:]) != 0,
		local:   elf.ST_TYPE(b[4]) == elf.STT_TLS,
	}
}

var referenceKinds = []elf.R_X86_64{elf.R_X86_64_TLSDESC, elf.R_X86_64_TPOFF64, elf.R_X86_64_DTPMOD64}

// references keeps the relocations, Elf64_Rela each, that tell where a wanted variable or this file's block is.
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

const flagPIE = 0x08000000 // DF_1_PIE of DT_FLAGS_1 (elf.h)

// executableBase is where the thread-local block of an executable begins: below the thread pointer, and its linker has
// computed with that already.
func executableBase(f *elf.File) int64 {
	if f.Type != elf.ET_EXEC {
		if flags, err := f.DynValue(elf.DT_FLAGS_1); err != nil || len(flags) == 0 || flags[0]&flagPIE == 0 {
			return 0
		}
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_TLS && p.Memsz < 1<<30 && p.Align < 1<<20 {
			align := max(int64(p.Align), 1)
			return -(int64(p.Memsz) + align - 1) / align * align
		}
	}
	return 0
}
