package stack

import (
	"bytes"
	"strings"

	"github.com/hotspan/hotspan/v8/heap"
)

// headSize is how much machine code is kept to recognise prologues; they lie within it.
const headSize = 192

// prologue is push rbp; mov rbp,rsp, the instructions with which all V8 code sets up its frame.
var prologue = []byte{0x55, 0x48, 0x89, 0xe5}

// frameSetUp is how many bytes from push rbp on the function's slot of the frame is not written yet: the prologue, push
// rsi (context) and push rdi (function).
const frameSetUp = 6

// Code takes down its frame by mov rsp,rbp; pop rbp. What follows until the return is short.
var epilogues = [][]byte{{0x48, 0x8b, 0xe5, 0x5d}, {0x48, 0x89, 0xec, 0x5d}}

const maxEpilogue = 24

// Repair corrects a frame in V8's code. A walk takes rbp for the frame pointer of the interrupted function; in a prologue, in an
// epilogue and in builtins that have no frame, rbp is the caller's. Then the leaf is a frame more, and the frame at
// rbp is at the return address, which is on top of the stack. It returns the frames that stand for raw.
func (v *Resolver) Repair(raw RawFrame, leaf Leaf) []RawFrame {
	if !raw.Exact {
		return v.repairCaller(raw, leaf)
	}
	if name, start, end, ok := v.space.Builtin(raw.PC); ok {
		return v.repairBuiltin(raw, leaf, name, start, end)
	}
	if c := v.wasmAt(raw.PC, true); c != nil {
		return v.repairWasm(raw, leaf, c)
	}
	c := v.codeOf(raw.PC)
	switch {
	case c == nil:
		return []RawFrame{raw}
	case c.tier == NoTier:
		return v.repairOther(raw, leaf, c.Start, c.head)
	}
	return v.repairCode(raw, leaf, c)
}

// repairOther corrects a leaf in code that is not a JavaScript function's, from its own instructions alone.
func (v *Resolver) repairOther(raw RawFrame, leaf Leaf, start uint64, head []byte) []RawFrame {
	self := RawFrame{PC: raw.PC, Exact: true, Marker: -1, Offset: -1, ID: heap.Identity{Script: -1}}
	at, entry := int(raw.PC-start), bytes.Index(head, prologue)
	switch {
	case entry >= 0 && at <= entry+1:
		return v.entering(self, raw, leaf, at-entry)
	case v.inEpilogue(start, at):
		return v.above(self, raw, leaf, 0)
	}
	return []RawFrame{raw}
}

func (v *Resolver) repairCode(raw RawFrame, leaf Leaf, c *code) []RawFrame {
	self := RawFrame{PC: raw.PC, Exact: true, Marker: -1, ID: c.id, SFI: c.sfi, Offset: -1}
	at, entry := int(raw.PC-c.Start), bytes.Index(c.head, prologue)
	if entry >= 0 && at < entry+frameSetUp {
		if !v.enters(c, leaf.Callee) {
			return []RawFrame{raw}
		}
		self.ID, self.SFI = leaf.Callee.ID, leaf.Callee.SFI
		return v.entering(self, raw, leaf, at-entry)
	}
	ends, foreign := v.inEpilogue(c.Start, at), v.isForeign(c, raw)
	if !ends && !foreign {
		return []RawFrame{raw}
	}
	if c.tier == Sparkplug {
		of := v.ownerOf(c)
		self.ID, self.SFI = of.id, of.sfi
	}
	if ends {
		return v.above(self, raw, leaf, 0)
	}
	leaf.Words = leaf.Words[:min(2, len(leaf.Words))] // without a frame there is nothing else above the return address
	if out, ok := v.under(self, raw, leaf); ok {
		return out
	}
	return []RawFrame{raw} // other code than the function's, which does not call it: its place was used again
}

// entering repairs a leaf that is in its prologue, at an offset from push rbp.
func (v *Resolver) entering(self, raw RawFrame, leaf Leaf, at int) []RawFrame {
	switch {
	case at <= 0:
		return v.above(self, raw, leaf, 0)
	case at == 1:
		return v.above(self, raw, leaf, 1)
	}
	return []RawFrame{self} // the frame is its own
}

// enters reports whether code is the function's that was in rdi. If not, its place was used again since the sample.
func (v *Resolver) enters(c *code, callee RawFrame) bool {
	if callee.ID.Script < 0 {
		return false
	}
	if c.tier != Sparkplug {
		return c.id == callee.ID
	}
	if of := v.ownerOf(c); of.id.Script >= 0 {
		return of.id == callee.ID
	}
	return v.compiledFor(c, callee.SFI)
}

// isForeign reports whether the frame at rbp is another function's than the code's: then the code has none, whatever
// its instructions look like.
func (v *Resolver) isForeign(c *code, raw RawFrame) bool {
	if raw.Marker >= 0 || raw.ID.Script < 0 {
		return false
	}
	if c.tier == Sparkplug {
		return !v.compiledFrom(c, raw) && (c.baseline != nil || v.baselineLacksBytecode())
	}
	return c.optimized != nil && raw.ID != c.id
}

// ownerOf is the function of baseline code, if it was seen before: baseline code itself does not tell.
func (v *Resolver) ownerOf(c *code) owner {
	if c.baseline != nil {
		if of, ok := v.owners[c.baseline.Array]; ok {
			return of
		}
	}
	return owner{id: heap.Identity{Script: -1}}
}

// above puts the leaf on top of the frame at rbp, whose return address is a word of the stack.
func (v *Resolver) above(self, caller RawFrame, leaf Leaf, word int) []RawFrame {
	if word >= len(leaf.Words) || !v.isCode(leaf.Words[word]) {
		return []RawFrame{self}
	}
	caller.PC, caller.Exact = leaf.Words[word], false
	return []RawFrame{self, caller}
}

func (v *Resolver) isCode(pc uint64) bool {
	if _, _, _, ok := v.space.Builtin(pc - 1); ok {
		return true
	}
	return v.codeOf(pc) != nil || v.wasmAt(pc, false) != nil
}

// inEpilogue reports whether the frame was taken down just before an offset of the code that begins at start.
func (v *Resolver) inEpilogue(start uint64, at int) bool {
	n := min(at, maxEpilogue)
	b, err := v.r.Bytes(start+uint64(at-n), n+1)
	if err != nil || n == 0 {
		return false
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

// repairCaller handles frames that have called something: only builtins do so without a frame of their own.
func (v *Resolver) repairCaller(raw RawFrame, leaf Leaf) []RawFrame {
	name, start, ok := v.builtinAt(raw)
	if !ok || v.interprets(name, raw) {
		return []RawFrame{raw}
	}
	return v.frameless(raw, leaf, name, start)
}

// repairBuiltin handles builtins: one that runs while rbp is a JavaScript function's has no frame of its own.
func (v *Resolver) repairBuiltin(raw RawFrame, leaf Leaf, name string, start, end uint64) []RawFrame {
	if v.interprets(name, raw) {
		return v.repairInterpreter(raw, leaf, name, start, end)
	}
	if v.fillsFrame(start, raw.PC) {
		return []RawFrame{{PC: raw.PC, Exact: true, Marker: 0}} // what is in the slots was there before
	}
	if name == "WasmLiftoffFrameSetup" {
		return v.liftoffSetup(raw, leaf, start)
	}
	return v.frameless(raw, leaf, name, start)
}

// fillsFrame reports whether a builtin has its frame pointer, but not yet what belongs below it.
func (v *Resolver) fillsFrame(start, pc uint64) bool {
	if at := pc - start; at < uint64(len(prologue)) || at >= frameSetUp {
		return false
	}
	head, err := v.r.Bytes(start, len(prologue))
	return err == nil && bytes.Equal(head, prologue)
}

// frameless puts a builtin that has no frame on top of the function whose frame it is: if rbp's frame is a function of
// a script, it is not the builtin's. Functions that WebAssembly exports have a script too, that of their module, and are
// called by a builtin that has a frame.
func (v *Resolver) frameless(raw RawFrame, leaf Leaf, name string, start uint64) []RawFrame {
	if raw.Marker >= 0 || raw.ID.Script < 0 || strings.HasPrefix(name, "JSToWasm") {
		return []RawFrame{raw}
	}
	self := RawFrame{PC: raw.PC, Exact: raw.Exact, Marker: 0}
	if strings.HasPrefix(name, "DeoptimizationEntry") {
		if raw.PC = v.deoptReturn(raw, leaf, start); raw.PC != 0 {
			raw.PC -= exitRest(v.r.Layout())
		}
		raw.Exact = false
		return []RawFrame{self, raw}
	}
	out, ok := v.under(self, raw, leaf)
	if !ok {
		out[1].PC = 0 // the function is known, where it is is not
	}
	return out
}

// under puts self on top of the function whose frame is at rbp, which goes on at the first return address on the stack
// that is in its code. It is false where there is none.
func (v *Resolver) under(self, raw RawFrame, leaf Leaf) ([]RawFrame, bool) {
	for i := range len(leaf.Words) + 1 {
		w := leaf.R10
		if i < len(leaf.Words) {
			w = leaf.Words[i]
		}
		if v.returnsTo(w, raw) {
			raw.PC, raw.Exact = w, false
			return []RawFrame{self, raw}, true
		}
	}
	return []RawFrame{self, raw}, false
}

// returnsTo reports whether a word is a return address into a function's code.
func (v *Resolver) returnsTo(w uint64, raw RawFrame) bool {
	if name, _, ok := v.builtinAt(RawFrame{PC: w}); ok {
		return isInterpreter(name)
	}
	c := v.codeOf(w)
	return c != nil && v.runs(c, raw) && !c.inDeoptExits(w)
}

// runs reports whether code is a function's.
func (v *Resolver) runs(c *code, raw RawFrame) bool {
	if c.tier == Sparkplug {
		return v.compiledFrom(c, raw)
	}
	return c.tier != NoTier && c.id == raw.ID
}

// repairInterpreter: while the interpreter's entry sets up the frame, the function is in rdi.
func (v *Resolver) repairInterpreter(raw RawFrame, leaf Leaf, name string, start, end uint64) []RawFrame {
	if isHandler(name) || entersBaseline(name) {
		return []RawFrame{raw}
	}
	head, err := v.r.Bytes(start, int(min(end-start, 512)))
	entry := bytes.Index(head, prologue)
	if err != nil || entry < 0 || leaf.Callee.ID.Script < 0 {
		return []RawFrame{raw}
	}
	self := leaf.Callee
	self.PC, self.Exact, self.Marker = raw.PC, true, -1
	if at := int(raw.PC-start) - entry; at < frameSetUp {
		return v.entering(self, raw, leaf, at)
	}
	return []RawFrame{raw}
}
