package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/hotspan/hotspan/v8/elfheaders"
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
func Open(r io.ReaderAt) (*Table, error) {
	t, err := OpenWith(r, nil)
	if err != nil {
		return nil, err
	}
	if err := t.Pack(); err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	return t, nil
}

// OpenWith is Open for a stripped file with a separate debug file, whose .symtab it reads. A nil debug means none: then
// more are functions that are known otherwise. Before Pack the table uses what a Memory has returned.
func OpenWith(r, debug io.ReaderAt, more ...Symbol) (*Table, error) {
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
	var b builder
	if full.SectionByType(elf.SHT_SYMTAB) == nil {
		b.exports = f
		b.add(more)
	}
	static, err := b.section(full, elf.SHT_SYMTAB, 0)
	if err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	dynamic, err := b.section(f, elf.SHT_DYNSYM, secondTable)
	if err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	b.all = slices.Grow(b.all, (len(static)+len(dynamic))/symbolSize)
	b.decode(full, static, 0)
	b.decode(f, dynamic, secondTable)
	t, err := b.table()
	if err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	return t, nil
}

func open(r io.ReaderAt) (*elf.File, error) {
	f, err := elfheaders.Open(r)
	if err != nil {
		return nil, err
	}
	if f.Class != elf.ELFCLASS64 || f.ByteOrder != binary.LittleEndian {
		return nil, fmt.Errorf("%v %v, only 64-bit little-endian files are supported", f.Class, f.Data)
	}
	return f, nil
}

// section returns the symbol table of a type, if there is one, and keeps its names: table is added to their offsets.
func (b *builder) section(f *elf.File, kind elf.SectionType, table uint32) ([]byte, error) {
	s := f.SectionByType(kind)
	if s == nil {
		return nil, nil
	}
	if int64(s.Link) >= int64(len(f.Sections)) {
		return nil, fmt.Errorf("section %s: its names are in section %d of %d", s.Name, s.Link, len(f.Sections))
	}
	data, err := Contents(s, maxSymbols)
	if err != nil {
		return nil, err
	}
	b.names[table/secondTable], err = Contents(f.Sections[s.Link], maxStrings)
	return data, err
}

// decode adds the candidates of a symbol table.
func (b *builder) decode(f *elf.File, data []byte, table uint32) {
	for ; len(data) >= symbolSize; data = data[symbolSize:] {
		if c, ok := b.candidate(f, data, table); ok {
			b.all = append(b.all, c)
		}
	}
}

// Contents returns the data of a section of at most limit bytes. Do not change it: if the reader of the file is a
// Memory, it is a part of that.
func Contents(s *elf.Section, limit uint64) ([]byte, error) {
	if s.Size > limit || s.FileSize > limit {
		return nil, fmt.Errorf("section %s: %d bytes, more than %d", s.Name, s.Size, limit)
	}
	if r, ok := s.ReaderAt.(*io.SectionReader); ok && s.Type != elf.SHT_NOBITS && s.Flags&elf.SHF_COMPRESSED == 0 {
		if file, off, n := r.Outer(); n == int64(s.FileSize) {
			if m, ok := elfheaders.File(file).(Memory); ok {
				return m.Bytes(off, n)
			}
		}
	}
	data, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf("section %s: %w", s.Name, err)
	}
	return data, nil
}

// Memory is a file that is in memory.
type Memory interface {
	// Bytes returns a part of the file without copying it; the error says that the file is shorter.
	Bytes(off, n int64) ([]byte, error)
}

// candidate decodes an Elf64_Sym (System V ABI, figure 4-16: name u32, info u8, other u8, section u16, value u64,
// size u64). False means it does not name code.
func (b *builder) candidate(f *elf.File, symbol []byte, table uint32) (candidate, bool) {
	le := binary.LittleEndian
	offset, index := le.Uint32(symbol), int(le.Uint16(symbol[6:]))
	start, size := le.Uint64(symbol[8:]), le.Uint64(symbol[16:])
	if offset >= secondTable || index == 0 || index >= len(f.Sections) {
		return candidate{}, false
	}
	s := f.Sections[index]
	c := candidate{
		start: start, size: uint32(min(size, math.MaxUint32)), name: offset | table,
		rank: bindingRank(elf.ST_BIND(symbol[4])),
	}
	if size == 0 {
		c.rank |= rankNoSize
		c.size = uint32(min(s.Addr+s.Size-start, maxReach))
	}
	name := b.from(c.name)
	if len(name) == 0 || name[0] == 0 || size == 0 && start >= s.Addr+s.Size {
		return candidate{}, false
	}
	switch elf.ST_TYPE(symbol[4]) {
	case elf.STT_FUNC, elf.STT_GNU_IFUNC:
		return c, true
	case elf.STT_NOTYPE:
		c.rank |= rankNoType
		code := s.Flags&elf.SHF_EXECINSTR != 0
		return c, code && (size != 0 || bytes.HasPrefix(name, []byte(Builtins)))
	}
	return candidate{}, false
}

// Builtins begins the names of V8's builtins.
const Builtins = "Builtins_"

func bindingRank(b elf.SymBind) uint8 {
	switch b {
	case elf.STB_LOCAL:
		return rankLocal
	case elf.STB_WEAK:
		return rankWeak
	}
	return rankGlobal
}
