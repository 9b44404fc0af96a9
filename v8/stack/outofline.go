package stack

import "golang.org/x/arch/x86/x86asm"

// maxOutOfLine bounds the instructions and bytes that are read of out-of-line code.
const (
	maxOutOfLineSteps = 48
	maxOutOfLineBytes = 512
)

// positioned gives the offset to look up in a position table. Both optimising compilers put slow paths, such as write
// barriers and interrupt checks, behind the code proper, without positions of their own: the last entry of the table
// would be theirs, whatever it is. But they jump back, and where they jump to is where they were left from.
func (v *Resolver) positioned(c *code, at int) int {
	p := c.optimized.Positions
	if len(p) == 0 || at < int(p[len(p)-1].Code) {
		return at
	}
	start := c.Start + uint64(at) + 1
	b, err := v.r.Bytes(start, int(min(maxOutOfLineBytes, c.End-min(start, c.End))))
	if err != nil {
		return at
	}
	return jumpBack(b, at, int(p[len(p)-1].Code))
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
