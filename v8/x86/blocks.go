package x86

import (
	"slices"

	"golang.org/x/arch/x86/x86asm"
)

// Find decodes the instructions that begin in the first n bytes of code, up to the first of some kinds. It returns
// where the last of them ends, and whether that is of these kinds. The error is of bytes that are no instruction, or
// cut off.
func Find(b []byte, n int, kinds ...x86asm.Op) (end int, found bool, err error) {
	for end < n {
		in, err := Decode(b[min(end, len(b)):])
		if err != nil {
			return end, false, err
		}
		end += in.Len
		if slices.Contains(kinds, in.Op) {
			return end, true, nil
		}
	}
	return end, false, nil
}

// DeferredStart is where TurboFan's deferred code begins, behind the last return: blocks that rarely run are put behind
// all others, and most do not return. Of those before one that does, Back tells. A loop behind that return is no such
// block: V8 orders blocks so that only loops jump back, and deferred ones to where they were left from. Without a
// return no code is deferred.
func DeferredStart(b []byte) int {
	end := len(b)
	for at := 0; at < len(b); {
		in, err := Decode(b[at:])
		if err != nil {
			at++ // a table of jumps
			continue
		}
		start := at
		at += in.Len
		rel, direct := in.Args[0].(x86asm.Rel)
		target := at + int(rel)
		if in.Op == x86asm.RET || direct && in.Op != x86asm.CALL && target < start && target >= end {
			end = at
		}
	}
	return end
}

// Back finds where the block of code that has an offset jumps back to, if the block is out of line: something before
// that place jumps to the block. A loop jumps back to its head, and nothing before a head jumps into its loop. The code
// is at an address.
func Back(b []byte, address uint64, at int) (target int, ok bool) {
	transfers, err := Transfers(b, address)
	if err != nil {
		return 0, false
	}
	from := 0
	for _, t := range transfers {
		switch {
		case t.Op != x86asm.JMP && t.Op != x86asm.RET && t.Op != x86asm.INT:
		case t.To <= at:
			from = t.To
		default:
			return t.Target, t.Op == x86asm.JMP && t.Target >= 0 && t.Target < from &&
				slices.ContainsFunc(transfers, func(s Transfer) bool { return s.Target == from && s.From < t.Target })
		}
	}
	return 0, false
}

// maxSteps bounds the instructions that JumpBack follows.
const maxSteps = 96

// JumpBack follows code from an offset on to its first jump to the first of the bytes, or to before them, and gives
// that target, which is not above 0. It is not ok where the code ends before, or cannot be followed.
func JumpBack(b []byte, at int) (target int, ok bool) {
	for range maxSteps {
		if at < 0 || at > len(b) {
			break
		}
		in, err := Decode(b[at:])
		if err != nil || in.Op == x86asm.RET || in.Op == x86asm.INT {
			break
		}
		at += in.Len
		rel, direct := in.Args[0].(x86asm.Rel)
		switch target := at + int(rel); {
		case in.Op == x86asm.CALL:
		case direct && target <= 0:
			return target, true
		case direct && in.Op == x86asm.JMP: // to other code out of line
			at = target
		case in.Op == x86asm.JMP:
			return 0, false
		}
	}
	return 0, false
}
