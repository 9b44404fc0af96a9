package verify

import (
	"errors"
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// isolate is the isolate that is compared, and the fields that were right so far.
type isolate struct {
	r     *heap.Reader
	l     *layout.Layout
	at    uint64
	renew func() // has memory read again that was read before
	right [layout.NumFields]bool

	elsewhere bool // there is no isolate at the address, or no context of one
	foreign   bool // the isolate is none of Node.js
}

// ErrNothing says that the process has nothing at present to compare with. A Comparison that returns it has not failed.
var ErrNothing = errors.New("nothing to compare with")

// ErrNoContext says that the isolate has no current context, as for an instant in many turns of an event loop: what is
// reached from the context was not compared.
var ErrNoContext = errors.New("the isolate has no context now")

// errForeign says that the isolate is none of Node.js, but one that an add-on has made, as isolated-vm does, and that
// the thread has entered. What Node.js keeps in its own is not there.
var errForeign = errors.New("the isolate is none of Node.js")

// errUnlike says that what was read is not what it should be.
var errUnlike = errors.New("not what should be there")

// unlike is err, or errUnlike where there is none.
func unlike(err error) error {
	if err == nil {
		return errUnlike
	}
	return err
}

func (i *isolate) note(fields ...layout.Field) {
	for _, f := range fields {
		i.right[f] = i.l.Has(f) // not what this V8 has none of
	}
}

// word reads a slot of the isolate.
func (i *isolate) word(f layout.Field) (heap.Word, error) {
	return i.r.WordAt(i.at + uint64(i.l.At(f)))
}

// context reads the current context. The error is ErrNoContext, or that of reading.
func (i *isolate) context() (heap.Word, error) {
	w, err := i.word(layout.IsolateContext)
	if err == nil && w == 0 {
		err = ErrNoContext
	}
	return w, err
}

// slot reads a slot of a heap object.
func (i *isolate) slot(w heap.Word, f layout.Field) (heap.Word, error) {
	return i.slotAt(w, i.l.At(f))
}

func (i *isolate) slotAt(w heap.Word, offset int) (heap.Word, error) {
	if !w.IsObject() || offset < 0 {
		return 0, fmt.Errorf("%#x is not a heap object", uint64(w))
	}
	return i.r.WordAt(uint64(w) - 1 + uint64(offset))
}

// is reports whether a word is an object of a type.
func (i *isolate) is(w heap.Word, f layout.Field) bool {
	t, err := i.r.Type(w)
	return err == nil && t == i.l.At(f)
}

// isFunction reports whether a word is a JSFunction, and gives its hidden class.
func (i *isolate) isFunction(w heap.Word) (hiddenClass heap.Word, ok bool) {
	_, hiddenClass, err := i.r.Forwarded(w)
	if err != nil {
		return 0, false
	}
	t, err := i.r.TypeOf(hiddenClass)
	return hiddenClass, err == nil && t >= i.l.At(layout.TypeJSFunctionFirst) && t <= i.l.At(layout.TypeJSFunctionLast)
}
