package symbols

import (
	"debug/elf"

	"golang.org/x/arch/x86/x86asm"
)

// maxExtent bounds the code that is read of a function whose symbol has no size, in bytes. It is assembly: memset of
// musl has 300.
const maxExtent = 4 << 10

// maxExtents bounds the code that is read of all such functions of a file. All code of musl has 450 KB.
const maxExtents = 4 << 20

// extent returns how many bytes of code, of those that there is room for, a function has by its instructions: up to the
// first that leads elsewhere beyond which no jump before it goes. Of other machines' code, and where the file has none,
// it is 0.
func extent(f *elf.File, start, room uint64) uint64 {
	code, err := Bytes(f, start, room)
	if err != nil || f.Machine != elf.EM_X86_64 {
		return 0
	}
	farthest, at := int64(0), int64(0)
	for at < int64(len(code)) {
		i, err := x86asm.Decode(code[at:], 64)
		if err != nil {
			break
		}
		at += int64(i.Len)
		to, jumps := i.Args[0].(x86asm.Rel)
		if jumps && i.Op != x86asm.CALL && at+int64(to) < int64(len(code)) {
			farthest = max(farthest, at+int64(to))
		}
		switch i.Op {
		case x86asm.RET, x86asm.JMP, x86asm.HLT, x86asm.UD2:
			if at > farthest {
				return uint64(at)
			}
		}
	}
	return uint64(at)
}
