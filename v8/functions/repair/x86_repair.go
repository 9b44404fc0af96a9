package repair

import (
	"bytes"
	"strings"

	"github.com/hotspan/hotspan/v8/functions/builtins"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/x86"
)

// Repair corrects a frame in V8's code and returns the frames that stand for it, innermost first. passing: they were
// derived from more than the frame and the code that it is in, such as words of the stack. Only frames in V8's code are
// passed here; leaf is the walk's.
func (r *Repairer) Repair(of Process, raw stack.RawFrame, leaf stack.Leaf) (frames []stack.RawFrame, passing bool) {
	a := &attempt{Process: of, Repairer: r}
	frames = a.repair(raw, leaf)
	return frames, a.passing || len(frames) != 1 || frames[0] != raw
}

func (a *attempt) repair(raw stack.RawFrame, leaf stack.Leaf) []stack.RawFrame {
	if !raw.Exact {
		return a.repairCaller(raw, leaf)
	}
	if name, start, end, ok := a.Builtin(raw.PC); ok {
		return a.repairBuiltin(raw, leaf, name, start, end)
	}
	if c, ok := a.Wasm(raw.PC); ok {
		return a.repairWasm(raw, leaf, c)
	}
	c, ok := a.Code(raw.PC)
	switch {
	case !ok:
		return []stack.RawFrame{raw}
	case c.Kind == Entry:
		return a.repairEntry(raw, leaf, c.Start, c.End)
	case c.Kind == Other:
		return a.repairOther(raw, leaf, c)
	}
	return a.repairCode(raw, leaf, c)
}

func (a *attempt) repairCode(raw stack.RawFrame, leaf stack.Leaf, c Code) []stack.RawFrame {
	self := stack.RawFrame{PC: raw.PC, Exact: true, Marker: -1, ID: c.ID, SFI: c.SFI, Offset: -1}
	at, entry := int(raw.PC-c.Start), bytes.Index(c.head(), x86.Prologue)
	if entry >= 0 && at < entry+x86.FrameSetUp {
		if !a.Enters(raw.PC, leaf.Callee) {
			a.passing = true
			return []stack.RawFrame{raw}
		}
		self.ID, self.SFI = leaf.Callee.ID, leaf.Callee.SFI
		return a.entering(self, raw, leaf, at-entry)
	}
	ends, foreign := a.inEpilogue(c, at), a.isForeign(c, raw)
	if !ends && !foreign {
		return []stack.RawFrame{raw}
	}
	if c.ID.Script < 0 && a.Enters(raw.PC, leaf.Callee) {
		self.ID, self.SFI = leaf.Callee.ID, leaf.Callee.SFI
	}
	if ends {
		return a.above(self, raw, leaf, 0)
	}
	leaf.Words = leaf.Words[:min(2, len(leaf.Words))] // without a frame there is nothing else above the return address
	if out, ok := a.under(self, raw, leaf); ok {
		return out
	}
	a.passing = true
	return []stack.RawFrame{raw} // other code than the function's, which does not call it: its place was used again
}

// isForeign reports whether the frame at rbp is another function's than the code's: then the code has none, whatever
// its instructions look like.
func (a *attempt) isForeign(c Code, raw stack.RawFrame) bool {
	return raw.Marker < 0 && raw.ID.Script >= 0 && !a.Runs(raw.PC, raw) && c.Known
}

// repairCaller handles frames that have called something: only builtins do so without a frame of their own.
func (a *attempt) repairCaller(raw stack.RawFrame, leaf stack.Leaf) []stack.RawFrame {
	name, start, ok := builtins.Of(raw, a.Process)
	if !ok || a.Interprets(name, raw) {
		return []stack.RawFrame{raw}
	}
	return a.frameless(raw, leaf, name, start)
}

// repairBuiltin handles builtins: one that runs while rbp is a JavaScript function's has no frame of its own.
func (a *attempt) repairBuiltin(raw stack.RawFrame, leaf stack.Leaf, name string, start, end uint64) []stack.RawFrame {
	if a.Interprets(name, raw) {
		switch {
		case builtins.IsHandler(name) && a.fillsFrame(name, start, raw.PC):
			return []stack.RawFrame{{PC: raw.PC, Exact: true, Marker: 0}} // one of its own, for a call that it makes
		case builtins.IsHandler(name), builtins.EntersBaseline(name):
			return []stack.RawFrame{raw}
		}
		return a.repairEntry(raw, leaf, start, end)
	}
	if strings.HasPrefix(name, "BaselineOutOfLinePrologue") {
		if out, ok := a.inBaselinePrologue(raw, start, end); ok {
			return out
		}
	}
	if a.fillsFrame(name, start, raw.PC) {
		return []stack.RawFrame{{PC: raw.PC, Exact: true, Marker: 0}} // what is in the slots was there before
	}
	if name == "WasmLiftoffFrameSetup" {
		return a.liftoffSetup(raw, leaf, start)
	}
	return a.frameless(raw, leaf, name, start)
}

// frameless puts a builtin that has no frame on top of the function whose frame it is: if rbp's frame is a function of
// a script, it is not the builtin's. Functions that WebAssembly exports have a script too, that of their module, and
// some of them are builtins that have a frame.
func (a *attempt) frameless(raw stack.RawFrame, leaf stack.Leaf, name string, start uint64) []stack.RawFrame {
	if raw.Marker >= 0 || raw.ID.Script < 0 || strings.HasPrefix(name, "JSToWasm") || name == "WasmPromising" {
		return []stack.RawFrame{raw}
	}
	self := stack.RawFrame{PC: raw.PC, Exact: raw.Exact, Marker: 0}
	switch {
	case strings.HasPrefix(name, "DeoptimizationEntry"):
		if raw.PC = a.deoptReturn(raw, leaf, start); raw.PC != 0 {
			raw.PC -= stack.ExitRest(a.layout)
		}
		raw.Exact = false
		return []stack.RawFrame{self, raw}
	case name == "BaselineLeaveFrame" && a.hasBaselineFrame(start, raw.PC):
		return []stack.RawFrame{self, raw}
	}
	out, ok := a.under(self, raw, a.holding(raw, leaf, name, start))
	if !ok {
		out[1].PC = 0 // the function is known, where it is is not
	}
	return out
}

// repairEntry: while the interpreter's entry sets up the frame, the function is in rdi. What it has not written yet an
// earlier call has left there.
func (a *attempt) repairEntry(raw stack.RawFrame, leaf stack.Leaf, start, end uint64) []stack.RawFrame {
	a.passing = true
	head, err := a.Bytes(start, int(min(end-start, 512)))
	entry := bytes.Index(head, x86.Prologue)
	if err != nil || entry < 0 {
		return []stack.RawFrame{raw}
	}
	at := int(raw.PC-start) - entry
	switch {
	case at < x86.FrameSetUp && leaf.Callee.ID.Script >= 0:
		of := leaf.Callee
		self := stack.RawFrame{PC: raw.PC, Exact: true, Marker: -1, ID: of.ID, SFI: of.SFI, Offset: -1}
		return a.entering(self, raw, leaf, at)
	case at >= x86.FrameSetUp && !x86.InterpreterFrameSetUp(head[entry:], at):
		raw.Bytecode, raw.Offset = 0, -1
	}
	return []stack.RawFrame{raw}
}
