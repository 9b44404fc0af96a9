package await

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// ring is memory that repeats a piece of bytes for ever, and counts how often it is read.
type ring struct {
	b     []byte
	reads int
}

func (m *ring) ReadAt(p []byte, off int64) (int, error) {
	m.reads++
	if len(m.b) == 0 || len(p) > 64<<10 {
		return 0, errors.New("not mapped")
	}
	for i := range p {
		p[i] = m.b[uint64(off+int64(i))%uint64(len(m.b))]
	}
	return len(p), nil
}

// Instance types of the objects that chains consist of.
const (
	typePromise = 300 + iota
	typeReaction
	typeFunction
	typeCall
	typeGenerator
	typeRequest
	typeCapability
	typeTask
	typeThenable
	typeContext

	// The number of a builtin is in the word that has the instance type of what is its own hidden class.
	typeShared = 1000
)

func fuzzTypes() map[int]string {
	return map[int]string{typePromise: "JSPromise", typeReaction: "PromiseReaction", typeFunction: "JSFunction",
		typeCall: "JSAsyncFunctionObject", typeGenerator: "JSAsyncGeneratorObject",
		typeRequest: "AsyncGeneratorRequest", typeCapability: "PromiseCapability",
		typeTask: "PromiseFulfillReactionJobTask", typeThenable: "PromiseResolveThenableJobTask"}
}

// fuzzLayout has small numbers for what chains are read by, and each handler's own number for V8's.
func fuzzLayout(major int) *layout.Layout {
	l := &layout.Layout{V8: layout.Version{Major: major}}
	for f, n := range map[layout.Field]int64{
		layout.MapInstanceType: 12, layout.TypeMap: 'M', layout.JSPromiseFlags: 16, layout.JSPromiseResult: 24,
		layout.JSFunctionShared: 32, layout.JSFunctionContext: 40, layout.SFIUntrustedData: 8,
		layout.JSReceiverPropertiesOrHash: 8, layout.FixedArrayLength: 8, layout.FixedArrayData: 16,
		layout.TypeJSFunctionFirst: typeFunction, layout.TypeJSFunctionLast: typeFunction,
		layout.TypeFixedArray: typeContext,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	for h := range layout.PromiseResolve + 1 {
		l.Handlers = binary.LittleEndian.AppendUint16(l.Handlers, typeShared+uint16(h))
	}
	return l
}

// place is the address of an object in the memory of a seed, whose size divides it, as V8 has it in a word.
func place(object int) uint64 { return 1<<16 + uint64(object)*objectSize + 1 }

const objectSize = 128

// put appends an object that is its own hidden class, so that its second word is that of the class too.
func put(b []byte, typ uint64, words ...uint64) []byte {
	self := place(len(b) / objectSize)
	all := append([]uint64{self, typ << 32}, words...)
	for i := range objectSize / 8 {
		word := uint64(0)
		if i < len(all) {
			word = all[i]
		}
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// bush is a promise with several reactions, each of which settles it again. Reactions have the next one, what is called
// and what is settled behind their hidden class; in this V8 the second word is that of instance types.
func bush() []byte {
	b := put(nil, typePromise, 0, place(1))
	b = put(b, typeReaction, place(2), 0, 0, place(0))
	b = put(b, typeReaction, place(3), 0, 0, place(0))
	return put(b, typeReaction, 0, place(1), place(2), place(0))
}

// handled is a promise, or a task, that is handled by V8's functions. Each has a context with so many words, in which a
// suspended call and the promise are. The length of a context, too, is in the word that has its type.
func handled(first, next uint64, resolve, reject layout.Handler, words uint64) []byte {
	b := put(nil, first, 0, place(1))
	b = put(b, next, 0, place(3), place(2), 0)
	b = put(b, typeFunction, 0, 0, place(4), place(6))
	b = put(b, typeFunction, 0, 0, place(5), place(6))
	b = put(b, typeShared+uint64(resolve))
	b = put(b, typeShared+uint64(reject))
	b = put(b, words, 0, 0, place(7), place(0))
	return put(b, typeCall, 0, place(2), place(6), 0, 5<<32, 0, 0, 0, place(0))
}

// mostReads bounds how often memory is read for one chain: less than a second's worth in a process. Three promises with
// a thousand reactions each, that settle the next one, take 142,000.
const mostReads = 10 * maxHops * maxForks

// FuzzReader: whatever is in memory, a chain ends, and soon.
func FuzzReader(f *testing.F) {
	f.Add(bush(), place(0), false)
	f.Add(bush(), place(0), true)
	f.Add(put(put(nil, typePromise, 0, place(1)), typeReaction, place(1)), place(0), false) // reactions in a circle
	for _, h := range []handlers{awaits, generates, yields, all, allSettled, anyOf, resolves} {
		for _, words := range []uint64{awaitSlots, awaitSlots + 1} {
			f.Add(handled(typePromise, typeReaction, h.fulfill, h.reject, words), place(0), false)
			f.Add(handled(typePromise, typeTask, h.fulfill, h.reject, words), place(0), false)
		}
	}
	f.Add(handled(typePromise, typeThenable, 0, 0, awaitSlots), place(0), false)
	f.Add(handled(typePromise, typeTask, 0, 0, awaitSlots), place(7), false)
	f.Add(handled(typePromise, typeTask, 0, 0, awaitSlots), place(2), false)
	for typ := typePromise; typ <= typeContext; typ++ {
		one := put(nil, uint64(typ), place(0), place(0), place(0), place(0))
		f.Add(one, place(0), false)
		f.Add(one, place(0), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, w uint64, old bool) {
		major := 13
		if old {
			major = 11
		}
		for name, do := range map[string]func(r *Reader){
			"of":      func(r *Reader) { _, _ = r.Of(heap.Word(w)) },
			"forks":   func(r *Reader) { r.Forks = true; _, _ = r.Of(heap.Word(w)) },
			"current": func(r *Reader) { _, _, _ = r.Current(w); _, _, _ = r.Current(w) },
			"goes on": func(r *Reader) { _, _, _ = r.GoesOn(heap.Word(w)) },
			"is":      func(r *Reader) { r.IsSuspendedCall(heap.Word(w), heap.Word(w)) },
		} {
			m := &ring{b: b}
			do(&Reader{Heap: heap.NewReader(m, fuzzLayout(major)), Types: fuzzTypes()})
			if m.reads > mostReads {
				t.Errorf("%s: %d reads", name, m.reads)
			}
		}
	})
}
