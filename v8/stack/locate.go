package stack

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// bytecode finds the bytecode of a function: in its frame, or where that is not set up, by the function. V8 may have
// flushed what is known of it, and compiled it anew, with counters in it if coverage has begun since. Nil: it cannot be
// read, and none is known.
func (v *Resolver) bytecode(fn *function, at, sfi heap.Word) *heap.Bytecode {
	if at == fn.bytecodeAt && fn.bytecode != nil {
		return fn.bytecode
	}
	b, err := v.r.Bytecode(at)
	if err != nil && (at == 0 || fn.bytecode == nil) {
		if at, err = v.r.BytecodeOf(sfi); err == nil {
			b, err = v.r.Bytecode(at)
		}
	}
	if err != nil { // it has moved
		return fn.bytecode
	}
	if fn.bytecode == nil || !fn.bytecode.Equal(b) {
		fn.bytecode = b
	}
	fn.bytecodeAt = at
	return fn.bytecode
}

// sourceAt is the source position at a code offset. What comes before the first entry is the function's entry.
func sourceAt(p heap.Positions, at int) int {
	if e, ok := p.At(at); ok {
		return int(e.Source)
	}
	if len(p) > 0 {
		return int(p[0].Source)
	}
	return -1
}

// locate sets line and column.
func (v *Resolver) locate(f *Frame, fn *function, source int) {
	if fn.script == nil || source < 0 {
		return
	}
	var err error
	if f.Line, f.Column, err = v.r.Position(fn.script.Script, source); err != nil {
		f.Lost = LostSource
	}
}
