package layout

import (
	"debug/elf"
	"io"
)

// Probe reports whether a file has V8's debugger constants, without which too little of a V8 can be read. It searches
// the names of symbols only, and is much quicker than Read.
func Probe(r io.ReaderAt) bool {
	im, err := openImage(r)
	if err != nil {
		return false
	}
	found := false
	for _, typ := range []elf.SectionType{elf.SHT_DYNSYM, elf.SHT_SYMTAB} {
		tab := im.elf.SectionByType(typ)
		if found || tab == nil || int(tab.Link) >= len(im.elf.Sections) {
			continue
		}
		if names, ok := sectionPiece(im.elf.Sections[tab.Link]); ok && names.size <= maxStringTable {
			scan(r, names, [][]byte{[]byte(dbgPrefix)}, func(int, int64) bool { found = true; return false })
		}
	}
	return found
}
