package symbols

import (
	"debug/elf"
	"fmt"
	"io"
)

// Segments are the parts of an ELF file that are loaded, which say at which ELF virtual address a part of the file is.
type Segments []Segment

// Segment is a part of a file: Size bytes from Offset on are loaded at Address.
type Segment struct {
	Offset, Size, Address uint64
	Exec                  bool // may be executed
}

// SegmentsOf returns the segments of a file.
func SegmentsOf(f *elf.File) Segments {
	var out Segments
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			out = append(out, Segment{p.Off, p.Filesz, p.Vaddr, p.Flags&elf.PF_X != 0})
		}
	}
	return out
}

// Address converts an offset in the file to the ELF virtual address that is loaded from there. It is false if no
// segment holds the offset. A mapping of a process is known by its file offset: V8 maps its embedded builtins a second
// time, far from the file's other mappings. If segments share a page, the executable one counts.
func (s Segments) Address(offset uint64) (vaddr uint64, ok bool) {
	for _, p := range s {
		if offset < p.Offset || offset-p.Offset >= p.Size {
			continue
		}
		if !ok || p.Exec {
			vaddr, ok = offset-p.Offset+p.Address, true
		}
	}
	return vaddr, ok
}

// Bytes reads a file from an ELF virtual address up to the end of the segment's part of the file, at most limit bytes.
// The error says that no segment has the address in the file, or is of reading it.
func Bytes(f *elf.File, vaddr, limit uint64) ([]byte, error) {
	for _, p := range f.Progs {
		off := vaddr - p.Vaddr
		if p.Type != elf.PT_LOAD || vaddr < p.Vaddr || off >= p.Filesz {
			continue
		}
		return io.ReadAll(io.NewSectionReader(p, int64(off), int64(min(p.Filesz-off, limit))))
	}
	return nil, fmt.Errorf("address %#x is in no segment of the file", vaddr)
}
