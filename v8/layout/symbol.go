package layout

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

const (
	symbolSize     = 24        // bytes of an Elf64_Sym
	maxSymbolTable = 64 << 20  // bytes; Node 26's .symtab has 4 MB
	maxStringTable = 512 << 20 // bytes; Node 26's .strtab has 19 MB
)

// dbgPrefix begins the names of V8's debugger constants.
const dbgPrefix = "v8dbg_"

// loadSymbols fills im.syms from .dynsym and .symtab; what .dynsym says wins. A wanted name that ends in "*" is a
// prefix. Neither table is held in memory: first the string table is searched for names, then the symbols for those
// names.
func (im *image) loadSymbols(wanted []string) {
	names := newNameSet(wanted)
	for _, typ := range []elf.SectionType{elf.SHT_DYNSYM, elf.SHT_SYMTAB} {
		if tab := im.elf.SectionByType(typ); tab != nil && int(tab.Link) < len(im.elf.Sections) {
			im.loadTable(tab, im.elf.Sections[tab.Link], names)
		}
	}
}

// addSymbols takes from a separate debug file the symbols that the binary itself does not have.
func (im *image) addSymbols(debug io.ReaderAt, wanted []string) error {
	d, err := openImage(debug)
	if err != nil {
		return fmt.Errorf("debug file: %w", err)
	}
	d.syms = im.syms
	d.loadSymbols(wanted)
	return nil
}

func (im *image) loadTable(tab, str *elf.Section, wanted *nameSet) {
	tp, ok := sectionPiece(tab)
	sp, ok2 := sectionPiece(str)
	if !ok || !ok2 || tp.size > maxSymbolTable || sp.size > maxStringTable {
		return
	}
	names := wanted.find(im.r, sp)
	im.records(tp, symbolSize, func(b []byte) bool {
		im.keep(names, b)
		return true
	})
}

// keep takes a symbol whose name offset is in names, if it is defined in this file and not yet known.
func (im *image) keep(names map[uint32]string, sym []byte) {
	name, wanted := names[binary.LittleEndian.Uint32(sym)]
	section := binary.LittleEndian.Uint16(sym[6:])
	if _, seen := im.syms[name]; !wanted || seen || section == uint16(elf.SHN_UNDEF) {
		return
	}
	im.syms[name] = symbol{binary.LittleEndian.Uint64(sym[8:]), binary.LittleEndian.Uint64(sym[16:])}
}

// firstOf returns the first of the wanted names that the binary has; of those with a prefix, the least.
func (im *image) firstOf(wanted []string) (string, bool) {
	for _, w := range wanted {
		prefix, isPrefix := strings.CutSuffix(w, "*")
		if !isPrefix {
			if _, ok := im.syms[w]; ok {
				return w, true
			}
		} else if name, ok := im.least(prefix); ok {
			return name, true
		}
	}
	return "", false
}

func (im *image) least(prefix string) (best string, ok bool) {
	for n := range im.syms {
		if strings.HasPrefix(n, prefix) && (!ok || n < best) {
			best, ok = n, true
		}
	}
	return best, ok
}

// dbg returns the value of a debugger constant, named without its prefix.
func (im *image) dbg(name string) (int64, bool) {
	s, ok := im.syms[dbgPrefix+name]
	if !ok {
		return 0, false
	}
	v, err := im.i32(s.value)
	return int64(v), err == nil
}
