package layout

import (
	"encoding/binary"

	"golang.org/x/arch/x86/x86asm"
)

// Names by which the embedded blob, V8's builtins, is found: its symbols, which are local, and functions that return its
// address and its size, which are exported until Node 24.14, and in 25.0.
const (
	symBlob      = "v8_Default_embedded_blob_code_"
	symBlobData  = "v8_Default_embedded_blob_code_data_" // until V8 10; symBlob is a pointer to it there
	symBlobSize  = "v8_Default_embedded_blob_code_size_"
	funcBlob     = "_ZN2v88internal23DefaultEmbeddedBlobCodeEv"
	funcBlobSize = "_ZN2v88internal27DefaultEmbeddedBlobCodeSizeEv"
)

// readBuiltins finds the embedded blob. Each builtin in it has a symbol of its own where the blob has.
func (l *Layout) readBuiltins(im *image) {
	start, sizeAt, ok := im.blobSymbols()
	if !ok {
		start, sizeAt, ok = im.blobFunctions()
		l.note("no symbol %s: builtins have no names", symBlob)
	}
	if !ok {
		return
	}
	size, err := im.i32(sizeAt)
	off, inFile := im.fileOffset(start)
	if err != nil || size <= 0 || !inFile {
		l.note("%s: %d bytes at %#x are not in the file", symBlob, size, start)
		return
	}
	l.Builtins = Range{start, start + uint64(size), off}
}

func (im *image) blobSymbols() (start, sizeAt uint64, ok bool) {
	s, ok := im.syms[symBlobData]
	if !ok {
		s, ok = im.syms[symBlob]
	}
	size, ok2 := im.syms[symBlobSize]
	return s.value, size.value, ok && ok2
}

// blobFunctions reads `mov $start,%eax`, or `mov pointer(%rip),%rax` until V8 10; and `mov size(%rip),%eax`.
func (im *image) blobFunctions() (start, sizeAt uint64, ok bool) {
	_, ok1 := im.syms[funcBlob]
	_, ok2 := im.syms[funcBlobSize]
	if !ok1 || !ok2 {
		return 0, 0, false
	}
	code, err1 := im.code(funcBlob)
	size, err2 := im.code(funcBlobSize)
	if err1 != nil || err2 != nil {
		return 0, 0, false
	}
	start, ok = im.returned(code)
	for _, i := range size {
		if at, found := gotSlot(i); found && ok && i.Args[0] == x86asm.EAX {
			return start, at, true
		}
	}
	return 0, 0, false
}

// returned is the address that a function returns: a constant, or one that the file holds.
func (im *image) returned(code []inst) (uint64, bool) {
	for _, i := range code {
		if n, ok := i.Args[1].(x86asm.Imm); ok && i.Op == x86asm.MOV && i.Args[0] == x86asm.EAX {
			return uint64(uint32(n)), true
		}
		if at, ok := gotSlot(i); ok && i.Args[0] == x86asm.RAX {
			b, err := im.bytes(at, 8)
			return binary.LittleEndian.Uint64(append(b, make([]byte, 8)...)), err == nil
		}
	}
	return 0, false
}
