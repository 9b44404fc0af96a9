package repair

import (
	"github.com/hotspan/hotspan/v8/functions/builtins"
	"github.com/hotspan/hotspan/v8/stack"
	"github.com/hotspan/hotspan/v8/x86"
)

// Limits of the handlers that are kept, and of the code of one.
const (
	maxHandlers    = 1 << 10
	maxHandlerCode = 1 << 14
)

// BytecodeOffset finds at which bytecode the interpreter is if the leaf's frame is in a handler, a builtin that does
// what a bytecode says. The frame of the function tells only at which bytecode it called something last. frame is which
// of the stack's frames is the function's: that of the leaf, or the next one. offset is in the form that the frame has.
func (r *Repairer) BytecodeOffset(of Process, raw stack.RawFrame, leaf stack.Leaf) (frame, offset int, ok bool) {
	name, start, end, ok := of.Builtin(raw.PC)
	if !raw.Exact || !ok || !builtins.IsHandler(name) {
		return 0, 0, false
	}
	h := r.handler(of, name, start, end)
	if h == nil {
		return 0, 0, false
	}
	p := h.At(int(raw.PC - start))
	value, at := leaf.R9, (leaf.BP-leaf.SP)/8+uint64(p.Slot/8)
	switch {
	case !p.Known, !p.InR9 && at >= uint64(len(leaf.Words)):
		return 0, 0, false
	case !p.InR9:
		value = leaf.Words[at]
	}
	if p.OwnFrame {
		frame = 1
	}
	offset = int(value) - p.Passed
	return frame, offset, offset > 0 && offset < 1<<31
}

// handler reads a handler's code once. Nil: it cannot be read.
func (r *Repairer) handler(of Process, name string, start, end uint64) *x86.Handler {
	if h := r.handlers[name]; h != nil {
		return h
	}
	code, err := of.Bytes(start, int(min(end-start, maxHandlerCode)))
	if err != nil {
		return nil
	}
	if len(r.handlers) >= maxHandlers {
		clear(r.handlers)
	}
	h := x86.ReadHandler(code, func(target int) bool {
		name, _, _, ok := of.Builtin(start + uint64(target))
		return ok && builtins.KeepsRegisters(name)
	})
	r.handlers[name] = h
	return h
}
