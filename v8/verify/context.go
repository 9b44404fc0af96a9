package verify

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// checkContext: the slot of the current context holds an object. In a process that has optimised code, the slot after
// it may hold the same context (ThreadLocalTop::topmost_script_having_context_, from V8 13 on): then the place of the
// slot is not shown to be right, as that of the other would pass too.
func (i *isolate) checkContext() error {
	context, err := i.context()
	if err != nil {
		return err
	}
	if err := i.hasClass(context); err != nil {
		return err
	}
	i.note(layout.MapInstanceType, layout.TypeMap)
	at := i.at + uint64(i.l.At(layout.IsolateContext))
	for _, beside := range []uint64{at - 8, at + 8} {
		if w, err := i.r.WordAt(beside); err == nil && w != 0 && i.hasClass(w) == nil {
			return nil
		}
	}
	i.note(layout.IsolateContext)
	return nil
}

// hasClass goes from an object to its hidden class, and from there to the hidden class of hidden classes, which is its
// own: a wrong offset in any step does not end there.
func (i *isolate) hasClass(w heap.Word) error {
	_, class, err := i.r.Forwarded(w)
	if err != nil {
		return err
	}
	_, meta, err := i.r.Forwarded(class)
	if err != nil {
		return err
	}
	_, again, err := i.r.Forwarded(meta)
	if err != nil {
		return err
	}
	if again != meta || !i.is(class, layout.TypeMap) {
		return fmt.Errorf("%#x is not an object with a hidden class", uint64(w))
	}
	return nil
}

// checkAsyncContext: the slot holds undefined, or the JSMap of an AsyncContextFrame. Undefined says little about the
// slot, since other slots hold it too: only a frame that is found there counts. Zero is what an isolate begins with,
// and it has no context as long.
func (i *isolate) checkAsyncContext() error {
	w, err := i.word(layout.IsolateCPED)
	if err == nil && w == 0 {
		_, err = i.context()
	}
	if err != nil {
		return err
	}
	typ, err := i.r.Type(w)
	switch {
	case err != nil:
		return err
	case typ == i.l.At(layout.TypeJSMap):
		right, err := AsyncContextFrame(i.r, w)
		i.note(right...)
		return err
	case typ != i.l.At(layout.TypeOddball):
		return fmt.Errorf("an object of instance type %d, neither undefined nor a Map", typ)
	}
	text, err := i.slot(w, layout.OddballToString)
	if err != nil {
		return err
	}
	const want = "undefined"
	if s, err := i.r.String(text, 2*len(want)); err != nil || s != want {
		return fmt.Errorf("%q (%v), neither undefined nor a Map", s, err)
	}
	i.note(layout.TypeOddball, layout.OddballToString, layout.StringLength, layout.SeqStringChars, layout.SeqStringTag)
	return nil
}

// AsyncContextFrame checks that an object is an AsyncContextFrame, a JSMap whose entries can be read, and gives the
// fields that this shows to be right.
func AsyncContextFrame(r *heap.Reader, frame heap.Word) ([]layout.Field, error) {
	if _, err := r.Entries(frame); err != nil {
		return nil, err
	}
	return []layout.Field{layout.IsolateCPED, layout.TypeJSMap, layout.JSMapTable}, nil
}
