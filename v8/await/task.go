package await

import (
	"encoding/binary"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// Words of a PromiseReactionJobTask and of a PromiseResolveThenableJobTask. (src/objects/promise.tq)
const (
	taskHandler = 3
	taskDerived = 4 // promise_or_capability

	thenablePromise = 2 // promise_to_resolve
)

// isolateBytes is how much of an Isolate is searched for its current microtask, which is one of its roots.
const isolateBytes = 0x4000

// Current finds who waits for what a thread does at present, if it runs a microtask: for the async function that has
// been resumed, or for the promise that is settled by a callback. The thread must stand still. ok is false if V8 says
// that it runs none.
func (r *Reader) Current(isolate uint64) (c Chain, ok bool, err error) {
	task, class := r.currentTask(isolate)
	if task == 0 || r.Heap.Layout().Handlers == nil {
		return c, false, nil
	}
	var promise heap.Word
	if class == "PromiseResolveThenableJobTask" {
		w, err := r.field(task, thenablePromise+r.later())
		if err != nil {
			return c, false, err
		}
		err = r.settles(w, &promise)
		return r.from(promise, err)
	}
	handler, err := r.field(task, taskHandler+r.later())
	if err != nil {
		return c, false, err
	}
	switch r.handler(handler) {
	case layout.AwaitResolve, layout.AwaitReject, layout.GenerateResolve, layout.GenerateReject, layout.YieldResolve:
		context, err := r.Heap.Part(handler, layout.JSFunctionContext)
		if err != nil {
			return c, false, err
		}
		g := r.suspended(context)
		if g == 0 {
			return c, false, nil
		}
		if state, err := r.state(g); err != nil || state != executing {
			return c, false, err // what runs now is not the function
		}
		promise, err = r.result(g)
		return r.from(promise, err)
	}
	derived, err := r.field(task, taskDerived+r.later())
	if err == nil {
		err = r.settles(derived, &promise)
	}
	return r.from(promise, err)
}

func (r *Reader) from(promise heap.Word, err error) (Chain, bool, error) {
	if err != nil || promise == 0 {
		return Chain{}, false, err
	}
	c, err := newFollower(r).promise(promise)
	return c, err == nil, err
}

// currentTask finds the microtask that an isolate runs, and its class; 0: none. Where in its isolate V8 keeps it no
// symbol says, but nothing else there refers to such an object.
func (r *Reader) currentTask(isolate uint64) (task heap.Word, class string) {
	if r.task != 0 {
		w, err := r.Heap.WordAt(isolate + r.task)
		if class = r.class(w); err != nil || !isTask(class) {
			return 0, ""
		}
		return w, class
	}
	b := r.Heap.UpTo(isolate, isolateBytes)
	for i := 0; i+8 <= len(b); i += 8 {
		w := heap.Word(binary.LittleEndian.Uint64(b[i:]))
		if class = r.class(w); isTask(class) {
			r.task = uint64(i)
			return w, class
		}
	}
	return 0, ""
}

func isTask(class string) bool {
	switch class {
	case "PromiseFulfillReactionJobTask", "PromiseRejectReactionJobTask", "PromiseResolveThenableJobTask":
		return true
	}
	return false
}
