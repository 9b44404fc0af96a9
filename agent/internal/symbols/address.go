package symbols

import "debug/elf"

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
