package requests

import (
	"errors"
	"fmt"
	"math"

	"github.com/hotspan/hotspan/context/nodejs"
	"github.com/hotspan/hotspan/v8/await"
	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/value"
)

// maxClasses bounds the hidden classes that are remembered.
const maxClasses = 1 << 18

// maxEntries bounds how many entries are looked at for stores, in all: one promise may refer to a map of thousands from
// each of thousands of reactions.
const maxEntries = 1 << 19

var errManyStores = errors.New("there are more stores in all than are read")

// reader reads objects of one process, and keeps what was found in them.
type reader struct {
	Found
	r       *heap.Reader
	l       *layout.Layout
	types   map[int]string
	printer *value.Printer
	await   await.Reader
	frames  map[heap.Word]bool // hidden classes: whether they are those of AsyncContextFrames
	entries int                // that were looked at for stores

	clocks    map[uint64]loopClock // by Environment
	monotonic func() int64         // CLOCK_MONOTONIC of the process in nanoseconds; nil: it has died
	instant   float64              // see Finder.TellAt; 0: when a timer is read
}

// loopClock is the clock of the timers of a thread.
type loopClock struct {
	loop  uint64 // address of its uv_loop_t; 0: the clock is not known
	timer uint64 // address of the uv_timer_t by which Node.js waits for all timers of JavaScript
	base  uint64 // time of the loop from which these count, in milliseconds
	wall  int64  // see nodejs.Timers
}

// isFrame reports whether a word is an AsyncContextFrame. (node: lib/internal/async_context_frame.js)
func (f *reader) isFrame(w heap.Word) bool {
	if !w.IsObject() {
		return false
	}
	_, class, err := f.r.Forwarded(w)
	if err != nil {
		return false
	}
	is, ok := f.frames[class]
	if !ok {
		if typ, err := f.r.TypeOf(class); err == nil && typ == f.l.At(layout.TypeJSMap) {
			maker, _ := f.printer.Maker(class)
			is = maker == "AsyncContextFrame"
		}
		if len(f.frames) >= maxClasses {
			clear(f.frames)
		}
		f.frames[class] = is
	}
	return is
}

// stores are those of a frame, or of a resource of async_hooks where there is none.
func (f *reader) stores(frame, resource heap.Word) (out []heap.Entry, err error) {
	var all []heap.Entry
	if frame != 0 {
		all, err = f.r.Entries(frame)
	} else if resource != 0 {
		var values []heap.Word
		values, err = nodejs.StoresOf(f.r, resource)
		for _, v := range values {
			all = append(all, heap.Entry{Value: v})
		}
	}
	if f.entries += len(all); f.entries > maxEntries {
		return nil, errManyStores
	}
	for _, e := range all {
		is, wrong := f.isStore(e.Value)
		if wrong != nil {
			return nil, wrong
		}
		if is {
			out = append(out, e)
		}
	}
	if len(out) > nodejs.MaxStores {
		return nil, fmt.Errorf("%d stores, more than are read", len(out))
	}
	return out, err
}

// isStore reports whether a value is a store: undefined and null stand for none, as does what V8 has for an entry that
// was removed. There is an error where no object is any more: V8 does not change what garbage refers to when it moves
// that.
func (f *reader) isStore(w heap.Word) (bool, error) {
	if w.IsSmi() {
		return true, nil
	}
	object, class, err := f.r.Forwarded(w)
	if err != nil {
		return false, err
	}
	if typ, err := f.r.Type(class); err != nil || typ != f.l.At(layout.TypeMap) {
		return false, fmt.Errorf("store 0x%x: no object is there", uint64(w))
	}
	typ, err := f.r.TypeOf(class)
	if err == nil && typ >= f.l.At(layout.FirstJSObjectType) {
		_, err = f.r.Own(object)
	}
	_, is := f.r.Boolean(w)
	return is || typ != f.l.At(layout.TypeOddball) && !f.printer.IsHole(w), err
}

// members are the properties of an object, those of symbols by their descriptions.
func (f *reader) members(object heap.Word) map[string]heap.Word {
	own, err := f.r.Own(object)
	if err != nil {
		return nil
	}
	out := map[string]heap.Word{}
	for _, p := range own {
		if name, _, err := f.r.Key(p.Key); err == nil && !p.Accessor {
			out[name] = p.Value
		}
	}
	return out
}

// number is a number of JavaScript that is finite.
func (f *reader) number(w heap.Word) (n float64, ok bool) {
	if w.IsSmi() {
		return float64(w.Smi()), true
	}
	bits, err := f.r.Number(w)
	if n = math.Float64frombits(uint64(bits)); err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, false
	}
	return n, true
}

// isFunction reports whether a word is a JSFunction.
func (f *reader) isFunction(w heap.Word) bool {
	typ, err := f.r.Type(w)
	return err == nil && w.IsObject() &&
		typ >= f.l.At(layout.TypeJSFunctionFirst) && typ <= f.l.At(layout.TypeJSFunctionLast)
}
