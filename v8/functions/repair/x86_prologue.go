package repair

import (
	"bytes"

	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/x86"
)

// inEpilogue reports whether the frame was taken down just before an offset of code.
func (a *attempt) inEpilogue(c Code, at int) bool {
	n := min(at, x86.MaxEpilogue)
	if n == 0 {
		return false
	}
	var b []byte
	if at < len(c.Text) {
		b = c.Text[at-n : at+1]
	} else {
		var err error
		if b, err = a.Bytes(c.Start+uint64(at-n), n+1); err != nil {
			return false
		}
	}
	return x86.InEpilogue(b[:n], b[n])
}

// fillsFrame reports whether a builtin has its frame pointer, but not yet what belongs below it: it is behind the
// prologue, which may stand anywhere, or the push rsi after that.
func (a *attempt) fillsFrame(name string, start, pc uint64) bool {
	key := builtinPoint{name, pc - start}
	if is, known := a.filling[key]; known {
		return is
	}
	b, err := a.Bytes(max(start, pc-x86.FrameSetUp+1), int(min(pc-start, x86.FrameSetUp-1)))
	if err != nil {
		return false
	}
	is := x86.EndsPrologue(b)
	a.filling.add(key, is)
	return is
}

// inBaselinePrologue handles the builtin that makes the frame of baseline code, once rbp is its frame pointer: the
// return address into the code is in a register, and what is in the slots that the builtin has not written is of an
// earlier call. It does other things between the pushes. (src/builtins/x64/builtins-x64.cc,
// Generate_BaselineOutOfLinePrologue) It is false where the frame is not this one.
func (a *attempt) inBaselinePrologue(raw stack.RawFrame, start, end uint64) ([]stack.RawFrame, bool) {
	code, err := a.Bytes(start, int(min(end-start, 512)))
	entry := bytes.Index(code, x86.Prologue)
	at := int(raw.PC-start) - entry
	if err != nil || entry < 0 || at < len(x86.Prologue) {
		return nil, false
	}
	self := stack.RawFrame{PC: raw.PC, Exact: true, Marker: 0}
	switch pushed := x86.Pushes(code[entry:], at); {
	case pushed < 0:
		return nil, false // the rest of the builtin, which has a frame of its own
	case pushed < functionPushes:
		return []stack.RawFrame{self}, true
	}
	raw.Bytecode, raw.Offset = 0, -1 // the function is known, where it is is not
	return []stack.RawFrame{self, raw}, true
}

// hasBaselineFrame reports whether the builtin to which baseline code jumps in order to return has not yet removed the
// frame of that code. Until then no return address into the code is on the stack; one that is there is of another call
// of the function, or was left there. (src/baseline/x64/baseline-compiler-x64-inl.h, BaselineAssembler::EmitReturn)
func (a *attempt) hasBaselineFrame(start, pc uint64) bool {
	code, err := a.Bytes(start, int(min(pc-start, 512)))
	return err == nil && !x86.RemovesFrame(code)
}

// functionPushes is how many words are pushed from push rbp on until the function's slot is written.
const functionPushes = 3
