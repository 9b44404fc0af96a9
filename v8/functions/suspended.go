package functions

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
)

// Suspended names a function that is suspended in an await or a yield, by its SharedFunctionInfo and what its generator
// object says of where that is. Nil: it cannot be read.
func (v *Resolver) Suspended(sfi heap.Word, position int) *Frame {
	f, err := v.r.Function(sfi)
	if err != nil {
		return nil
	}
	of := v.interpreted(stack.RawFrame{SFI: sfi, Offset: position, ID: f.Identity, Marker: -1})
	frame := *of[0]
	frame.Tier = NoTier // it has no code as long as it is suspended
	return &frame
}
