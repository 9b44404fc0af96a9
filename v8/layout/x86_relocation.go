package layout

import (
	"debug/elf"
	"encoding/binary"
)

const (
	relaSize = 24       // bytes of an Elf64_Rela
	maxRelas = 64 << 20 // bytes of all; Node 26's .rela.dyn has 29 kB, a position-independent build's some MB
)

// relocation is what the dynamic linker will do to a word.
type relocation struct {
	kind   elf.R_X86_64
	symbol uint64 // its value
	addend int64
}

// relocation finds that of the word at an address.
func (im *image) relocation(addr uint64) (r relocation, ok bool) {
	left := int64(maxRelas)
	for _, s := range im.elf.Sections {
		p, inFile := sectionPiece(s)
		if s.Type != elf.SHT_RELA || !inFile || p.size > left {
			continue
		}
		left -= p.size
		im.records(p, relaSize, func(b []byte) bool {
			if binary.LittleEndian.Uint64(b) == addr {
				r, ok = im.decodeRela(s, b)
			}
			return !ok
		})
		if ok {
			break
		}
	}
	return r, ok
}

// decodeRela decodes an Elf64_Rela: offset u64, type u32, number of a symbol of the section's table u32, addend i64.
func (im *image) decodeRela(rela *elf.Section, b []byte) (relocation, bool) {
	info := binary.LittleEndian.Uint64(b[8:])
	r := relocation{kind: elf.R_X86_64(elf.R_TYPE64(info)), addend: int64(binary.LittleEndian.Uint64(b[16:]))}
	number := int64(elf.R_SYM64(info))
	if number == 0 {
		return r, true
	}
	if int(rela.Link) >= len(im.elf.Sections) {
		return r, false
	}
	tab, ok := sectionPiece(im.elf.Sections[rela.Link])
	if !ok || (number+1)*symbolSize > tab.size {
		return r, false
	}
	sym := im.upTo(tab.off+number*symbolSize, symbolSize)
	if len(sym) < symbolSize {
		return r, false
	}
	r.symbol = binary.LittleEndian.Uint64(sym[8:])
	return r, true
}

// pointer is the address that a word will hold in a process, if the file is loaded where it says.
func (im *image) pointer(addr uint64) (uint64, bool) {
	switch r, ok := im.relocation(addr); {
	case ok && (r.kind == elf.R_X86_64_RELATIVE || r.kind == elf.R_X86_64_64):
		return r.symbol + uint64(r.addend), true
	case ok && r.kind == elf.R_X86_64_GLOB_DAT:
		return r.symbol, true
	case ok:
		return 0, false
	}
	b, err := im.bytes(addr, 8)
	if err != nil || !im.look(0) { // maybe there is one that was not reached
		return 0, false
	}
	return binary.LittleEndian.Uint64(b), true
}
