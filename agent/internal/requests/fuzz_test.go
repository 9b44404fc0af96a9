package requests

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/space"
)

// ring is memory that repeats a piece of bytes for ever, and counts how often it is read.
type ring struct {
	b     []byte
	reads int
}

func (m *ring) ReadAt(p []byte, off int64) (int, error) {
	m.reads++
	if len(m.b) == 0 || len(p) > 1<<20 {
		return 0, errors.New("not mapped")
	}
	n := copy(p, m.b[uint64(off)%uint64(len(m.b)):])
	for n < len(p) {
		n += copy(p[n:], m.b)
	}
	return n, nil
}

// Instance types.
const (
	typeString  = iota
	typeOddball = 131
	typeObject  = 200 + iota
	typeMap
	typePromise
	typeReaction
	typeFunction
	typeAPI
	typeContext
	typeNumber
)

func fuzzTypes() map[int]string {
	return map[int]string{typePromise: "JSPromise", typeReaction: "PromiseReaction", typeFunction: "JSFunction",
		typeContext: "NativeContext"}
}

// fuzzLayout has small numbers for what hostile memory is read by. The type of hidden classes is that of an object that
// is its own hidden class.
func fuzzLayout(typ int64) *layout.Layout {
	l := &layout.Layout{V8: layout.Version{Major: 13, Minor: 6}}
	for f := range layout.NumFields {
		l.Values[f] = layout.Value{N: int64(f) % 7 * 8, State: layout.Known}
	}
	for f, n := range map[layout.Field]int64{
		layout.MapInstanceType: 12, layout.TypeMap: typ, layout.TypeJSObject: typeObject, layout.TypeJSMap: typeMap,
		layout.TypeAPIObject: typeAPI, layout.TypeJSFunctionFirst: typeFunction,
		layout.TypeJSFunctionLast: typeFunction, layout.TypeOddball: typeOddball, layout.TypeHeapNumber: typeNumber,
		layout.FirstJSObjectType: typeObject, layout.JSPromiseFlags: 16, layout.JSPromiseResult: 24,
		layout.JSMapTable: 24, layout.FixedArrayData: 16, layout.FixedArrayLength: 8,
		layout.MapInstanceSizeInWords: 8, layout.MapInObjectStartInWords: 9, layout.MapBitField3: 16,
		layout.MapDescriptors: 40, layout.MapConstructorOrBackPointer: 32, layout.BitField3DictionaryMapBit: 21,
		layout.BitField3OwnDescriptorsBit: 10, layout.DescriptorsHeader: 24, layout.DescriptorsEntrySize: 24,
		layout.DetailsLocationBit: 5, layout.DetailsFieldIndexShift: 19, layout.JSReceiverPropertiesOrHash: 8,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	return l
}

// place is the address of the first object of a seed, whose size divides it, as V8 has it in a word; next is that of
// the second.
const place, next, objectSize = 1<<16 + 1, place + objectSize, 128

// object is one that is its own hidden class.
func object(at, typ uint64, words ...uint64) []byte {
	b := make([]byte, objectSize)
	for i, w := range append([]uint64{at, typ << 32}, words...) {
		binary.LittleEndian.PutUint64(b[8*i:], w)
	}
	return b
}

// mostReads bounds how often memory is read for one object: so many reactions of a promise have some reads each.
const mostReads = 64 * maxWaits

// FuzzVisit: whatever is in memory, a visit of an object ends, and soon.
func FuzzVisit(f *testing.F) {
	for typ := uint64(typeObject); typ <= typeNumber; typ++ {
		f.Add(object(place, typ), typ)
		f.Add(object(place, typ, place, place, place, place, place, place), typ)
		f.Add(object(place, typ, 0, place, place, place, place, place), typ)
	}
	circle := append(object(place, typePromise, 0, next), object(next, typeReaction, next, place)...)
	f.Add(circle, uint64(typePromise))
	f.Fuzz(func(t *testing.T, b []byte, typ uint64) {
		m := &ring{b: b}
		find := New(heap.NewReader(m, fuzzLayout(int64(uint16(typ)))), fuzzTypes(), func() int64 { return 1 << 40 })
		class := &space.Class{Address: place, Type: int(uint16(typ))}
		class.Name = fuzzTypes()[class.Type]
		o := &space.Object{Class: class, Word: place, Size: uint64(len(b))}
		for _, read := range []func(*space.Object){find.Visit, find.promise, find.wrap, find.timeout, find.immediate} {
			m.reads = 0
			if read(o); m.reads > mostReads {
				t.Errorf("%d reads", m.reads)
			}
		}
		find.time(&Wait{Function: place}, 1)
		find.Died()
		if len(find.Waits) > maxWaits {
			t.Errorf("%d waits", len(find.Waits))
		}
	})
}

// TestManyStores: a large map to which many objects refer is not read for each.
func TestManyStores(t *testing.T) {
	const entries = 4096 << 32 // as a small integer of V8's
	m := &ring{b: append(object(place, typeMap, 0, next), object(next, typeMap, entries, entries, 0, next, next, next,
		next, next, next, next, next, next, next, next)...)}
	l := fuzzLayout(typeMap)
	l.Values[layout.FirstJSObjectType].N = typeNumber // so that all words are stores
	find := New(heap.NewReader(m, l), fuzzTypes(), nil)
	if _, err := find.stores(place, 0); err == nil || errors.Is(err, errManyStores) || m.reads < 8192 {
		t.Fatalf("the first time: %d reads, %v", m.reads, err)
	}
	var err error
	for range 500 {
		_, err = find.stores(place, 0)
	}
	if most := 8 * maxEntries; !errors.Is(err, errManyStores) || m.reads > most {
		t.Errorf("%d reads, at most %d, %v", m.reads, most, err)
	}
}
