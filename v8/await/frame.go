package await

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/functions"
)

// Frame names what waits, and where: a function at its await, or a combinator such as "Promise.all (index 2)". A
// Callback has none, as it is nowhere yet. Nil: it cannot be read.
func (r *Reader) Frame(v *functions.Resolver, w *Waiter) *functions.Frame {
	switch {
	case w.Kind == Callback:
		return nil
	case w.Kind == Function:
		shared, err := r.Heap.Shared(w.Function)
		if err != nil {
			return nil
		}
		return v.Suspended(shared, w.Position)
	case w.Index < 0:
		return &functions.Frame{Name: w.Kind.String(), Kind: functions.Builtin}
	}
	return &functions.Frame{Name: fmt.Sprintf("%v (index %d)", w.Kind, w.Index), Kind: functions.Builtin}
}
