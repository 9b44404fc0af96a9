package functions

import (
	"bytes"
	"errors"

	"golang.org/x/arch/x86/x86asm"

	"github.com/hotspan/hotspan/v8/functions/repair"
	"github.com/hotspan/hotspan/v8/x86"
)

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
	case at >= limit && v.isNear(c, limit, at), at < limit && !v.inOtherBlock(c, int(entry.Code), at):
		return at, true
	case at < limit && !v.isDeferred(c, at):
		return v.backFrom(c, at), true
	case at < limit:
		limit = c.deferredStart - 1
	}
	b, err := v.textAt(c, limit, maxDeferredScan)
	if err != nil {
		return at, false
	}
	back, ok := x86.JumpBack(b, next-limit)
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

// inOtherBlock reports whether an offset is in another block of TurboFan's code than the entry before it.
func (v *Resolver) inOtherBlock(c *code, entry, at int) bool {
	if c.tier != TurboFan {
		return false
	}
	passed, err := v.passes(c, entry, at, x86asm.JMP, x86asm.RET)
	return err == nil && passed
}

// isDeferred reports whether an offset is in TurboFan's deferred code, behind all that returns.
func (v *Resolver) isDeferred(c *code, at int) bool {
	if c.deferredStart == 0 {
		b, err := v.textAt(c, 0, maxDeferredScan)
		if err != nil {
			return false
		}
		c.deferredStart = x86.DeferredStart(b)
	}
	return at >= c.deferredStart
}

// backFrom gives the offset that a block out of line jumps back to, and other offsets as they are. V8 10 and before
// give blocks that allocate no position, and where code that returns is deferred, such blocks are before it.
func (v *Resolver) backFrom(c *code, at int) int {
	if v.r.Layout().V8.Major > 10 {
		return at
	}
	if b, err := v.textAt(c, 0, maxDeferredScan); err == nil {
		if back, ok := x86.Back(b, c.Start, at); ok {
			return back
		}
	}
	return at
}

// passes reports whether one of some instructions is between two offsets of code.
func (v *Resolver) passes(c *code, from, to int, ops ...x86asm.Op) (bool, error) {
	if to-from > maxBlock {
		return false, errFar
	}
	b, err := v.textAt(c, from, to-from+x86.MaxInstruction) // the last instruction as a whole
	if err != nil {
		return false, err
	}
	end, found, err := x86.Find(b, to-from, ops...)
	return found && end <= to-from, err
}

var errFar = errors.New("the last entry of the position table is far away")

// hasFrame reports whether code has made its frame at an offset.
func (c *code) hasFrame(at int) bool {
	entry := bytes.Index(c.text[:min(len(c.text), repair.HeadSize)], x86.Prologue)
	return entry >= 0 && at >= entry+x86.FrameSetUp
}

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
