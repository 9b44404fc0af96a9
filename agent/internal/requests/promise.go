package requests

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/space"
)

// reactionWords are those of a PromiseReaction, with the one for its hidden class.
const reactionWords = 6

// promise reads the reactions of a promise that is pending: who goes on when it is settled.
// (src/objects/promise.tq, PromiseReaction)
func (f *reader) promise(o *space.Object) {
	flags, err := f.r.Part(o.Word, layout.JSPromiseFlags)
	if err != nil || !flags.IsSmi() || flags.Smi()&3 != 0 {
		return
	}
	f.r.Forget() // see Visit
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
	if waiter, result, ok := f.await.GoesOn(w.Function); ok {
		w.What, w.Function, w.Offset, derived = "await", waiter.Function, waiter.Position, result
	}
	w.Stores, w.NotRead = f.stores(frame, derived)
	return next, f.add(w)
}
