package optimized

import (
	"maps"
	"slices"
	"sort"

	"github.com/hotspan/hotspan/v8/heap"
)

// DeoptFrames gives the frames at the call that returns to an offset of the code: the innermost inlined function first,
// the code's own function last. Nil where the code does not say: not every call can be deoptimised, and only Maglev's
// code is read for it. The slice is shared; do not change it.
func (o *Tables) DeoptFrames(offset int) []Frame {
	i := sort.Search(len(o.sites), func(i int) bool { return o.sites[i].pc >= offset })
	if i == len(o.sites) || o.sites[i].pc != offset {
		return nil
	}
	return o.sites[i].frames
}

// DeoptExits is the offset of the deopt exits, which are behind the code proper; 0 = not known.
func (o *Tables) DeoptExits() int { return o.deoptExits }

// exitFrames gives the frames at the deopt exit that begins at an offset. They are known of Maglev's code without a
// position table. is is false where no exit begins. The slice is shared; do not change it.
func (o *Tables) exitFrames(offset int) (frames []Frame, is bool) {
	at := offset - o.deoptExits
	if o.exitSize <= 0 || at < 0 || at%o.exitSize != 0 || at/o.exitSize >= len(o.exits) {
		return nil, false
	}
	return o.exits[at/o.exitSize], true
}

// inlinedIn are the offsets in the source at which calls were inlined in a function, wherever that is inlined itself.
func (o *Tables) inlinedIn(function heap.Word) []int {
	var out []int
	for _, in := range o.inlined {
		caller := o.Function
		if i := int(in.at.Inlining); i >= 0 && i < len(o.inlined) {
			caller = o.inlined[i].function
		}
		if caller == function {
			out = append(out, int(in.at.Source))
		}
	}
	return out
}

// DeoptFunctions are the SharedFunctionInfos that DeoptFrames and exitFrames give, in no order.
func (o *Tables) DeoptFunctions() []heap.Word {
	if len(o.sites)+len(o.exits) == 0 {
		return nil
	}
	seen := map[heap.Word]bool{o.Function: true}
	add := func(frames []Frame) {
		for _, f := range frames {
			seen[f.Function] = true
		}
	}
	for _, s := range o.sites {
		add(s.frames)
	}
	for _, frames := range o.exits {
		add(frames)
	}
	return slices.Collect(maps.Keys(seen))
}
