package loaded

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// Limits of tables that the dynamic linker is told of, in bytes. Node 20 has names of 5.3 MB.
const (
	maxStrings     = 64 << 20
	maxRelocations = 64 << 20
)

// sections are headers of sections, and what is in those that are not loaded, at an offset of the file.
type sections struct {
	headers []elf.Section64
	names   []byte
	data    []byte
	at      uint64
}

// add adds a section, and returns its number.
func (s *sections) add(name string, h elf.Section64) uint32 {
	h.Name = uint32(len(s.names))
	s.names = append(append(s.names, name...), 0)
	s.headers = append(s.headers, h)
	return uint32(len(s.headers) - 1)
}

// addOwn adds a section with contents that the file does not have.
func (s *sections) addOwn(name string, h elf.Section64, contents []byte) uint32 {
	h.Off, h.Size = s.at+uint64(len(s.data)), uint64(len(contents))
	s.data = append(s.data, contents...)
	return s.add(name, h)
}

// makeSections makes headers of sections, behind all that is loaded.
func (f *File) makeSections() error {
	d, err := f.readDynamic()
	if err != nil {
		return err
	}
	s := &sections{at: f.end()}
	s.add("", elf.Section64{})
	symbols := f.addSymbols(s, d)
	relocations := elf.Section64{Type: uint32(elf.SHT_RELA), Flags: uint64(elf.SHF_ALLOC), Link: symbols}
	f.addLoaded(s, d, ".rela.dyn", elf.DT_RELA, min(d[elf.DT_RELASZ], maxRelocations), relocations)
	if d[elf.DT_PLTREL] == uint64(elf.DT_RELA) {
		f.addLoaded(s, d, ".rela.plt", elf.DT_JMPREL, min(d[elf.DT_PLTRELSZ], maxRelocations), relocations)
	}
	s.addOwn(".dynamic", elf.Section64{Type: uint32(elf.SHT_DYNAMIC)}, binary.LittleEndian.AppendUint64(
		binary.LittleEndian.AppendUint64(nil, uint64(elf.DT_FLAGS_1)), d[elf.DT_FLAGS_1]))
	s.addOwn(".shstrtab", elf.Section64{Type: uint32(elf.SHT_STRTAB)}, append(s.names, ".shstrtab\x00"...))
	headers := s.at + uint64(len(s.data))
	made := bytes.NewBuffer(s.data)
	_ = binary.Write(made, binary.LittleEndian, s.headers) // a Buffer takes all
	f.parts = append(f.parts, part{int64(s.at), int64(made.Len()), bytes.NewReader(made.Bytes()), 0})
	f.setSections(headers, len(s.headers))
	return nil
}

// setSections writes into the header where the headers of n sections are, of which the last has their names.
func (f *File) setSections(off uint64, n int) {
	le := binary.LittleEndian
	le.PutUint64(f.header[40:], off)
	le.PutUint16(f.header[58:], sectionHeaderSize)
	le.PutUint16(f.header[60:], uint16(n))
	le.PutUint16(f.header[62:], uint16(max(n-1, 0)))
}

// end returns an offset behind all segments.
func (f *File) end() (off uint64) {
	for _, p := range f.segments {
		off = max(off, p.Off+p.Filesz)
	}
	return max(off, headerSize)
}

// addLoaded adds a section that the dynamic linker is told of by the tag of its address, and returns its number; 0 if
// there is none.
func (f *File) addLoaded(s *sections, d dynamic, name string, tag elf.DynTag, size uint64, h elf.Section64) uint32 {
	at, ok := f.span(d, tag, size)
	if !ok || size == 0 {
		return 0
	}
	h.Addr, h.Off, h.Size = at.vaddr, at.off, at.size
	return s.add(name, h)
}

// addSymbols adds .dynsym and .dynstr, and a section for the code of each segment. It returns the number of the first.
func (f *File) addSymbols(s *sections, d dynamic) uint32 {
	if _, any := d[elf.DT_SYMTAB]; !any {
		return 0
	}
	fail := func(err error) uint32 { f.missing = err; return 0 }
	n, err := f.countSymbols(d)
	if err != nil {
		return fail(err)
	}
	at, ok := f.span(d, elf.DT_SYMTAB, n*symbolSize)
	if !ok || d[elf.DT_STRSZ] > maxStrings {
		return fail(fmt.Errorf("%d symbols, with %d bytes of names: %w", n, d[elf.DT_STRSZ], errNotLoaded))
	}
	names := f.addLoaded(s, d, ".dynstr", elf.DT_STRTAB, d[elf.DT_STRSZ], elf.Section64{Type: uint32(elf.SHT_STRTAB)})
	table := make([]byte, at.size)
	if _, err := f.ReadAt(table, int64(at.off)); err != nil || names == 0 {
		return fail(fmt.Errorf("its symbols and their names: %w", errNotLoaded))
	}
	code := f.addCode(s)
	for b := table; len(b) >= symbolSize; b = b[symbolSize:] {
		numberSection(b, code)
	}
	return s.addOwn(".dynsym", elf.Section64{Type: uint32(elf.SHT_DYNSYM), Link: names, Entsize: symbolSize}, table)
}

// codeSection is where the code of a segment is loaded, and the number of its section.
type codeSection struct {
	vaddr, size uint64
	number      uint16
}

func (f *File) addCode(s *sections) (all []codeSection) {
	for _, p := range f.segments {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			number := s.add(".text", elf.Section64{
				Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR),
				Addr: p.Vaddr, Off: p.Off, Size: p.Filesz,
			})
			all = append(all, codeSection{p.Vaddr, p.Filesz, uint16(number)})
		}
	}
	return all
}

// numberSection puts the number of its section into a symbol of the file. A symbol without a size ends with a section
// that is not known, so it must not name code; like data, it is in none. (System V ABI, figure 4-16)
func numberSection(symbol []byte, code []codeSection) {
	le := binary.LittleEndian
	if n := elf.SectionIndex(le.Uint16(symbol[6:])); n == elf.SHN_UNDEF || n >= elf.SHN_LORESERVE {
		return
	}
	number := uint16(elf.SHN_ABS)
	value, size := le.Uint64(symbol[8:]), le.Uint64(symbol[16:])
	for _, c := range code {
		if in := value - c.vaddr; size > 0 && in < c.size {
			number = c.number
		}
	}
	le.PutUint16(symbol[6:], number)
}
