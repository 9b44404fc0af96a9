package heap

import (
	"maps"
	"slices"
	"sort"
)

// DeoptFrames gives the frames at the call that returns to an offset of the code: the innermost inlined function first,
// the code's own function last. Nil where the code does not say: not every call can be deoptimised, and only Maglev's
// code is read for it. The slice is shared; do not change it.
func (o *Optimized) DeoptFrames(offset int) []DeoptFrame {
	i := sort.Search(len(o.sites), func(i int) bool { return o.sites[i].pc >= offset })
	if i == len(o.sites) || o.sites[i].pc != offset {
		return nil
	}
	return o.sites[i].frames
}

// NearestDeoptFrames is DeoptFrames of the last call that returns to an offset or before it, for code that has no
// position table. Before the first call it is the entry of the code's own function.
func (o *Optimized) NearestDeoptFrames(offset int) []DeoptFrame {
	i := sort.Search(len(o.sites), func(i int) bool { return o.sites[i].pc > offset })
	if i == 0 {
		return []DeoptFrame{{Function: o.Function, Offset: -1}}
	}
	return o.sites[i-1].frames
}

// DeoptFunctions are the SharedFunctionInfos that DeoptFrames and NearestDeoptFrames give, in no order.
func (o *Optimized) DeoptFunctions() []Word {
	if len(o.sites) == 0 {
		return nil
	}
	seen := map[Word]bool{o.Function: true}
	for _, s := range o.sites {
		for _, w := range s.frames {
			seen[w.Function] = true
		}
	}
	return slices.Collect(maps.Keys(seen))
}
