package optimized

import (
	"encoding/binary"
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

const maxSafepoints = 1 << 15 // of one piece of code

// safepoint is a call in code of Maglev or TurboFan.
type safepoint struct {
	pc         int // offset that the call returns to
	trampoline int // where it returns to instead when the code was thrown away; -1 = none
	deopt      int // index of the deoptimisation point; -1 = none
}

// safepoints reads the table behind the instructions, as an optimising compiler writes it: TurboFan's header does not
// say how many slots are tagged. (src/codegen/maglev-safepoint-table.h, src/codegen/safepoint-table.h)
func safepoints(r *heap.Reader, c *heap.Code, turbofan bool) ([]safepoint, error) {
	header, length := r.Layout().At(layout.SafepointHeader), r.Layout().At(layout.SafepointLength)
	if length+8 > header {
		return nil, fmt.Errorf("safepoints: length at %d in a header of %d bytes", length, header)
	}
	if turbofan {
		header = length + 8
	}
	b, err := r.Bytes(c.End, header)
	if err != nil {
		return nil, err
	}
	n := int(int32(binary.LittleEndian.Uint32(b[length:])))
	f, err := newSafepointFormat(binary.LittleEndian.Uint32(b[length+4:]), turbofan)
	if err != nil || n < 0 || n > maxSafepoints {
		return nil, fmt.Errorf("safepoints of code 0x%x: %d entries: %v", c.Start, n, err)
	}
	if b, err = r.Bytes(c.End+uint64(header), n*f.size); err != nil {
		return nil, err
	}
	return f.decode(b, int(c.End-c.Start))
}

// safepointFormat has the number of bytes of each part of an entry.
type safepointFormat struct{ deopt, registers, pc, size int }

func newSafepointFormat(config uint32, turbofan bool) (f safepointFormat, err error) {
	f = safepointFormat{registers: int(config >> 1 & 7), pc: int(config >> 4 & 7), deopt: int(config >> 7 & 7)}
	slots := 1 // Maglev: how many spill slots there are
	if turbofan {
		slots, config = 0, config&(1<<10-1) // bits for all slots are behind the entries
	}
	if config>>10 != 0 || f.registers > 4 || f.pc > 4 || f.deopt > 4 {
		return f, fmt.Errorf("entry configuration 0x%x", config)
	}
	if config&1 == 0 {
		f.deopt = 0
	}
	f.size = f.pc + f.registers + slots
	if config&1 != 0 {
		f.size += f.deopt + f.pc
	}
	return f, nil
}

// decode reads entries: where the call returns to, the deoptimisation point and the trampoline plus one each (if the
// code has any), number of spill slots in Maglev's, registers. They are in the order of addresses.
func (f safepointFormat) decode(b []byte, code int) ([]safepoint, error) {
	out := make([]safepoint, 0, len(b)/f.size)
	last := -1
	for ; len(b) >= f.size; b = b[f.size:] {
		p := safepoint{pc: number(b[:f.pc]), deopt: -1, trampoline: -1}
		if f.deopt > 0 {
			p.deopt = number(b[f.pc:][:f.deopt]) - 1
			p.trampoline = number(b[f.pc+f.deopt:][:f.pc]) - 1
		}
		if p.pc <= last || p.pc > code || p.trampoline > code {
			return nil, fmt.Errorf("safepoint %d: offset %d after %d, trampoline %d", len(out), p.pc, last,
				p.trampoline)
		}
		last = p.pc
		out = append(out, p)
	}
	return out, nil
}

func number(b []byte) int {
	n := 0
	for i, c := range b {
		n |= int(c) << (8 * i)
	}
	return n
}
