package threadlocal

import (
	"debug/elf"
	"encoding/binary"
	"io"
)

// reference is a relocation for thread-local storage: words that say where a variable is once they are relocated.
type reference struct {
	kind  elf.R_X86_64
	at    uint64 // ELF virtual address of the words
	name  string // a wanted variable, maybe another file's; empty for a place in this file's own block
	value uint64 // of name "": offset in the block
}

// words reads 64-bit words of a process.
func words(mem io.ReaderAt, at uint64, to []uint64) bool {
	var b [24]byte
	if at == 0 {
		return false
	}
	if _, err := mem.ReadAt(b[:8*len(to)], int64(at)); err != nil {
		return false
	}
	for i := range to {
		to[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return true
}
