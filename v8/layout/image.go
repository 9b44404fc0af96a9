package layout

import (
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"

	"github.com/hotspan/hotspan/v8/elfheaders"
)

// image is an ELF file read by address and by symbol, piece by piece.
type image struct {
	r    io.ReaderAt
	elf  *elf.File
	syms map[string]symbol

	looked int64 // see look
}

// maxLooked bounds the bytes that are looked at where something is looked for: a file may be large, and may say that
// the same bytes are in many of its parts. Of Node.js they are 140 MB at most.
const maxLooked = 1 << 30

// look counts bytes that are about to be looked at. It is false if they are too many: then what is looked for is not
// found.
func (im *image) look(n int64) bool {
	im.looked += n
	return im.looked <= maxLooked
}

func openImage(r io.ReaderAt) (*image, error) {
	f, err := elfheaders.Open(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotV8, err)
	}
	if f.Class != elf.ELFCLASS64 || f.Machine != elf.EM_X86_64 {
		return nil, fmt.Errorf("%w: %v %v; only x86-64 is read", ErrUnsupported, f.Machine, f.Class)
	}
	return &image{r: r, elf: f, syms: map[string]symbol{}}, nil
}

// readOnly returns where constants lie: section .rodata, or, when there are no sections, all segments that are not
// writable, those with code last.
func (im *image) readOnly() []piece {
	if s := im.elf.Section(".rodata"); s != nil {
		if p, ok := sectionPiece(s); ok {
			return []piece{p}
		}
	}
	var constants, code []piece
	for _, p := range im.elf.Progs {
		to := &constants
		if p.Flags&elf.PF_X != 0 {
			to = &code
		}
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_W == 0 && sane(p.Off, p.Filesz) {
			*to = append(*to, piece{int64(p.Off), int64(p.Filesz)})
		}
	}
	return append(constants, code...)
}

func sectionPiece(s *elf.Section) (piece, bool) {
	if s.Type == elf.SHT_NOBITS || !sane(s.Offset, s.FileSize) {
		return piece{}, false
	}
	return piece{int64(s.Offset), int64(s.FileSize)}, true
}

// sane reports that a range of a file can be counted in int64.
func sane(off, size uint64) bool {
	return off <= math.MaxInt64/2 && size <= math.MaxInt64/2
}

// fileOffset translates a virtual address; ok is false when the file holds no bytes for it.
func (im *image) fileOffset(addr uint64) (off uint64, ok bool) {
	for _, p := range im.elf.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz && sane(p.Off, p.Filesz) {
			return p.Off + (addr - p.Vaddr), true
		}
	}
	return 0, false
}

// text is the first segment that may be executed.
func (im *image) text() Range {
	for _, p := range im.elf.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			return Range{p.Vaddr, p.Vaddr + p.Filesz, p.Off}
		}
	}
	return Range{}
}

// inBSS reports that an address lies in memory that is zero at start.
func (im *image) inBSS(addr uint64) bool {
	for _, p := range im.elf.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr >= p.Filesz && addr-p.Vaddr < p.Memsz {
			return true
		}
	}
	return false
}

// bytes reads n bytes at a virtual address.
func (im *image) bytes(addr uint64, n int) ([]byte, error) {
	off, ok := im.fileOffset(addr)
	if !ok {
		return nil, fmt.Errorf("address %#x is not in the file", addr)
	}
	b := im.upTo(int64(off), n)
	if len(b) < n {
		return nil, fmt.Errorf("address %#x: short read (%d of %d bytes)", addr, len(b), n)
	}
	return b, nil
}

// i32 reads an int. A constant of value 0 lies in .bss, where the file has no bytes.
func (im *image) i32(addr uint64) (int32, error) {
	if im.inBSS(addr) {
		return 0, nil
	}
	b, err := im.bytes(addr, 4)
	if err != nil {
		return 0, err
	}
	return int32(binary.LittleEndian.Uint32(b)), nil
}

// upTo reads at most n bytes at a file offset; n is small and the caller's own.
func (im *image) upTo(off int64, n int) []byte {
	b := make([]byte, n)
	got, _ := im.r.ReadAt(b, off)
	return b[:max(got, 0)]
}

// maxBuildID bounds a build id note. GNU ld writes 20 bytes, others up to 32.
const maxBuildID = 64

func (im *image) buildID() string {
	s := im.elf.Section(".note.gnu.build-id")
	if s == nil {
		return ""
	}
	p, ok := sectionPiece(s)
	if !ok {
		return ""
	}
	b := im.upTo(p.off, int(min(p.size, 16+maxBuildID)))
	if len(b) < 16 || string(b[12:16]) != "GNU\x00" {
		return ""
	}
	n := binary.LittleEndian.Uint32(b[4:])
	return hex.EncodeToString(b[16:][:min(int(min(n, maxBuildID)), len(b)-16)])
}

// piece is a range of a file.
type piece struct{ off, size int64 }

// symbol is what is needed of an ELF symbol.
type symbol struct{ value, size uint64 }
