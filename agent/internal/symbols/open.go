package symbols

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

const (
	// maxSymbols and maxStrings bound a symbol table and its string table, in bytes. Node 26's have 4 and 19 MB.
	maxSymbols = 128 << 20
	maxStrings = 512 << 20
	symbolSize = 24 // of an Elf64_Sym
)

// Open reads .symtab and .dynsym of a 64-bit little-endian ELF file: functions, and symbols without type in executable
// sections if they have a size or are builtins of V8. It reads no other part of the file and does not keep r. The error
// is ErrNoSymbols if there are none, as in a stripped executable without exports.
func Open(r io.ReaderAt) (*Table, error) { return OpenWith(r, nil) }

// OpenWith is Open for a stripped file with a separate debug file, whose .symtab it reads. A nil debug means none.
func OpenWith(r, debug io.ReaderAt) (*Table, error) {
	f, err := open(r)
	if err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	full := f
	if debug != nil {
		if full, err = open(debug); err != nil {
			return nil, fmt.Errorf("read symbols of the debug file: %w", err)
		}
	}
	t := new(Table)
	static, err := t.section(full, elf.SHT_SYMTAB, 0)
	if err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	dynamic, err := t.section(f, elf.SHT_DYNSYM, secondTable)
	if err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	if err := t.fill(append(static, dynamic...)); err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	t.dropUnused()
	return t, nil
}

func open(r io.ReaderAt) (*elf.File, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	if f.Class != elf.ELFCLASS64 || f.ByteOrder != binary.LittleEndian {
		return nil, fmt.Errorf("%v %v, only 64-bit little-endian files are supported", f.Class, f.Data)
	}
	return f, nil
}

// dropUnused drops the dynamic names if no entry uses them.
func (t *Table) dropUnused() {
	for _, e := range t.entries {
		if e.name >= secondTable {
			return
		}
	}
	t.names[1] = nil
}

// section reads the symbol table of a type, if there is one. It adds table to the offsets of names.
func (t *Table) section(f *elf.File, kind elf.SectionType, table uint32) ([]candidate, error) {
	s := f.SectionByType(kind)
	if s == nil {
		return nil, nil
	}
	if int64(s.Link) >= int64(len(f.Sections)) {
		return nil, fmt.Errorf("section %s: its names are in section %d of %d", s.Name, s.Link, len(f.Sections))
	}
	data, err := contents(s, maxSymbols)
	if err != nil {
		return nil, err
	}
	t.names[table/secondTable], err = contents(f.Sections[s.Link], maxStrings)
	if err != nil {
		return nil, err
	}
	var all []candidate
	for ; len(data) >= symbolSize; data = data[symbolSize:] {
		if c, ok := t.candidate(f, data, table); ok {
			all = append(all, c)
		}
	}
	return all, nil
}

func contents(s *elf.Section, limit uint64) ([]byte, error) {
	if s.Size > limit || s.FileSize > limit {
		return nil, fmt.Errorf("section %s: %d bytes, more than %d", s.Name, s.Size, limit)
	}
	data, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf("section %s: %w", s.Name, err)
	}
	return data, nil
}

// candidate decodes an Elf64_Sym (System V ABI, figure 4-16: name u32, info u8, other u8, section u16, value u64,
// size u64). False means it does not name code.
func (t *Table) candidate(f *elf.File, b []byte, table uint32) (candidate, bool) {
	le := binary.LittleEndian
	offset, index := le.Uint32(b), int(le.Uint16(b[6:]))
	start, size := le.Uint64(b[8:]), le.Uint64(b[16:])
	if offset >= secondTable || index == 0 || index >= len(f.Sections) {
		return candidate{}, false
	}
	s := f.Sections[index]
	c := candidate{limit: s.Addr + s.Size}
	c.start, c.size, c.name = start, uint32(min(size, math.MaxUint32)), offset|table
	name := t.raw(c.name)
	if len(name) == 0 || size == 0 && start >= c.limit {
		return candidate{}, false
	}
	c.rank = bindingRank(elf.ST_BIND(b[4]))
	if size == 0 {
		c.rank += rankNoSize
	}
	switch elf.ST_TYPE(b[4]) {
	case elf.STT_FUNC, elf.STT_GNU_IFUNC:
		return c, true
	case elf.STT_NOTYPE:
		c.rank += rankNoType
		code := s.Flags&elf.SHF_EXECINSTR != 0
		return c, code && (size != 0 || strings.HasPrefix(string(name), "Builtins_"))
	}
	return candidate{}, false
}

func bindingRank(b elf.SymBind) uint8 {
	switch b {
	case elf.STB_LOCAL:
		return rankLocal
	case elf.STB_WEAK:
		return rankWeak
	}
	return rankGlobal
}
