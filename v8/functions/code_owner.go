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
	if c.tier == Sparkplug {
		return v.isBaselineOf(c, callee)
	}
	return v.isOf(c, callee)
}

// runs reports whether code is a function's.
func (v *Resolver) runs(c *code, raw stack.RawFrame) bool {
	switch {
	case c.tier == Sparkplug:
		raw.Exact = true // a word of the stack need not be where the frame returns to
		return v.isBaselineOf(c, raw)
	case c.Kind == v.r.Layout().At(layout.KindJSToWasm):
		return v.isExported(raw)
	}
	return v.isEntry(c) || c.tier != NoTier && c.id == raw.ID
}

// isExported reports whether a frame is of a function that WebAssembly exports.
func (v *Resolver) isExported(raw stack.RawFrame) bool {
	fn := v.function(raw.ID, raw.SFI)
	return fn != nil && isExport(fn.own, fn.script)
}

// isEntry reports whether code is a copy of the interpreter's entry: with --interpreted-frames-native-stack each
// function has its own, if V8 tells a profiler of code. There are no other copies of builtins.
// (src/codegen/compiler.cc, InstallInterpreterTrampolineCopy)
func (v *Resolver) isEntry(c *code) bool { return c.Kind == v.r.Layout().At(layout.KindBuiltin) }
