package stack

import "github.com/hotspan/hotspan/v8/heap"

// describeCallers reads the functions, and their bytecode, that wait at the calls of Maglev's code. Calls that one is
// missing of are located by the position table.
func (v *Resolver) describeCallers(c *code, o *heap.Optimized) {
	for _, sfi := range o.Callers() {
		fn := c.functions[sfi]
		if fn == nil {
			if fn = v.called(sfi); fn == nil {
				continue
			}
			c.functions[sfi] = fn
		}
		if fn.script != nil {
			v.readBytecode(fn, Raw{SFI: sfi})
		}
	}
}

// waiting locates calls in Maglev's code. Its position table has no entry of its own for many of them, and the one before
// them may be that of a loop around the call; what the code keeps for the deoptimiser is exact. Code without a position
// table, as that of Node 24.0 to 24.19, is located by it everywhere, which is a guess between calls. Nil: it does not say.
func (v *Resolver) waiting(c *code, raw Raw) []*Frame {
	var waiting []heap.Waiting
	at := int(raw.PC - c.Start)
	if !raw.Exact {
		waiting = c.optimized.Waiting(at)
	}
	if waiting == nil && c.tier == Maglev && len(c.optimized.Positions) == 0 {
		waiting = c.optimized.Near(at)
	}
	return v.framesOf(c, waiting)
}

// framesOf are the frames of functions that are inlined in code, and of its own. Nil where one of them was not read.
func (v *Resolver) framesOf(c *code, waiting []heap.Waiting) []*Frame {
	fs := make([]*Frame, 0, len(waiting))
	for i, w := range waiting {
		fn := c.functions[w.Function]
		if fn == nil || fn.bytecode == nil && fn.script != nil {
			return nil
		}
		f := fn.frame(c.tier)
		if fn.script != nil {
			v.locate(f, fn, sourceAt(fn.bytecode.Positions, w.Offset))
		}
		f.Inlined = i < len(waiting)-1
		fs = append(fs, f)
	}
	if len(fs) == 0 {
		return nil
	}
	return fs
}
