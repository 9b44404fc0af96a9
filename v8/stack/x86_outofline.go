package stack

import "golang.org/x/arch/x86/x86asm"

// maxOutOfLine bounds the instructions and bytes that are read of out-of-line code.
const (
	maxOutOfLineSteps = 48
	maxOutOfLineBytes = 512
)

// positionOffset gives the offset to look up in a position table. Both optimising compilers put slow paths, such as
// write barriers and interrupt checks, behind the code proper, without positions of their own: the last entry of the
// table would be theirs, whatever it is. But they jump back, and where they jump to is where they were left from.
func (v *Resolver) positionOffset(c *code, at int) int {
	p := c.optimized.Positions
	if len(p) == 0 {
		return at
	}
	limit := int(p[len(p)-1].Code)
	if at < limit && (c.tier != TurboFan || !v.inDeferredBlock(c, at)) {
		return at
	}
	if at < limit {
		limit = c.deferredStart - 1
	}
	b, err := v.textAt(c, at+1, maxOutOfLineBytes)
	if err != nil {
		return at
	}
	return jumpBack(b, at, limit)
}

// inDeferredBlock reports whether an offset is in TurboFan's deferred code, in another block than the entry before it:
// V8 10 and before give blocks that allocate no position, and the position before them belongs to some other block.
func (v *Resolver) inDeferredBlock(c *code, at int) bool {
	entry, ok := c.optimized.Positions.At(at)
	from := int(entry.Code)
	if !ok || from < 0 || at-from > maxBlock {
		return false
	}
	b, err := v.textAt(c, from, at-from)
	if err != nil || !endsBlock(b) {
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

// textAt returns at most n bytes of code from an offset on: those that are kept, or what is there now.
func (v *Resolver) textAt(c *code, from, n int) ([]byte, error) {
	n = max(min(n, int(c.End-c.Start)-from), 0)
	if from+n <= len(c.text) {
		return c.text[from : from+n], nil
	}
	return v.r.Bytes(c.Start+uint64(from), n)
}

// Limits of what is read of one piece of code: from an entry of its table on, and to find where the code proper ends.
const (
	maxBlock        = 4 << 10
	maxDeferredScan = 64 << 10
)

// endsBlock reports whether a block ends within code: nothing continues behind an unconditional jump.
func endsBlock(b []byte) bool {
	for at := 0; at < len(b); {
		in, err := x86asm.Decode(b[at:], 64)
		if err != nil {
			return false
		}
		at += in.Len
		if in.Op == x86asm.JMP || in.Op == x86asm.RET {
			return true
		}
	}
	return false
}

// deferredStart is where TurboFan's deferred code begins, behind the last return: blocks that rarely run are put behind
// all others, and do not return. Without a return no code is deferred.
func deferredStart(b []byte) int {
	end := maxDeferredScan
	for at := 0; at < len(b); {
		in, err := x86asm.Decode(b[at:], 64)
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

// jumpBack follows code that begins behind an offset to its first jump to before the limit, and gives that target; the
// offset itself where there is none.
func jumpBack(b []byte, offset, limit int) int {
	at := 0
	for range maxOutOfLineSteps {
		in, err := x86asm.Decode(b[at:], 64)
		if err != nil || in.Op == x86asm.RET || in.Op == x86asm.INT {
			return offset
		}
		at += in.Len
		if rel, ok := in.Args[0].(x86asm.Rel); ok && in.Op != x86asm.CALL {
			if target := offset + 1 + at + int(rel); target >= 0 && target <= limit {
				return target
			}
		}
	}
	return offset
}

// blockSize is the size of the code up to an unconditional jump.
func blockSize(text []byte) (n int) {
	for n < len(text) {
		in, err := x86asm.Decode(text[n:], 64)
		if err != nil {
			return n
		}
		n += in.Len
		if in.Op == x86asm.JMP || in.Op == x86asm.RET {
			return n
		}
	}
	return n
}
