package layout

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"maps"
	"slices"
)

// Builtin is one of V8's builtins in a file.
type Builtin struct {
	Name  string
	Start uint64 // ELF virtual address
	Size  uint32 // bytes
}

// Builtins returns V8's builtins of a binary whose symbols are gone, by rising address: those that V8's own table
// names. Nil if there is no V8, or if it does not tell where they are.
func Builtins(r io.ReaderAt) []Builtin {
	im, err := openImage(r)
	if err != nil {
		return nil
	}
	im.loadSymbols(blobSymbols)
	code, _, _ := im.blob()
	names, places := im.builtins()
	var all []Builtin
	for i, name := range names {
		if name != "" {
			all = append(all, Builtin{name, code + uint64(places[i].offset), places[i].size})
		}
	}
	slices.SortStableFunc(all, func(a, b Builtin) int { return int(int64(a.Start) - int64(b.Start)) })
	return all
}

// builtins returns the names and the places of the builtins by their numbers; none unless there is a place for each
// name.
func (im *image) builtins() (names []string, places []place) {
	code, codeSize, ok1 := im.blob()
	table, size, ok2 := im.blobTable()
	_, inFile := im.fileOffset(code)
	if !ok1 || !ok2 || !inFile || codeSize <= 0 || size <= 0 || size > maxBlobTable {
		return nil, nil
	}
	data, err := im.bytes(table, int(size))
	if err != nil {
		return nil, nil
	}
	names = im.builtinNames()
	if places = placesOf(data, len(names), uint32(codeSize)); places == nil {
		return nil, nil
	}
	return names, places
}

// A row of builtin_metadata, V8's table of its builtins by number, is {name, kind, data}. (src/builtins/builtins.cc)
const (
	builtinSize    = 24      // bytes
	maxBuiltins    = 1 << 14 // Node 26 has 2,415
	maxBuiltinName = 128
)

// aBuiltin is the name of one of the first hundred. A linker keeps a text once; more than maxTexts are not looked at.
const (
	aBuiltin = "InterpreterEntryTrampoline"
	maxTexts = 4
)

// builtinNames returns the names of the builtins by their numbers: "" for those that the program writes into the table
// only when it starts, some of C++. The table has no symbol: it is around a pointer to the name of one of them. Nil if
// there is no such table, as in a position-independent file that has its pointers in relocations only.
func (im *image) builtinNames() []string {
	for _, p := range im.readOnly() {
		found := slices.Sorted(maps.Keys(newNameSet([]string{aBuiltin}).find(im.r, p)))
		for _, at := range found[:min(len(found), maxTexts)] {
			if name, ok := im.address(uint64(p.off) + uint64(at)); ok {
				if names := im.namesAround(name); names != nil {
					return names
				}
			}
		}
	}
	return nil
}

// address translates a file offset.
func (im *image) address(off uint64) (addr uint64, ok bool) {
	for _, p := range im.elf.Progs {
		if p.Type == elf.PT_LOAD && off >= p.Off && off-p.Off < p.Filesz {
			return p.Vaddr + off - p.Off, true
		}
	}
	return 0, false
}

// namesAround returns the names of the table that a pointer to one of them is in: among the constants, or among what is
// written when the file is loaded.
func (im *image) namesAround(name uint64) (names []string) {
	places := im.readOnly()
	for _, p := range im.elf.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_W != 0 && sane(p.Off, p.Filesz) {
			places = append(places, piece{int64(p.Off), int64(p.Filesz)})
		}
	}
	needle := [][]byte{binary.LittleEndian.AppendUint64(nil, name)}
	for _, p := range places {
		scan(im.r, p, needle, func(_ int, at int64) bool {
			names = im.rowsAround(at)
			return names == nil
		})
	}
	return names
}

// rowsAround returns the names of the rows of a table before and behind a row at a file offset, and its own.
func (im *image) rowsAround(at int64) []string {
	row := func(i int64) (name string, ok bool) {
		from := at + i*builtinSize
		if from < 0 {
			return "", false
		}
		return im.builtinName(im.upTo(from, builtinSize))
	}
	first, end := int64(0), int64(0)
	for ; first > -maxBuiltins; first-- {
		if _, ok := row(first - 1); !ok {
			break
		}
	}
	var names []string
	for end = first; end < first+maxBuiltins; end++ {
		name, ok := row(end)
		if !ok {
			break
		}
		names = append(names, name)
	}
	for len(names) > 0 && names[0] == "" {
		names = names[1:]
	}
	for len(names) > 0 && names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	return names
}

// builtinName returns the name that a row has, "" if it is empty; false if it is no row of the table.
func (im *image) builtinName(row []byte) (name string, ok bool) {
	if len(row) < builtinSize {
		return "", false
	}
	at := binary.LittleEndian.Uint64(row)
	if at == 0 {
		return "", !slices.ContainsFunc(row, func(b byte) bool { return b != 0 })
	}
	off, ok := im.fileOffset(at)
	text, _, whole := bytes.Cut(im.upTo(int64(off), maxBuiltinName), []byte{0})
	isLetter := func(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }
	other := func(b byte) bool { return !isLetter(b) && !(b >= '0' && b <= '9') && b != '_' }
	if !ok || !whole || len(text) == 0 || !isLetter(text[0]) || slices.ContainsFunc(text, other) {
		return "", false
	}
	return string(text), true
}

// place is where the code of a builtin is in the embedded blob, in bytes.
type place struct{ offset, size uint32 }

// What the embedded blob says of its code begins with some hashes. Then each builtin has a record, by number, which
// begins with offset and size of its code. Heads and records had other sizes in V8 9 than in 11, and may have others.
// (src/snapshot/embedded/embedded-data.h)
const (
	maxBlobTable         = 1 << 20 // bytes; Node 26 has 100 KB
	maxHead, headStep    = 64, 8
	minRecord, maxRecord = 8, 64
	recordStep           = 4
	codeAlignment        = 32
	maxPadding           = 2 * 64 // between builtins: they are aligned to 64 bytes at most
)

// placesOf returns where the code of n builtins is in an embedded blob, by their numbers. The size of the head and the
// records is that with which they fill all of the code, without a gap. Nil if there is none, or more than one.
func placesOf(table []byte, n int, codeSize uint32) (found []place) {
	for head := headStep; head <= maxHead; head += headStep {
		for record := minRecord; record <= maxRecord; record += recordStep {
			if head+n*record > len(table) {
				break
			}
			places := make([]place, n)
			for i := range places {
				b := table[head+i*record:]
				places[i] = place{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
			}
			if !fill(places, codeSize) {
				continue
			}
			if found != nil {
				return nil
			}
			found = places
		}
	}
	return found
}

// fill reports whether all of the code is in one of the places each, but for what aligns them.
func fill(places []place, size uint32) bool {
	outside := func(p place) bool { return p.offset%codeAlignment != 0 || p.offset > size || p.size > size-p.offset }
	if slices.ContainsFunc(places, outside) {
		return false
	}
	sorted := slices.Clone(places)
	slices.SortStableFunc(sorted, func(a, b place) int { return int(a.offset) - int(b.offset) })
	end := uint32(0)
	for _, p := range sorted {
		if p.offset < end || p.offset-end > maxPadding {
			return false
		}
		end = p.offset + p.size
	}
	return size-end <= maxPadding
}
