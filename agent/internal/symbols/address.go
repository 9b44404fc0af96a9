package symbols

import (
	"debug/elf"
	"fmt"
	"io"
)

// FileAddress converts an offset in a file to the ELF virtual address that is loaded from there. It is false if no
// segment holds the offset. A mapping of a process is known by its file offset: V8 maps its embedded builtins a second
// time, far from the file's other mappings. If segments share a page, the executable one counts.
func FileAddress(f *elf.File, offset uint64) (vaddr uint64, ok bool) {
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || offset < p.Off || offset-p.Off >= p.Filesz {
			continue
		}
		if !ok || p.Flags&elf.PF_X != 0 {
			vaddr, ok = offset-p.Off+p.Vaddr, true
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
