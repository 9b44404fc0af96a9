package layout

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"slices"
)

// Builtin is one of V8's builtins in a file.
type Builtin struct {
	Name  string
	Start uint64 // ELF virtual address
	Size  uint32 // bytes
}

// readBuiltins finds the embedded blob. Each builtin in it has a symbol of its own where the blob has.
func (l *Layout) readBuiltins(im *image, unnamed func() builtins) {
	start, size, ok := im.blob()
	if !ok {
		b := unnamed()
		start, size, ok = b.start, int32(b.size), b.names != nil
	}
	if !ok {
		l.note("no symbol %s: builtins have no names", symBlob)
		return
	}
	off, inFile := im.fileOffset(start)
	if size <= 0 || !inFile {
		l.note("%s: %d bytes at %#x are not in the file", symBlob, size, start)
		return
	}
	l.Builtins = Range{start, start + uint64(size), off}
}

// Builtins returns V8's builtins of a binary whose symbols are gone, by rising address: those that V8's own table
// names. Nil if there is no V8, or if it does not tell where they are.
func Builtins(r io.ReaderAt) []Builtin {
	im, err := openImage(r)
	if err != nil {
		return nil
	}
	im.loadSymbols(blobSymbols)
	b := im.builtins()
	var all []Builtin
	for i, name := range b.names {
		if name != "" {
			all = append(all, Builtin{name, b.start + uint64(b.places[i].offset), b.places[i].size})
		}
	}
	slices.SortStableFunc(all, func(a, b Builtin) int { return int(int64(a.Start) - int64(b.Start)) })
	return all
}

// builtins are the names of V8's builtins and where they are, by their numbers.
type builtins struct {
	names  []string
	places []place
	start  uint64 // of their code
	size   uint32
}

// builtins finds them: none unless there is a place for each name, and code at the places.
func (im *image) builtins() (b builtins) {
	b.names = im.builtinNames()
	if len(b.names) == 0 {
		return builtins{}
	}
	ok := false
	if code, size, known := im.blob(); known {
		b.start, b.size = code, uint32(size)
		b.places = im.placesOf(len(b.names), b.size)
		_, ok = im.fileOffset(code)
	} else if b.places = im.findPlaces(len(b.names)); b.places != nil {
		b.size = (endOf(b.places) + codeAlignment - 1) / codeAlignment * codeAlignment
		b.start, ok = im.findCode(b.places)
	}
	if b.places == nil || !ok {
		return builtins{}
	}
	return b
}

// A row of builtin_metadata, V8's table of its builtins by number, is {name, kind, data}. (src/builtins/builtins.cc)
const (
	builtinSize    = 24      // bytes
	maxBuiltins    = 1 << 14 // Node 26 has 2,415
	maxBuiltinName = 128
	maxKind        = 16
)

// firstBuiltins are the names that the first builtin of a V8 can have.
var firstBuiltins = []string{"DeoptimizationEntry_Eager", "RecordWriteEmitRememberedSetSaveFP"}

// aBuiltin is the name of one of the first hundred. A linker keeps a text once, and few words refer to it.
const (
	aBuiltin  = "InterpreterEntryTrampoline"
	maxBefore = 512
	maxTexts  = 4
	maxWords  = 16
)

// builtinNames returns the names of the builtins by their numbers: "" for those that the program writes into the table
// only when it starts, some of C++. The table has no symbol: it is around a pointer to the name of one of them. Nil if
// there is no such table, as in a position-independent file that has its pointers in relocations only.
func (im *image) builtinNames() (names []string) {
	im.first(im.readOnly(), []byte(aBuiltin+"\x00"), maxTexts, func(at int64) bool {
		if name, ok := im.address(uint64(at)); ok {
			names = im.namesAround(name)
		}
		return names != nil
	})
	return names
}

// first calls is with the places in a file at which some bytes are, until it is true, or was called so often.
func (im *image) first(in []piece, what []byte, most int, is func(at int64) bool) {
	found := false
	for _, p := range in {
		if found || most == 0 || !im.look(p.size) {
			return
		}
		scan(im.r, p, [][]byte{what}, func(_ int, at int64) bool {
			found, most = is(at), most-1
			return !found && most > 0
		})
	}
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
	im.first(places, binary.LittleEndian.AppendUint64(nil, name), maxWords, func(at int64) bool {
		names = im.rowsAround(at)
		return names != nil
	})
	return names
}

// rowsAround returns the names of the rows of the table that has a row at a file offset, from the first builtin on.
func (im *image) rowsAround(at int64) (names []string) {
	first := int64(-1)
	for i := range min(maxBefore, at/builtinSize) {
		name, ok := im.builtinName(im.upTo(at-i*builtinSize, builtinSize))
		if !ok {
			break
		}
		if slices.Contains(firstBuiltins, name) {
			first = at - i*builtinSize
		}
	}
	for ; first >= 0 && len(names) < maxBuiltins; first += builtinSize {
		name, ok := im.builtinName(im.upTo(first, builtinSize))
		if !ok {
			break
		}
		names = append(names, name)
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
	at, kind := binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[8:])
	if at == 0 {
		return "", !slices.ContainsFunc(row, func(b byte) bool { return b != 0 })
	}
	off, ok := im.fileOffset(at)
	text, _, whole := bytes.Cut(im.upTo(int64(off), maxBuiltinName), []byte{0})
	isLetter := func(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }
	other := func(b byte) bool { return !isLetter(b) && !(b >= '0' && b <= '9') && b != '_' }
	if !ok || !whole || kind > maxKind || len(text) == 0 || !isLetter(text[0]) || slices.ContainsFunc(text, other) {
		return "", false
	}
	return string(text), true
}
