package functions

import (
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
)

// enters reports whether code is the function's that was in rdi. If not, its place was used again since the sample.
func (v *Resolver) enters(c *code, callee stack.RawFrame) bool {
	if callee.ID.Script < 0 {
		return false
	}
	if c.tier == Sparkplug && c.id.Script < 0 {
		return v.compiledFor(c, callee.SFI)
	}
	return v.isOf(c, callee)
}

// isOf reports whether code is of the function of a frame. One with the same numbers, of another isolate, is not.
func (v *Resolver) isOf(c *code, raw stack.RawFrame) bool {
	if c.id != raw.ID || c.sfi == raw.SFI {
		return c.id == raw.ID
	}
	fn := v.function(raw.ID, raw.SFI)
	return fn != nil && fn == v.function(c.id, c.sfi)
}

// isForeign reports whether the frame at rbp is another function's than the code's: then the code has none, whatever
// its instructions look like.
func (v *Resolver) isForeign(c *code, raw stack.RawFrame) bool {
	if raw.Marker >= 0 || raw.ID.Script < 0 {
		return false
	}
	if c.tier == Sparkplug {
		return !v.compiledFrom(c, raw) && (c.baseline != nil || v.baselineLacksBytecode())
	}
	return c.optimized != nil && raw.ID != c.id
}

func (v *Resolver) isCode(pc uint64) bool {
	if _, _, _, ok := v.space.Builtin(pc - 1); ok {
		return true
	}
	return v.codeOf(pc) != nil || v.wasmAt(pc, false) != nil
}

// returnsTo reports whether a word is a return address into a function's code.
func (v *Resolver) returnsTo(w uint64, raw stack.RawFrame) bool {
	if name, _, ok := v.builtinAt(stack.RawFrame{PC: w}); ok {
		return isInterpreter(name)
	}
	c := v.codeOf(w)
	return c != nil && v.runs(c, raw) && !c.inDeoptExits(w)
}

// runs reports whether code is a function's.
func (v *Resolver) runs(c *code, raw stack.RawFrame) bool {
	if c.tier == Sparkplug {
		return v.compiledFrom(c, raw)
	}
	return v.isEntry(c) || c.tier != NoTier && c.id == raw.ID
}

// isEntry reports whether code is a copy of the interpreter's entry: with --interpreted-frames-native-stack each
// function has its own, if V8 tells a profiler of code. There are no other copies of builtins.
// (src/codegen/compiler.cc, InstallInterpreterTrampolineCopy)
func (v *Resolver) isEntry(c *code) bool { return c.Kind == v.r.Layout().At(layout.KindBuiltin) }
