package await

import (
	"errors"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// ErrNoWaiting says that an object is nothing that is waited for.
var ErrNoWaiting = errors.New("no promise, no suspended async function, and nothing that goes on with one")

// errUnknown says that V8's numbers of the builtins are not known.
var errUnknown = errors.New("who awaits a promise is not known of this V8: its binary has no symbols")

// Of finds who waits for a promise; for the result of an async function by its generator object, which comes first; or
// for that of the function that goes on by a handler or a context of V8's.
func (r *Reader) Of(w heap.Word) (c Chain, err error) {
	if r.Heap.Layout().Handlers == nil {
		return c, errUnknown
	}
	if w, _, err = r.Heap.Forwarded(w); err != nil {
		return c, err
	}
	f := newFollower(r)
	class := r.class(w)
	switch {
	case class == "JSPromise":
		return f.promise(w)
	case class == "JSFunction":
		context, err := r.Heap.Part(w, layout.JSFunctionContext)
		if err != nil || r.handler(w) == layout.NoHandler {
			return c, ErrNoWaiting
		}
		if g := r.suspended(context); g != 0 {
			return f.generator(g)
		}
	case IsGenerator(class):
		return f.generator(w)
	default:
		if g := r.suspended(w); g != 0 {
			return f.generator(g)
		}
	}
	return c, ErrNoWaiting
}
