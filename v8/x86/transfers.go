package x86

import (
	"encoding/binary"

	"golang.org/x/arch/x86/x86asm"
)

// Transfer is an instruction that goes on elsewhere, or may: a jump, a return or a trap.
type Transfer struct {
	From, To int // where it is; a table of jumps behind it is part of it
	Op       x86asm.Op
	Target   int // of a jump within the code; -1 = none, or not known
}

// Transfers finds the transfers in code that is at an address. V8 puts the table of a switch, absolute addresses of the
// code, behind its jump. The error is of bytes that are no instruction.
func Transfers(b []byte, address uint64) (out []Transfer, err error) {
	for at := 0; at < len(b); {
		in, err := Decode(b[at:])
		if err != nil {
			return nil, err
		}
		t := Transfer{From: at, To: at + in.Len, Op: in.Op, Target: -1}
		at = t.To
		rel, direct := in.Args[0].(x86asm.Rel)
		m, _ := in.Args[0].(x86asm.Mem)
		switch {
		case in.Op == x86asm.CALL:
			continue
		case direct:
			t.Target = at + int(rel)
		case in.Op == x86asm.JMP && m.Index != 0:
			t.To = tableEnd(b, at, address)
			at = t.To
		case in.Op != x86asm.JMP && in.Op != x86asm.RET && in.Op != x86asm.INT:
			continue
		}
		out = append(out, t)
	}
	return out, nil
}

// tableEnd is where a table of addresses in the code ends that begins at an offset, or behind what aligns it.
func tableEnd(b []byte, at int, address uint64) int {
	const size = 8
	end := (at + size - 1) &^ (size - 1)
	for first := end; ; end += size {
		if end+size > len(b) || binary.LittleEndian.Uint64(b[end:])-address > uint64(len(b)) {
			if end == first {
				return at
			}
			return end
		}
	}
}
