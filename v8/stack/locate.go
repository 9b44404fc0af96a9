package stack

import (
	"github.com/hotspan/hotspan/v8/heap"
)

// readBytecode finds the function's bytecode: in the frame, or where the frame is not set up, by the function.
func (v *Resolver) readBytecode(fn *function, raw RawFrame) bool {
	if fn.bytecode != nil {
		return true
	}
	var err error
	if fn.bytecode, err = v.r.Bytecode(raw.Bytecode); err == nil {
		return true
	}
	w, err := v.r.BytecodeOf(raw.SFI)
	if err == nil {
		fn.bytecode, err = v.r.Bytecode(w)
	}
	return err == nil
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
