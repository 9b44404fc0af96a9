package await

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Words of a JSGeneratorObject, behind those of JSObject, and of what is made of it. (src/objects/js-generator.tq)
const (
	generatorFunction     = 3
	generatorContext      = 4
	generatorPosition     = 6 // input_or_debug_pos
	generatorContinuation = 8
	asyncFunctionPromise  = 10
	asyncGeneratorQueue   = 10
	requestPromise        = 4 // of an AsyncGeneratorRequest
)

// States of a generator besides that of a suspended one, which is not negative. (src/objects/js-generator.h)
const (
	executing = -2
	closed    = -1
)

// state reads in which state a generator is.
func (r *Reader) state(g heap.Word) (int, error) {
	w, err := r.field(g, generatorContinuation)
	if err != nil {
		return 0, err
	}
	if !w.IsSmi() || w.Smi() < executing {
		return 0, fmt.Errorf("generator 0x%x: continuation 0x%x", uint64(g), uint64(w))
	}
	return w.Smi(), nil
}

// waiter is a suspended function.
func (r *Reader) waiter(g heap.Word) (w Waiter, err error) {
	w = Waiter{Kind: Function, Generator: g}
	if w.Function, err = r.field(g, generatorFunction); err != nil {
		return w, err
	}
	position, err := r.field(g, generatorPosition)
	if err == nil && !position.IsSmi() {
		err = fmt.Errorf("generator 0x%x: suspended at 0x%x", uint64(g), uint64(position))
	}
	w.Position = position.Smi()
	return w, err
}

// result is the promise of what a generator's function gives next; 0: nobody has asked for it.
func (r *Reader) result(g heap.Word) (heap.Word, error) {
	if r.class(g) == "JSAsyncFunctionObject" {
		return r.field(g, asyncFunctionPromise)
	}
	request, err := r.field(g, asyncGeneratorQueue)
	if err != nil || r.class(request) != "AsyncGeneratorRequest" {
		return 0, err
	}
	return r.field(request, requestPromise)
}

// GoesOn finds the suspended call that goes on when a handler of V8's is called, and for an async function the promise
// of its result; else 0. ok is false if a function is no such handler.
func (r *Reader) GoesOn(handler heap.Word) (w Waiter, result heap.Word, ok bool) {
	context, err := r.Heap.Part(handler, layout.JSFunctionContext)
	if err != nil {
		return w, 0, false
	}
	g := r.suspended(context)
	if g == 0 {
		return w, 0, false
	}
	if w, err = r.waiter(g); err != nil {
		return w, 0, false
	}
	if r.class(g) == "JSAsyncFunctionObject" {
		result, _ = r.result(g)
	}
	return w, result, true
}

// IsSuspendedCall reports whether a generator object is a suspended call of a function, or one that uses a context.
func (r *Reader) IsSuspendedCall(g, of heap.Word) bool {
	function, err1 := r.field(g, generatorFunction)
	context, err2 := r.field(g, generatorContext)
	state, err3 := r.state(g)
	return err1 == nil && err2 == nil && err3 == nil && state >= 0 && (function == of || context == of)
}
