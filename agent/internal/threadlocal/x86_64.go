package threadlocal

import (
	"debug/elf"
	"io"
)

// This file has what is specific to x86-64: relocations, and where thread-local blocks are.

// referenceKinds are the relocations that references are made of.
var referenceKinds = []elf.R_X86_64{elf.R_X86_64_TLSDESC, elf.R_X86_64_TPOFF64, elf.R_X86_64_DTPMOD64}

// place reads the words of a relocation. (System V ABI for x86-64, ELF Handling for Thread-Local Storage;
// glibc, sysdeps/x86_64/dl-machine.h; musl, ldso/dynlink.c)
func (r reference) place(mem io.ReaderAt, musl bool, bias uint64) (Place, bool) {
	var w [3]uint64
	switch r.kind {
	case elf.R_X86_64_TPOFF64: // the offset
		ok := words(mem, bias+r.at, w[:1])
		return static(w[0], ok)
	case elf.R_X86_64_DTPMOD64: // module, offset
		ok := words(mem, bias+r.at, w[:2])
		return dynamic(w, musl, ok)
	}
	// TLSDESC: a function and its argument. That is the offset, which is negative, or the address of {module, offset};
	// glibc has the generation behind these (sysdeps/x86_64/dl-tlsdesc.h).
	if !words(mem, bias+r.at, w[:2]) {
		return Place{}, false
	}
	if int64(w[1]) < 0 {
		return static(w[1], true)
	}
	ok := words(mem, w[1], w[:])
	if musl {
		w[2] = 0
	}
	return dynamic(w, musl, ok)
}

// Indexed returns the place of a variable by the two words, module and offset, at an address that code gives to
// __tls_get_addr. It is false before the loader has written them.
func Indexed(mem io.ReaderAt, at uint64, musl bool) (Place, bool) {
	return reference{kind: elf.R_X86_64_DTPMOD64, at: at}.place(mem, musl, 0)
}

// static returns a place by its offset from the thread pointer, which is negative.
func static(offset uint64, ok bool) (Place, bool) {
	n := int64(offset)
	return Place{Kind: Static, Offset: n}, ok && n < 0 && n > -maxOffset
}

const flagPIE = 0x08000000 // DF_1_PIE of DT_FLAGS_1 (elf.h)

// executableBase returns where the thread-local block of an executable begins, from the thread pointer: below it, at a
// distance that the executable's linker knew. It is 0 for a library.
func executableBase(f *elf.File) int64 {
	if f.Type != elf.ET_EXEC {
		if flags, err := f.DynValue(elf.DT_FLAGS_1); err != nil || len(flags) == 0 || flags[0]&flagPIE == 0 {
			return 0
		}
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_TLS && p.Memsz < 1<<30 && p.Align < 1<<20 {
			align := max(int64(p.Align), 1)
			return -(int64(p.Memsz) + align - 1) / align * align
		}
	}
	return 0
}
