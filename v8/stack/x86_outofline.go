package stack

import (
	"errors"
	"slices"

	"golang.org/x/arch/x86/x86asm"
)

// maxOutOfLineSteps bounds the instructions that are followed out of line.
const maxOutOfLineSteps = 96

// positionOffset gives the offset to look up in a position table for one of the code; next is where the code goes on
// from it: the same offset, or where a call returns to. Both optimising compilers put slow paths, such as write
// barriers and interrupt checks, behind the code proper, without positions of their own: the last entry of the table
// would be theirs, whatever it is. But they jump back, and where they jump to is where they were left from. It is not
// ok where that is not found: then the entry may be that of another function, one that is inlined.
func (v *Resolver) positionOffset(c *code, at, next int) (offset int, ok bool) {
	p := c.optimized.Positions
	entry, ok := p.At(at)
	if !ok || entry.Code < 0 {
		return at, true
	}
	limit := int(p[len(p)-1].Code)
	switch {
	case at >= limit && v.isNear(c, limit, at), at < limit && !v.inDeferredBlock(c, int(entry.Code), at):
		return at, true
	case at < limit:
		limit = c.deferredStart - 1
	}
	b, err := v.textAt(c, limit, maxDeferredScan)
	if err != nil {
		return at, false
	}
	back, ok := jumpBack(b, next-limit)
	if !ok || limit+back < 0 {
		return at, false
	}
	return limit + back, true
}

// isNear reports whether nothing but straight code is between an entry and an offset. A call ends it: the next has an
// entry of its own, if any, and one that throws does not return.
func (v *Resolver) isNear(c *code, entry, at int) bool {
	passed, err := v.passes(c, entry, at, x86asm.JMP, x86asm.RET, x86asm.CALL)
	return err == nil && !passed
}

// inDeferredBlock reports whether an offset is in TurboFan's deferred code, in another block than the entry before it:
// V8 10 and before give blocks that allocate no position, and the position before them belongs to some other block.
func (v *Resolver) inDeferredBlock(c *code, entry, at int) bool {
	if c.tier != TurboFan {
		return false
	}
	if passed, err := v.passes(c, entry, at, x86asm.JMP, x86asm.RET); err != nil || !passed {
		return false
	}
	if c.deferredStart == 0 {
		b, err := v.textAt(c, 0, maxDeferredScan)
		if err != nil {
			return false
		}
		c.deferredStart = deferredStart(b)
	}
	return at >= c.deferredStart
}

// passes reports whether one of some instructions is between two offsets of code.
func (v *Resolver) passes(c *code, from, to int, ops ...x86asm.Op) (bool, error) {
	if to-from > maxBlock {
		return false, errFar
	}
	b, err := v.textAt(c, from, to-from+maxInstruction) // the last instruction as a whole
	if err != nil {
		return false, err
	}
	return has(b, to-from, ops...)
}

var errFar = errors.New("the last entry of the position table is far away")

// textAt returns at most n bytes of code from an offset on: those that are kept, or what is there now.
func (v *Resolver) textAt(c *code, from, n int) ([]byte, error) {
	n = max(min(n, int(c.End-c.Start)-from), 0)
	if from+n <= len(c.text) {
		return c.text[from : from+n], nil
	}
	return v.r.Bytes(c.Start+uint64(from), n)
}

// Limits of what is read of one piece of code: from an entry of its table on, and of its slow paths.
const (
	maxBlock        = 4 << 10
	maxDeferredScan = 64 << 10
)

// has reports whether one of some instructions ends in the first n bytes of code.
func has(b []byte, n int, ops ...x86asm.Op) (bool, error) {
	for at := 0; at < n; {
		in, err := decode(b[min(at, len(b)):])
		if err != nil {
			return false, err
		}
		if at += in.Len; at <= n && slices.Contains(ops, in.Op) {
			return true, nil
		}
	}
	return false, nil
}

// deferredStart is where TurboFan's deferred code begins, behind the last return: blocks that rarely run are put behind
// all others, and do not return. Without a return no code is deferred.
func deferredStart(b []byte) int {
	end := maxDeferredScan
	for at := 0; at < len(b); {
		in, err := decode(b[at:])
		if err != nil {
			at++ // a table of jumps
			continue
		}
		at += in.Len
		if in.Op == x86asm.RET {
			end = at
		}
	}
	return end
}

// jumpBack follows code from an offset on to its first jump to the first of the bytes, or to before them, and gives
// that target, which is not above 0. It is not ok where the code ends before, or cannot be followed.
func jumpBack(b []byte, at int) (target int, ok bool) {
	for range maxOutOfLineSteps {
		if at < 0 || at > len(b) {
			break
		}
		in, err := decode(b[at:])
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

// sizeTo is the size of the code up to the first of some instructions, that included.
func sizeTo(text []byte, ops ...x86asm.Op) (n int) {
	for n < len(text) {
		in, err := decode(text[n:])
		if err != nil {
			return n
		}
		n += in.Len
		if slices.Contains(ops, in.Op) {
			return n
		}
	}
	return n
}
