package stack

// framesAtExit locates the frames that a deopt exit replaces by interpreted ones. The deoptimiser's own tables say
// which functions are inlined there, and where in its bytecode each continues; the position tables do not cover the
// exits. Nil: not known.
func (v *Resolver) framesAtExit(c *code, raw RawFrame) []*Frame {
	frames, err := v.r.FramesAtExit(c.Code, c.optimized, int(raw.PC-c.Start))
	if err != nil || raw.Exact {
		return nil
	}
	for _, w := range frames {
		fn := c.functions[w.Function]
		if fn == nil {
			if fn = v.functionOf(w.Function); fn == nil {
				return nil
			}
			c.functions[w.Function] = fn
		}
		if fn.script != nil && !v.readBytecode(fn, RawFrame{SFI: w.Function}) {
			return nil
		}
	}
	return v.framesOf(c, frames)
}
