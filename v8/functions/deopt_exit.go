package functions

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
)

// framesAtExit locates the frames that a deopt exit replaces by interpreted ones. The deoptimiser's own tables say
// which functions are inlined there, and where in its bytecode each continues; the position tables do not cover the
// exits. Nil: not known.
func (v *Resolver) framesAtExit(c *code, raw stack.RawFrame) []*Frame {
	frames, err := v.r.FramesAtExit(c.Code, c.optimized, int(raw.PC-c.Start))
	if err != nil || raw.Exact {
		return nil
	}
	functions := map[heap.Word]*function{} // those of c are by the addresses that they had when it was read
	for _, w := range frames {
		fn := v.functionOf(w.Function)
		if fn == nil || fn.script != nil && v.bytecode(fn, 0, w.Function) == nil {
			return nil
		}
		functions[w.Function] = fn
	}
	return v.framesOf(frames, functions, c.tier)
}
