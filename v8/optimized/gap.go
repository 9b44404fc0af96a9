package optimized

import "github.com/hotspan/hotspan/v8/heap"

// noEnd is behind all offsets of bytecode.
const noEnd = 1 << 30

// Gap is a place in code: in a mark, or between two.
type Gap struct {
	Frames        []Frame // that are sure, innermost first
	Sure          bool    // there are no others
	before, after int     // offsets in the bytecode of the innermost function that the place is between
}

// passes reports whether a call at a place in the bytecode may be inlined in a gap. Where that is from the end of a
// loop to its head, all of the loop is behind the jump back in the source, which has the place of the whole loop. The
// offset of an exit may be that of an operation before; then the gap seems to end before it begins, and a call that has
// marks of its own is taken to be elsewhere.
func (g Gap) passes(p heap.Position, positions heap.Positions, marked bool) bool {
	at := int(p.Code)
	if g.before <= g.after {
		return g.before <= at && at < g.after
	}
	if loop := positions.SourceAt(g.before); loop <= positions.SourceAt(g.after) {
		return at < g.after && int(p.Source) >= loop
	}
	return !marked && (g.before <= at || at < g.after)
}

// common gives the frames that two places are both in, with the offset of the first where the innermost differs; same
// is true if there are no others. Two calls of a function from two places are not the same.
func common(a, b []Frame) (frames []Frame, same bool) {
	n := 0
	for n < min(len(a), len(b)) {
		x, y := a[len(a)-1-n], b[len(b)-1-n]
		if x.Function != y.Function {
			break
		}
		n++
		if x.Offset != y.Offset {
			break
		}
	}
	return a[len(a)-n:], n > 0 && n == len(a) && n == len(b)
}
