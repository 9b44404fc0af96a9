package await

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/stack"
)

// Frame names what waits, and where: a function at its await, or a combinator such as "Promise.all (index 2)". A
// Callback has no place, as it does not run. Nil: it cannot be read.
func (r *Reader) Frame(v *stack.Resolver, w *Waiter) *stack.Frame {
	switch {
	case w.Kind != Function && w.Kind != Callback && w.Index < 0:
		return &stack.Frame{Name: w.Kind.String(), Kind: stack.Builtin}
	case w.Kind != Function && w.Kind != Callback:
		return &stack.Frame{Name: fmt.Sprintf("%v (index %d)", w.Kind, w.Index), Kind: stack.Builtin}
	}
	shared, err := r.Heap.Shared(w.Function)
	if err != nil {
		return nil
	}
	f := v.Suspended(shared, w.Position)
	if f != nil && w.Kind == Callback {
		f.Line, f.Column, f.Lost = 0, 0, stack.NothingLost
	}
	return f
}
