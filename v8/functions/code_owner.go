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
