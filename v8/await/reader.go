package await

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Reader reads who waits in one process. It is not safe for concurrent use.
type Reader struct {
	Heap  *heap.Reader
	Types map[int]string // names of instance types: layout.TypeNames
	Forks bool           // chains are followed where several wait for a promise; V8 does not

	task uint64 // offset in the isolate of its current microtask, where that was seen; 0: not yet
}

// class is V8's name of an object's class; empty if it has none, or is no object.
func (r *Reader) class(w heap.Word) string {
	if !w.IsObject() {
		return ""
	}
	typ, err := r.Heap.Type(w)
	if err != nil {
		return ""
	}
	return r.Types[typ]
}

// IsGenerator reports whether a class of V8's is that of calls of async functions or of async generators.
func IsGenerator(class string) bool {
	return class == "JSAsyncFunctionObject" || class == "JSAsyncGeneratorObject"
}

// handler tells which of V8's handlers a function is.
func (r *Reader) handler(w heap.Word) layout.Handler {
	if r.class(w) != "JSFunction" {
		return layout.NoHandler
	}
	shared, err := r.Heap.Shared(w)
	if err != nil {
		return layout.NoHandler
	}
	number, err := r.Heap.Part(shared, layout.SFIUntrustedData)
	if err != nil || !number.IsSmi() {
		return layout.NoHandler
	}
	return r.Heap.Layout().Handler(number.Smi())
}

// slot is a word of a context. (src/objects/contexts.h)
func (r *Reader) slot(context heap.Word, i int) (heap.Word, error) {
	n, err := r.Heap.StoreLength(context)
	if err != nil {
		return 0, err
	}
	if i >= n {
		return 0, fmt.Errorf("context 0x%x: %d words", uint64(context), n)
	}
	return r.Heap.ElementWord(context, i)
}

// In contexts of handlers.
const (
	slotGenerator  = 2 // Context::EXTENSION_INDEX, of an await
	slotCapability = 3 // PromiseBuiltins::kPromiseAllResolveElementCapabilitySlot, and that of Promise.any
	slotPromise    = 2 // PromiseBuiltins::kPromiseSlot
	awaitSlots     = 3 // PromiseBuiltins::kAwaitContextLength
)

// suspended is the generator object of the async function that goes on by a context of V8's; 0: it is no such context.
func (r *Reader) suspended(context heap.Word) heap.Word {
	if !context.IsObject() || r.class(context) == "JSFunction" {
		return 0
	}
	if n, err := r.Heap.StoreLength(context); err != nil || n != awaitSlots {
		return 0
	}
	if g, err := r.slot(context, slotGenerator); err == nil && IsGenerator(r.class(g)) {
		return g
	}
	return 0
}

// field is a word of one of V8's objects whose fields are known by their order.
func (r *Reader) field(w heap.Word, i int) (heap.Word, error) {
	object, _, err := r.Heap.Forwarded(w)
	if err != nil {
		return 0, err
	}
	return r.Heap.WordAt(uint64(object) - 1 + 8*uint64(i))
}
