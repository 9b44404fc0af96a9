package x86

import (
	"bytes"
	"slices"

	"golang.org/x/arch/x86/x86asm"
)

// Prologue is push rbp; mov rbp,rsp, the instructions with which all V8 code sets up its frame.
var Prologue = []byte{0x55, 0x48, 0x89, 0xe5}

const pushRSI = 0x56

// FrameSetUp is how many bytes from push rbp on the function's slot of the frame is not written yet: the prologue, push
// rsi (context) and push rdi (function).
const FrameSetUp = 6

// interpreterPushes is how many words the interpreter's entry pushes for its frame: the caller's frame pointer,
// context, function, number of arguments, BytecodeArray and offset. (src/builtins/x64/builtins-x64.cc,
// Generate_InterpreterEntryTrampoline)
const interpreterPushes = 6

// InterpreterFrameSetUp reports whether the interpreter's entry has written all of its frame, at an offset from push
// rbp.
func InterpreterFrameSetUp(code []byte, at int) bool {
	n := 0
	for end := min(at, len(code)); n < interpreterPushes && end > 0; {
		in, err := Decode(code)
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

// Pushes counts the pushes from push rbp on before an offset of code that sets up a frame; -1 if a return is among
// them, behind which other code is.
func Pushes(code []byte, at int) int {
	n := 0
	for end := min(at, len(code)); end > 0; {
		in, err := Decode(code)
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

// Code takes down its frame by mov rsp,rbp; pop rbp. What follows until the return is short.
var epilogues = [][]byte{{0x48, 0x8b, 0xe5, 0x5d}, {0x48, 0x89, 0xec, 0x5d}}

// MaxEpilogue is how many bytes of code before an instruction InEpilogue asks for.
const MaxEpilogue = 24

// InEpilogue reports whether the frame was taken down just before an instruction, of which the first byte is given, and
// the code before it.
func InEpilogue(before []byte, first byte) bool {
	if first == 0xc3 || first == 0xc2 { // a return: nothing but an epilogue is before it
		return true
	}
	for _, e := range epilogues {
		if i := bytes.LastIndex(before, e); i >= 0 && isTail(before[i+len(e):]) {
			return true
		}
	}
	return false
}

// RemovesFrame reports whether code takes down its frame.
func RemovesFrame(code []byte) bool {
	return slices.ContainsFunc(epilogues, func(e []byte) bool { return bytes.Contains(code, e) })
}

// isTail reports whether code between the end of a frame and the current instruction is what V8 emits to drop
// arguments: cmp rcx,imm8 and jg. (src/compiler/backend/x64/code-generator-x64.cc, AssembleReturn)
func isTail(b []byte) bool {
	return len(b) == 0 || bytes.HasPrefix(b, []byte{0x48, 0x83, 0xf9}) && len(b) <= 6
}

// EndsPrologue reports whether code, of at most FrameSetUp-1 bytes, ends with a prologue, or is one and the push rsi
// after it.
func EndsPrologue(b []byte) bool {
	return bytes.HasSuffix(b, Prologue) || bytes.Equal(b, append(Prologue[:len(Prologue):len(Prologue)], pushRSI))
}
