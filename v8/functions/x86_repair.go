package functions

import (
	"bytes"
	"strings"

	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/x86"
)

// Repair corrects a frame in V8's code and returns the frames that stand for it, innermost first. A walk takes rbp for
// the frame pointer of the interrupted function. In a prologue, in an epilogue and in builtins without a frame, rbp is
// the caller's: then there is one frame more, and the frame at rbp continues at the return address, which is on top of
// the stack. Only frames in V8's code are passed here; leaf is the walk's.
func (v *Resolver) Repair(raw stack.RawFrame, leaf stack.Leaf) []stack.RawFrame {
	frames := v.repair(raw, leaf)
	if len(frames) != 1 || frames[0] != raw {
		v.basis.passing = true
	}
	return frames
}

func (v *Resolver) repair(raw stack.RawFrame, leaf stack.Leaf) []stack.RawFrame {
	if !raw.Exact {
		return v.repairCaller(raw, leaf)
	}
	if name, start, end, ok := v.space.Builtin(raw.PC); ok {
		return v.repairBuiltin(raw, leaf, name, start, end)
	}
	if c := v.wasmAt(raw.PC, true); c != nil {
		return v.repairWasm(raw, leaf, c.wasmCode)
	}
	c := v.codeOf(raw.PC)
	switch {
	case c == nil:
		return []stack.RawFrame{raw}
	case v.isEntry(c):
		return v.repairEntry(raw, leaf, c.Start, c.End)
	case c.tier == NoTier:
		return v.repairOther(raw, leaf, c.Start, c.head)
	}
	return v.repairCode(raw, leaf, c)
}

func (v *Resolver) repairCode(raw stack.RawFrame, leaf stack.Leaf, c *code) []stack.RawFrame {
	self := stack.RawFrame{PC: raw.PC, Exact: true, Marker: -1, ID: c.id, SFI: c.sfi, Offset: -1}
	at, entry := int(raw.PC-c.Start), bytes.Index(c.head, x86.Prologue)
	if entry >= 0 && at < entry+x86.FrameSetUp {
		if !v.enters(c, leaf.Callee) {
			v.basis.passing = true
			return []stack.RawFrame{raw}
		}
		self.ID, self.SFI = leaf.Callee.ID, leaf.Callee.SFI
		return v.entering(self, raw, leaf, at-entry)
	}
	ends, foreign := v.inEpilogue(c.Start, c.text, at), v.isForeign(c, raw)
	if !ends && !foreign {
		return []stack.RawFrame{raw}
	}
	if c.tier == Sparkplug && c.id.Script < 0 && v.enters(c, leaf.Callee) {
		self.ID, self.SFI = leaf.Callee.ID, leaf.Callee.SFI
	}
	if ends {
		return v.above(self, raw, leaf, 0)
	}
	leaf.Words = leaf.Words[:min(2, len(leaf.Words))] // without a frame there is nothing else above the return address
	if out, ok := v.under(self, raw, leaf); ok {
		return out
	}
	v.basis.passing = true
	return []stack.RawFrame{raw} // other code than the function's, which does not call it: its place was used again
}

// repairCaller handles frames that have called something: only builtins do so without a frame of their own.
func (v *Resolver) repairCaller(raw stack.RawFrame, leaf stack.Leaf) []stack.RawFrame {
	name, start, ok := v.builtinAt(raw)
	if !ok || v.interprets(name, raw) {
		return []stack.RawFrame{raw}
	}
	return v.frameless(raw, leaf, name, start)
}

// repairBuiltin handles builtins: one that runs while rbp is a JavaScript function's has no frame of its own.
func (v *Resolver) repairBuiltin(raw stack.RawFrame, leaf stack.Leaf, name string, start, end uint64) []stack.RawFrame {
	if v.interprets(name, raw) {
		if isHandler(name) || entersBaseline(name) {
			return []stack.RawFrame{raw}
		}
		return v.repairEntry(raw, leaf, start, end)
	}
	if strings.HasPrefix(name, "BaselineOutOfLinePrologue") {
		if out, ok := v.inBaselinePrologue(raw, start, end); ok {
			return out
		}
	}
	if v.fillsFrame(name, start, raw.PC) {
		return []stack.RawFrame{{PC: raw.PC, Exact: true, Marker: 0}} // what is in the slots was there before
	}
	if name == "WasmLiftoffFrameSetup" {
		return v.liftoffSetup(raw, leaf, start)
	}
	return v.frameless(raw, leaf, name, start)
}

// frameless puts a builtin that has no frame on top of the function whose frame it is: if rbp's frame is a function of
// a script, it is not the builtin's. Functions that WebAssembly exports have a script too, that of their module, and
// are called by a builtin that has a frame.
func (v *Resolver) frameless(raw stack.RawFrame, leaf stack.Leaf, name string, start uint64) []stack.RawFrame {
	if raw.Marker >= 0 || raw.ID.Script < 0 || strings.HasPrefix(name, "JSToWasm") {
		return []stack.RawFrame{raw}
	}
	self := stack.RawFrame{PC: raw.PC, Exact: raw.Exact, Marker: 0}
	if strings.HasPrefix(name, "DeoptimizationEntry") {
		if raw.PC = v.deoptReturn(raw, leaf, start); raw.PC != 0 {
			raw.PC -= stack.ExitRest(v.r.Layout())
		}
		raw.Exact = false
		return []stack.RawFrame{self, raw}
	}
	out, ok := v.under(self, raw, leaf)
	if !ok {
		out[1].PC = 0 // the function is known, where it is is not
	}
	return out
}

// repairEntry: while the interpreter's entry sets up the frame, the function is in rdi. What it has not written yet an
// earlier call has left there.
func (v *Resolver) repairEntry(raw stack.RawFrame, leaf stack.Leaf, start, end uint64) []stack.RawFrame {
	v.basis.passing = true
	head, err := v.r.Bytes(start, int(min(end-start, 512)))
	entry := bytes.Index(head, x86.Prologue)
	if err != nil || entry < 0 {
		return []stack.RawFrame{raw}
	}
	at := int(raw.PC-start) - entry
	switch {
	case at < x86.FrameSetUp && leaf.Callee.ID.Script >= 0:
		of := leaf.Callee
		self := stack.RawFrame{PC: raw.PC, Exact: true, Marker: -1, ID: of.ID, SFI: of.SFI, Offset: -1}
		return v.entering(self, raw, leaf, at)
	case at >= x86.FrameSetUp && !x86.InterpreterFrameSetUp(head[entry:], at):
		raw.Bytecode, raw.Offset = 0, -1
	}
	return []stack.RawFrame{raw}
}
