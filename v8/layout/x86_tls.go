package layout

import "debug/elf"

// tlsBase returns how far below the thread pointer the executable's thread-local block begins (ELF TLS variant II, as
// the C library lays it out). A shared library's place is not known before it is loaded.
func (im *image) tlsBase() (int64, bool) {
	executable := im.elf.Type == elf.ET_EXEC
	var base int64
	for _, p := range im.elf.Progs {
		switch {
		case p.Type == elf.PT_INTERP:
			executable = true
		case p.Type == elf.PT_TLS && p.Memsz < 1<<30 && p.Align < 1<<20:
			align := max(int64(p.Align), 1)
			base = (int64(p.Memsz) + align - 1) / align * align
		}
	}
	return base, executable && base > 0
}

// tpoff returns the offset from the thread pointer that the dynamic linker will write into a GOT slot: symbol value +
// addend - TLS block size.
func (im *image) tpoff(slot uint64) (int64, bool) {
	base, ok := im.tlsBase()
	r, found := im.relocation(slot)
	if !ok || !found || r.kind != elf.R_X86_64_TPOFF64 {
		return 0, false
	}
	return int64(r.symbol) + r.addend - base, true
}
