package requests

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/space"
)

// Limits of what one promise leads to.
const (
	reactionWords = 6 // of a PromiseReaction, with the one for its hidden class
	contextWords  = 8 // of the context of a function that goes on behind an await, of which V8 has several kinds
)

// Offsets in a JSGeneratorObject from the first of its own fields. (src/objects/js-generator.tq: function, context,
// receiver, input_or_debug_pos, resume_mode, continuation, parameters_and_registers, and of an async function promise)
const (
	generatorFunction = 0
	generatorPosition = 3 * 8
	generatorPromise  = 7 * 8
)

// promise reads the reactions of a promise that is pending: who goes on when it is settled.
// (src/objects/promise.tq, PromiseReaction)
func (f *reader) promise(o *space.Object) {
	flags, err := f.r.Part(o.Word, layout.JSPromiseFlags)
	if err != nil || !flags.IsSmi() || flags.Smi()&3 != 0 {
		return
	}
	reaction, err := f.r.Part(o.Word, layout.JSPromiseResult)
	for room := true; room && err == nil && f.is(reaction, "PromiseReaction"); {
		reaction, room = f.reaction(o.Word, reaction)
	}
}

func (f *reader) is(w heap.Word, class string) bool {
	typ, err := f.r.Type(w)
	return err == nil && w.IsObject() && f.types[typ] == class
}

// reaction adds a reaction of a promise, if there is room, and returns the next one. Its fields have another order in
// each V8, and are told by what they are.
func (f *reader) reaction(promise, at heap.Word) (next heap.Word, room bool) {
	w := Wait{Sort: Await, Kind: "Promise", Object: promise, Offset: -1}
	var frame, derived heap.Word
	at, _, err := f.r.Forwarded(at)
	for i := uint64(1); i < reactionWords && err == nil; i++ {
		var v heap.Word
		v, err = f.r.WordAt(uint64(at) - 1 + 8*i)
		switch {
		case err != nil || !v.IsObject():
		case f.is(v, "PromiseReaction"):
			next = v
		case f.isFrame(v):
			frame = v
		case f.is(v, "JSPromise"):
			derived = v
		case f.isFunction(v) && w.Function == 0:
			w.Function = v
		}
	}
	if generator := f.awaiting(w.Function); generator != 0 {
		derived = f.suspended(&w, generator)
	}
	w.Stores, w.NotRead = f.stores(frame, derived)
	return next, f.add(w)
}

// awaiting is the generator of the async function that a function makes go on; 0: it is another function. V8 keeps the
// generator in the function's context. (src/builtins/builtins-async-gen.cc)
func (f *reader) awaiting(function heap.Word) heap.Word {
	context, err := f.r.Part(function, layout.JSFunctionContext)
	if function == 0 || err != nil {
		return 0
	}
	context, n, err := f.contextOf(context)
	for i := 0; i < min(n, contextWords) && err == nil; i++ {
		var w heap.Word
		if w, err = f.r.ElementWord(context, i); err == nil && f.isGenerator(w) {
			return w
		}
	}
	return 0
}

func (f *reader) contextOf(w heap.Word) (context heap.Word, n int, err error) {
	if context, _, err = f.r.Forwarded(w); err != nil {
		return 0, 0, err
	}
	n, err = f.r.StoreLength(context)
	return context, n, err
}

func (f *reader) isGenerator(w heap.Word) bool {
	return f.is(w, "JSAsyncFunctionObject") || f.is(w, "JSAsyncGeneratorObject")
}

// suspended says of an await which function is suspended where, and returns the promise of its call.
func (f *reader) suspended(w *Wait, generator heap.Word) (promise heap.Word) {
	w.What = "await"
	generator, _, err := f.r.Forwarded(generator)
	at := uint64(generator) - 1 + uint64(max(0, f.l.At(layout.JSObjectElements))) + 8
	if err != nil {
		return 0
	}
	if function, err := f.r.WordAt(at + generatorFunction); err == nil && f.isFunction(function) {
		w.Function = function
	}
	if offset, err := f.r.WordAt(at + generatorPosition); err == nil && offset.IsSmi() {
		w.Offset = offset.Smi()
	}
	if promise, err = f.r.WordAt(at + generatorPromise); err != nil || !f.is(promise, "JSPromise") {
		return 0
	}
	return promise
}
