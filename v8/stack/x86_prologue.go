package stack

import (
	"bytes"

	"golang.org/x/arch/x86/x86asm"
)

// prologue is push rbp; mov rbp,rsp, the instructions with which all V8 code sets up its frame.
var prologue = []byte{0x55, 0x48, 0x89, 0xe5}

const pushRSI = 0x56

// frameSetUp is how many bytes from push rbp on the function's slot of the frame is not written yet: the prologue, push
// rsi (context) and push rdi (function).
const frameSetUp = 6

// interpreterPushes is how many words the interpreter's entry pushes for its frame: the caller's frame pointer,
// context, function, number of arguments, BytecodeArray and offset. (src/builtins/x64/builtins-x64.cc,
// Generate_InterpreterEntryTrampoline)
const interpreterPushes = 6

// interpreterFrameSetUp reports whether the interpreter's entry has written all of its frame, at an offset from push
// rbp.
func interpreterFrameSetUp(code []byte, at int) bool {
	n := 0
	for end := min(at, len(code)); n < interpreterPushes && end > 0; {
		in, err := x86asm.Decode(code, 64)
		if err != nil || in.Len > end {
			return false
		}
		if in.Op == x86asm.PUSH {
			n++
		}
		code, end = code[in.Len:], end-in.Len
	}
	return n == interpreterPushes
}

// Code takes down its frame by mov rsp,rbp; pop rbp. What follows until the return is short.
var epilogues = [][]byte{{0x48, 0x8b, 0xe5, 0x5d}, {0x48, 0x89, 0xec, 0x5d}}

const maxEpilogue = 24

// inEpilogue reports whether the frame was taken down just before an offset of the code that begins at start, of which
// the first bytes are known.
func (v *Resolver) inEpilogue(start uint64, known []byte, at int) bool {
	n := min(at, maxEpilogue)
	if n == 0 {
		return false
	}
	var b []byte
	if at < len(known) {
		b = known[at-n : at+1]
	} else {
		var err error
		if b, err = v.r.Bytes(start+uint64(at-n), n+1); err != nil {
			return false
		}
	}
	if b[n] == 0xc3 || b[n] == 0xc2 { // a return: nothing but an epilogue is before it
		return true
	}
	for _, e := range epilogues {
		if i := bytes.LastIndex(b[:n], e); i >= 0 && isTail(b[i+len(e):n]) {
			return true
		}
	}
	return false
}

// isTail reports whether code between the end of a frame and the current instruction is what V8 emits to drop
// arguments: cmp rcx,imm8 and jg. (src/compiler/backend/x64/code-generator-x64.cc, AssembleReturn)
func isTail(b []byte) bool {
	return len(b) == 0 || bytes.HasPrefix(b, []byte{0x48, 0x83, 0xf9}) && len(b) <= 6
}

// fillsFrame reports whether a builtin has its frame pointer, but not yet what belongs below it: it is behind the
// prologue, which may stand anywhere, or the push rsi after that.
func (v *Resolver) fillsFrame(name string, start, pc uint64) bool {
	key := builtinPoint{name, pc - start}
	if is, known := v.filling[key]; known {
		return is
	}
	b, err := v.r.Bytes(max(start, pc-frameSetUp+1), int(min(pc-start, frameSetUp-1)))
	if err != nil {
		return false
	}
	is := bytes.HasSuffix(b, prologue) || bytes.Equal(b, append(prologue, pushRSI))
	v.filling.add(key, is)
	return is
}

// inBaselinePrologue handles the builtin that makes the frame of baseline code, once rbp is its frame pointer: the
// return address into the code is in a register, and what is in the slots that the builtin has not written is of an
// earlier call. It does other things between the pushes. (src/builtins/x64/builtins-x64.cc,
// Generate_BaselineOutOfLinePrologue) It is false where the frame is not this one.
func (v *Resolver) inBaselinePrologue(raw RawFrame, start, end uint64) ([]RawFrame, bool) {
	code, err := v.r.Bytes(start, int(min(end-start, 512)))
	entry := bytes.Index(code, prologue)
	at := int(raw.PC-start) - entry
	if err != nil || entry < 0 || at < len(prologue) {
		return nil, false
	}
	self := RawFrame{PC: raw.PC, Exact: true, Marker: 0}
	switch pushed := pushes(code[entry:], at); {
	case pushed < 0:
		return nil, false // the rest of the builtin, which has a frame of its own
	case pushed < functionPushes:
		return []RawFrame{self}, true
	}
	raw.PC, raw.Bytecode, raw.Offset = 0, 0, -1 // the function is known, where it is is not
	return []RawFrame{self, raw}, true
}

// functionPushes is how many words are pushed from push rbp on until the function's slot is written.
const functionPushes = 3

// pushes counts the pushes from push rbp on before an offset of code that sets up a frame; -1 if a return is among
// them, behind which other code is.
func pushes(code []byte, at int) int {
	n := 0
	for end := min(at, len(code)); end > 0; {
		in, err := x86asm.Decode(code, 64)
		if err != nil || in.Len > end || in.Op == x86asm.RET {
			return -1
		}
		if in.Op == x86asm.PUSH {
			n++
		}
		code, end = code[in.Len:], end-in.Len
	}
	return n
}
