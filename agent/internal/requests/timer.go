package requests

import (
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/space"
)

// asyncID describes the symbol by which an object of JavaScript has the id of its asynchronous operation, and
// frameSymbol the one of its AsyncContextFrame. (node: src/env_properties.h, async_id_symbol; lib/internal/timers.js)
const (
	asyncID     = "asyncId"
	frameSymbol = "kAsyncContextFrame"
)

// timeout reads a Timeout. One that has not fired, and was not cleared, is in a list of timers.
// (node: lib/internal/timers.js, class Timeout; lib/internal/linkedlist.js)
func (f *reader) timeout(o *space.Object) {
	f.r.Forget() // see Visit
	m := f.members(o.Word)
	destroyed, ok := f.r.Boolean(m["_destroyed"])
	if !ok || destroyed || !f.inList(m["_idleNext"]) || !f.inList(m["_idlePrev"]) {
		return
	}
	w := f.scheduled("Timeout", o.Word, m, m["_onTimeout"])
	w.Delay, _ = f.number(m["_idleTimeout"])
	if start, ok := f.number(m["_idleStart"]); ok {
		f.time(&w, start)
	}
	if _, ok := f.number(m["_repeat"]); ok {
		w.What = "again and again"
	}
	f.add(w)
}

// inList reports whether a word leads to another element of a list, which an object is no more once it was removed.
func (f *reader) inList(w heap.Word) bool {
	typ, err := f.r.Type(w)
	return err == nil && w.IsObject() && typ >= f.l.At(layout.FirstJSObjectType)
}

// immediate reads an Immediate, which counts as destroyed before it runs. (node: lib/internal/timers.js)
func (f *reader) immediate(o *space.Object) {
	f.r.Forget() // see Visit
	m := f.members(o.Word)
	if destroyed, ok := f.r.Boolean(m["_destroyed"]); ok && !destroyed && f.isFunction(m["_onImmediate"]) {
		f.add(f.scheduled("Immediate", o.Word, m, m["_onImmediate"]))
	}
}

// scheduled is a wait for something that JavaScript code of Node.js has scheduled.
func (f *reader) scheduled(kind string, object heap.Word, m map[string]heap.Word, then heap.Word) Wait {
	w := Wait{Sort: Timer, Kind: kind, Object: object, Offset: -1}
	w.ID, _ = f.number(m[asyncID])
	if f.isFunction(then) {
		w.Function = then
	}
	frame := m[frameSymbol]
	if !f.isFrame(frame) {
		frame = 0
	}
	w.Stores, w.NotRead = f.stores(frame, object)
	return w
}
