package layout

import (
	"debug/elf"
	"encoding/binary"
)

// tlsBase returns how far below the thread pointer the executable's thread-local block begins (ELF TLS variant II, as
// the C library lays it out). A shared library's place is not known before it is loaded.
func (im *image) tlsBase() (int64, bool) {
	executable := im.elf.Type == elf.ET_EXEC
	var base int64
	for _, p := range im.elf.Progs {
		switch {
		case p.Type == elf.PT_INTERP:
			executable = true
		case p.Type == elf.PT_TLS && p.Memsz < 1<<30 && p.Align < 1<<20:
			align := max(int64(p.Align), 1)
			base = (int64(p.Memsz) + align - 1) / align * align
		}
	}
	return base, executable && base > 0
}

const (
	relaSize = 24       // bytes of an Elf64_Rela
	maxRelas = 64 << 20 // bytes of all; Node 26's .rela.dyn has 29 kB, a position-independent build's some MB
)

// tpoff returns the offset from the thread pointer that the dynamic linker will write into a GOT slot.
func (im *image) tpoff(slot uint64) (n int64, ok bool) {
	left := int64(maxRelas)
	for _, s := range im.elf.Sections {
		p, inFile := sectionPiece(s)
		if s.Type != elf.SHT_RELA || !inFile || p.size > left {
			continue
		}
		left -= p.size
		im.records(p, relaSize, func(b []byte) bool {
			info := binary.LittleEndian.Uint64(b[8:])
			if binary.LittleEndian.Uint64(b) == slot && elf.R_TYPE64(info) == uint32(elf.R_X86_64_TPOFF64) {
				n, ok = im.tpoffOf(s, elf.R_SYM64(info), int64(binary.LittleEndian.Uint64(b[16:])))
			}
			return !ok
		})
		if ok {
			break
		}
	}
	return n, ok
}

// tpoffOf computes symbol value + addend - TLS block size, for a relocation against a symbol of its section's table.
func (im *image) tpoffOf(rela *elf.Section, sym uint32, addend int64) (int64, bool) {
	base, ok := im.tlsBase()
	if !ok || int(rela.Link) >= len(im.elf.Sections) {
		return 0, false
	}
	tab, ok := sectionPiece(im.elf.Sections[rela.Link])
	if !ok || (int64(sym)+1)*symbolSize > tab.size {
		return 0, false
	}
	b := im.upTo(tab.off+int64(sym)*symbolSize, symbolSize)
	if len(b) < symbolSize {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint64(b[8:])) + addend - base, true
}
