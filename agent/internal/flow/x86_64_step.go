package flow

import (
	"encoding/binary"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/hotspan/hotspan/agent/internal/symbols"
)

// maxInstruction is the greatest length of an instruction, in bytes.
const maxInstruction = 15

// endbr64 is where an indirect call may go to. x86asm does not know it.
const endbr64 = "\xf3\x0f\x1e\xfa"

// step looks at an instruction, and reaches those that may be next.
func (w *walker) step(v visit) {
	in := &w.known[w.index[v.at]-1]
	s, code := in.state, w.instruction(v.at)
	if strings.HasPrefix(string(code), endbr64) {
		in.size = uint8(len(endbr64))
		w.goOn(w.addr+uint64(v.at)+uint64(in.size), v.function, s)
		return
	}
	i, err := x86asm.Decode(code, 64)
	if err != nil || i.Op == 0 {
		return
	}
	in.size = uint8(i.Len)
	next := w.addr + uint64(v.at) + uint64(i.Len)
	target, direct := i.Args[0].(x86asm.Rel)
	to := next + uint64(int64(target))
	switch i.Op {
	case x86asm.RET:
		w.setReturns(v.function)
		return
	case x86asm.HLT, x86asm.UD1, x86asm.UD2, x86asm.INT, x86asm.LRET, x86asm.IRETQ:
		return
	case x86asm.JMP:
		if direct {
			w.goOn(to, v.function, s)
		} else {
			w.setReturns(v.function)
			w.jumpTable(v, s)
		}
		return
	case x86asm.CALL:
		if w.endsAt(&i, next, v) {
			return
		}
	case x86asm.LEA:
		if to, ok := ripRelative(next, i.Args[1]); ok {
			w.function(to, false)
		}
	default:
		if direct {
			w.goOn(to, v.function, s)
		}
	}
	s.apply(&i)
	w.goOn(next, v.function, s)
}

// endsAt reports whether a call is not known to return. If what it calls may be known to return later, it waits for
// that.
func (w *walker) endsAt(call *x86asm.Inst, next uint64, v visit) bool {
	to, known := w.target(next, call.Args[0])
	if fn := w.function(to, true); fn != nil && !fn.returns {
		fn.callers = append(fn.callers, v)
		return true
	}
	return w.isPadded(next) || known && to == 0 && next%alignment == 0
}

// alignment is what compilers align functions to, in bytes.
const alignment = 16

// target returns what a call calls, by the linker's jump too: 0 for a function of another file. It is false if only the
// process knows it.
func (w *walker) target(next uint64, to x86asm.Arg) (address uint64, known bool) {
	if distance, ok := to.(x86asm.Rel); ok {
		address := next + uint64(int64(distance))
		if linked, ok := w.stub(address); ok {
			return linked, true
		}
		return address, true
	}
	if word, ok := ripRelative(next, to); ok {
		address, known = w.linked[word]
	}
	return address, known
}

// stub returns where the linker's jump at an address leads to. It is false for other code.
func (w *walker) stub(address uint64) (to uint64, ok bool) {
	at, ok := w.offset(address)
	if !ok {
		return 0, false
	}
	code := w.instruction(at)
	if strings.HasPrefix(string(code), endbr64) {
		code, address = code[len(endbr64):], address+uint64(len(endbr64))
	}
	i, err := x86asm.Decode(code, 64)
	word, ok := ripRelative(address+uint64(i.Len), i.Args[0])
	if err != nil || !ok || i.Op != x86asm.JMP {
		return 0, false
	}
	to, ok = w.linked[word]
	return to, ok
}

// ripRelative returns the address of memory that an instruction names by its distance from the next instruction.
func ripRelative(next uint64, a x86asm.Arg) (uint64, bool) {
	m, ok := a.(x86asm.Mem)
	return next + uint64(int64(int32(m.Disp))), ok && m.Base == x86asm.RIP // x86asm does not extend the sign of these
}

// isPadded reports whether nothing but padding is between a call and the next address where functions are aligned to.
// Then the compiler knew that the call does not return.
func (w *walker) isPadded(address uint64) bool {
	at := address
	for at%alignment != 0 && at-w.addr < uint64(len(w.code)) {
		i, err := x86asm.Decode(w.code[at-w.addr:], 64)
		if err != nil || i.Op != x86asm.NOP && !(i.Op == x86asm.XCHG && i.Args[0] == i.Args[1]) {
			return false
		}
		at += uint64(i.Len)
	}
	return at != address
}

// instruction returns the bytes that an instruction can have, and the next one if it is endbr64.
func (w *walker) instruction(at uint32) []byte {
	return w.code[at:min(int(at)+maxInstruction, len(w.code))]
}

// before returns the instruction before one, and where it is.
func (w *walker) before(at uint32) (x86asm.Inst, uint32, bool) {
	for n := uint32(1); n <= maxInstruction && n <= at; n++ {
		if i := w.index[at-n]; i > 0 && w.known[i-1].size == uint8(n) {
			in, err := x86asm.Decode(w.code[at-n:at], 64)
			return in, at - n, err == nil
		}
	}
	return x86asm.Inst{}, 0, false
}

// What jumpTable looks for at most: instructions before the jump, and places that it leads to.
const maxBefore, maxCases = 12, 1024

// jumpTable follows an indirect jump by a table of distances, as GCC writes it for a switch: the index is compared with
// the last, a jump leads away if it is greater, lea has the address of the table, and what is there is added to it.
func (w *walker) jumpTable(jump visit, s State) {
	table, at := uint64(0), jump.at
	for range maxBefore {
		i, before, ok := w.before(at)
		if !ok {
			return
		}
		switch i.Op {
		case x86asm.LEA:
			if to, ok := ripRelative(w.addr+uint64(at), i.Args[1]); ok && table == 0 {
				table = to
			}
		case x86asm.CMP:
			if last, ok := i.Args[1].(x86asm.Imm); ok && last >= 0 && last < maxCases && table != 0 {
				w.cases(table, int(last)+1, jump.function, s)
			}
			return
		case x86asm.CALL, x86asm.RET, x86asm.JMP:
			return
		}
		at = before
	}
}

// cases reaches what a table of distances leads to.
func (w *walker) cases(table uint64, n int, function uint32, s State) {
	const size = 4
	data, err := symbols.Bytes(w.file, table, uint64(n)*size)
	if err != nil {
		return
	}
	w.steps += n
	for ; len(data) >= size; data = data[size:] {
		w.goOn(table+uint64(int64(int32(binary.LittleEndian.Uint32(data)))), function, s)
	}
}
