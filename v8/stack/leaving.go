package stack

import (
	"bytes"
	"encoding/binary"
)

// exit finds what the call of the deoptimiser returns to: that word of the stack which is in the exits of a function's code, and
// has no other such word between it and the frame; 0 = none. The builtin, which begins at an address, has saved all registers
// below it, and they may hold any address of the code.
func (v *Resolver) exit(raw Raw, leaf Leaf, start uint64) (from uint64) {
	for _, w := range leaf.Words[:min(v.savedWords(start)+3, len(leaf.Words))] {
		c := v.codeOf(w)
		if c != nil && c.id == raw.ID && c.inExits(w) {
			from = w
		}
	}
	return from
}

// savedWords is how many words the registers take: sub rsp,imm32 is the first instruction and makes place for xmm registers,
// the other 16 are pushed. Up to two words more are on top in a call of C++.
func (v *Resolver) savedWords(start uint64) int {
	const general, most = 16, 64
	b, err := v.r.Bytes(start, 7)
	if err != nil || !bytes.HasPrefix(b, []byte{0x48, 0x81, 0xec}) {
		return 0
	}
	return general + int(min(binary.LittleEndian.Uint32(b[3:])/8, most))
}

// inExits reports whether an address is behind the code proper, where the deoptimiser is called. No builtin without a frame
// returns there but the deoptimiser's own.
func (c *code) inExits(pc uint64) bool {
	return c.optimized != nil && c.optimized.InExits(int(pc-c.Start))
}

// leaving locates frames that are left for the interpreter, by the deoptimiser's own tables: which functions were inlined
// there, and where in its bytecode each goes on. The position tables say nothing of the exits. Nil: it is not known.
func (v *Resolver) leaving(c *code, raw Raw) []*Frame {
	left, err := v.r.Left(c.Code, c.optimized, int(raw.PC-c.Start))
	if err != nil || raw.Exact {
		return nil
	}
	for _, w := range left {
		fn := c.functions[w.Function]
		if fn == nil {
			if fn = v.called(w.Function); fn == nil {
				return nil
			}
			c.functions[w.Function] = fn
		}
		if fn.script != nil && !v.readBytecode(fn, Raw{SFI: w.Function}) {
			return nil
		}
	}
	return v.framesOf(c, left)
}
