package flow

import (
	"debug/elf"
	"encoding/binary"

	"github.com/hotspan/hotspan/agent/internal/symbols"
)

// maxTables bounds the symbols of a kind and the relocations that are read, in bytes. musl has 100 KB.
const maxTables = 8 << 20

// Symbols and relocations have three words each (System V ABI, figure 4-16; its supplement for x86-64, section 4.4).
const (
	entrySize                    = 24
	globData, jumpSlot, relative = 6, 7, 8 // R_X86_64_GLOB_DAT, JUMP_SLOT and RELATIVE
)

// entries calls visit with each entry of the tables of a kind.
func entries(f *elf.File, kind elf.SectionType, visit func(words [3]uint64)) {
	left := uint64(maxTables)
	for _, s := range f.Sections {
		if s.Type != kind {
			continue
		}
		data, err := symbols.Contents(s, left)
		left -= uint64(len(data))
		for ; err == nil && len(data) >= entrySize; data = data[entrySize:] {
			le := binary.LittleEndian
			visit([3]uint64{le.Uint64(data), le.Uint64(data[8:]), le.Uint64(data[16:])})
		}
	}
}

// functionsOf notes where functions begin by symbols, and where they may by relocations, which are of tables of
// functions too; and which functions of the file the linker's jumps lead to.
func (w *walker) functionsOf(f *elf.File) {
	symbol := func(s [3]uint64) {
		if elf.ST_TYPE(uint8(s[0]>>32)) == elf.STT_FUNC {
			w.function(s[1], true)
		}
	}
	var dynamic []uint64
	entries(f, elf.SHT_DYNSYM, func(s [3]uint64) {
		dynamic = append(dynamic, s[1])
		symbol(s)
	})
	entries(f, elf.SHT_SYMTAB, symbol)
	entries(f, elf.SHT_RELA, func(r [3]uint64) {
		switch number := r[1] >> 32; uint32(r[1]) {
		case relative:
			w.function(r[2], false)
		case globData, jumpSlot:
			if number < uint64(len(dynamic)) {
				w.linked[r[0]] = dynamic[number]
			}
		}
	})
}
