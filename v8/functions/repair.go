package functions

import (
	"github.com/hotspan/hotspan/v8/functions/repair"
	"github.com/hotspan/hotspan/v8/stack"
)

// Repair corrects a frame in V8's code and returns the frames that stand for it, innermost first: the walk may have
// taken the caller's frame for that of the function that was interrupted. Only frames in V8's code are passed here;
// leaf is the walk's.
func (v *Resolver) Repair(raw stack.RawFrame, leaf stack.Leaf) []stack.RawFrame {
	frames, passing := v.repairer.Repair(asked{v}, raw, leaf)
	if passing {
		v.basis.passing = true
	}
	return frames
}

// BytecodeOffset finds at which bytecode the interpreter was interrupted: raw is the first frame of the stack, frame
// says whether that or the next one is the function's, and offset is to be its RawFrame.Offset, by which Resolve goes.
func (v *Resolver) BytecodeOffset(raw stack.RawFrame, leaf stack.Leaf) (frame, offset int, ok bool) {
	return v.repairer.BytecodeOffset(asked{v}, raw, leaf)
}

// asked answers what a repair asks.
type asked struct{ v *Resolver }

func (a asked) Builtin(pc uint64) (name string, start, end uint64, ok bool) {
	return a.v.space.Builtin(pc)
}

func (a asked) Generated(pc uint64) bool { return a.v.space.Generated(pc) }

func (a asked) Bytes(at uint64, n int) ([]byte, error) { return a.v.r.Bytes(at, n) }

func (a asked) Interprets(name string, raw stack.RawFrame) bool { return a.v.interprets(name, raw) }

func (a asked) Code(pc uint64) (repair.Code, bool) {
	c := a.v.provenCode(pc)
	if c == nil {
		return repair.Code{}, false
	}
	found := repair.Code{Start: c.Start, End: c.End, Text: c.text, ID: c.id, SFI: c.sfi, Optimized: c.optimized}
	switch {
	case a.v.isEntry(c):
		found.Kind = repair.Entry
	case c.tier == Sparkplug:
		found.Kind, found.Known = repair.Function, c.baseline != nil || a.v.baselineLacksBytecode()
	case c.tier != NoTier:
		found.Kind, found.Known = repair.Function, c.optimized != nil && c.optimized.Function != 0
	}
	return found, true
}

func (a asked) Wasm(pc uint64) (repair.Code, bool) {
	c := a.v.wasmAt(pc, true)
	if c == nil {
		return repair.Code{}, false
	}
	found := repair.Code{Start: c.Start, End: c.End, Text: c.head}
	if c.Index < 0 {
		found.Kind = repair.Jumps
	}
	return found, true
}

func (a asked) Exported(raw stack.RawFrame) bool { return a.v.isExported(raw) }

func (a asked) Enters(pc uint64, callee stack.RawFrame) bool {
	c := a.v.codeOf(pc)
	return c != nil && a.v.enters(c, callee)
}

func (a asked) Runs(pc uint64, raw stack.RawFrame) bool {
	c := a.v.codeOf(pc)
	return c != nil && a.v.runs(c, raw)
}
