package space

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// memory is one piece of memory, at base.
type memory []byte

const base = 0x10000000

func (m memory) ReadAt(p []byte, off int64) (int, error) {
	if off < base || off >= base+int64(len(m)) {
		return 0, errors.New("not mapped")
	}
	n := copy(p, m[off-base:])
	if n < len(p) {
		return n, errors.New("short")
	}
	return n, nil
}

func (m memory) put(at uint64, words ...uint64) {
	for i, w := range words {
		binary.LittleEndian.PutUint64(m[at-base+8*uint64(i):], w)
	}
}

// Places in the memory: two pages, then what is not V8's heap. The Isolate begins with the Heap, and that with an area.
const (
	old     = base
	fresh   = base + pageSize
	spaces  = base + 2*pageSize
	isolate = spaces + 0x1000
	meta    = old + 0x400 // hidden class of hidden classes
	arrays  = old + 0x440
	points  = old + 0x480 // objects of three words
	numbers = old + 0x4c0
	first   = old + 0x500 // first object that is none of them

	typeMap, typePoint, typeArray, typeNumber = 272, 1057, 205, 130
)

func small(n uint64) uint64 { return n << 32 }

func testLayout() *layout.Layout {
	l := &layout.Layout{V8: layout.Version{Major: 12, Minor: 4}}
	for f, n := range map[layout.Field]int64{
		layout.MapInstanceSizeInWords: 8, layout.MapInstanceType: 12, layout.TypeMap: typeMap, layout.IsolateHeap: 0,
		layout.FirstNonStringType: 128, layout.FirstJSObjectType: 1057, layout.TypeHeapNumber: typeNumber,
		layout.SeqStringChars: 16, layout.StringLength: 12, layout.StringOneByteBit: 8, layout.FixedArrayData: 16,
		layout.DescriptorsHeader: 24, layout.DescriptorsEntrySize: 24, layout.BytecodeArrayFirstByte: 64,
		layout.TypeBigInt: 129, layout.TypeScopeInfo: 280, layout.TypeInstructionStream: 192,
		layout.TypeBytecodeArray: 186, layout.InstructionStreamBody: 32, layout.CodeInstructionSize: 52,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	return l
}

var testTypes = map[int]string{typeMap: "Map", typePoint: "JSObject", typeArray: "FixedArray", 258: "FeedbackVector"}

// hiddenClass writes one of so many words' objects, 0: of several sizes.
func (m memory) hiddenClass(at, words, typ uint64) { m.put(at, meta+1, words|typ<<32) }

// written is a heap with an old page and one of the young generation. It has seven objects: four hidden classes, a
// point, an array of two that refers to it, and on the fresh page a point, behind which objects will be made.
func written() memory {
	m := make(memory, 3*pageSize)
	head := func(at, start, end, owner, flags uint64) {
		m.put(at, flags, at, pageSize, isolate, start, end, 0, 0, 0, owner)
	}
	head(old, meta, first+56, spaces, 4)
	head(fresh, fresh+0x400, fresh+pageSize, spaces+0x100, toPage)
	m.put(spaces, 0, isolate, 1)
	m.put(spaces+0x100, 0, isolate, 2)
	m.put(isolate, fresh+0x400, fresh+0x418, fresh+0x500)
	m.hiddenClass(meta, 8, typeMap)
	m.hiddenClass(arrays, 0, typeArray)
	m.hiddenClass(points, 3, typePoint)
	m.hiddenClass(numbers, 2, typeNumber)
	m.put(first, points+1, small(1), small(2))
	m.put(first+24, arrays+1, small(2), first+1, small(7))
	m.put(fresh+0x400, points+1, first+24+1, small(2))
	m.put(fresh+0x418, points+1, 1, 1) // what was there before
	return m
}

func find(m memory) *Heap {
	return Find(m, testLayout(), testTypes, []Range{{base, base + 2*pageSize}, {base + 2*pageSize, base + 3*pageSize}},
		false)
}

// TestWalk: objects are told apart, and what is where none are is counted.
func TestWalk(t *testing.T) {
	m := written()
	h := find(m)
	var got []uint64
	refers := map[uint64]int{}
	tally := h.Walk(func(o *Object) bool {
		if o.Name != "Map" {
			got = append(got, uint64(o.Word)-1, o.Size)
		}
		h.Words(o, func(offset uint64, w heap.Word) bool {
			if w == first+1 || w == first+24+1 {
				refers[uint64(o.Word)-1+offset]++
			}
			return true
		})
		return true
	}, nil)
	if diff := cmp.Diff([]uint64{first, 24, first + 24, 32, fresh + 0x400, 24}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[uint64]int{first + 24 + 16: 1, fresh + 0x408: 1}, refers); diff != "" {
		t.Error(diff)
	}
	want := Tally{Objects: 4*64 + 24 + 32 + 24, Free: pageSize - 0x418}
	if diff := cmp.Diff(want, tally); diff != "" || tally.All() != h.Bytes() {
		t.Errorf("%s, of %d", diff, h.Bytes())
	}
}

// TestWrong: lengths that are no lengths, and words that are no hidden classes, are not read. All bytes are counted.
func TestWrong(t *testing.T) {
	for name, c := range map[string]struct {
		at, word uint64
		not      uint64
	}{
		"a length that is negative":        {first + 24 + 8, 1 << 63, 32},
		"a length beyond the page":         {first + 24 + 8, small(1 << 20), 32},
		"a length that is no small number": {first + 24 + 8, 0x33, 32},
		"no hidden class":                  {first, 0x33, 24},
		"a hidden class of itself":         {first, first + 1, 24},
		"a moved object, moved to itself":  {first, first, 24},
	} {
		m := written()
		m.put(c.at, c.word)
		h := find(m)
		tally := h.Walk(func(*Object) bool { return true }, nil)
		if tally.NotRead != c.not || tally.All() != h.Bytes() {
			t.Errorf("%s: %+v of %d, want %d not read", name, tally, h.Bytes(), c.not)
		}
	}
}

// TestUnknownSizes: where a layout lacks what sizes need, machine code ends where another object begins.
func TestUnknownSizes(t *testing.T) {
	for _, unknown := range measureFields {
		m := written()
		m.hiddenClass(arrays, 0, 192)
		l := testLayout()
		l.Values[unknown] = layout.Value{}
		h := Find(m, l, testTypes, []Range{{base, base + 3*pageSize}}, false)
		var size uint64
		tally := h.Walk(func(o *Object) bool {
			if o.Word == first+24+1 {
				size = o.Size
			}
			return true
		}, nil)
		if size != 32 || tally.All() != h.Bytes() {
			t.Errorf("%s: %d bytes; %+v of %d", unknown, size, tally, h.Bytes())
		}
	}
}

// FuzzWalk: no memory makes a walk fail to end, or lose bytes.
func FuzzWalk(f *testing.F) {
	f.Add(uint32(0), uint64(0), uint32(0x428), uint64(0))
	f.Add(uint32(first-base+32), small(1<<30), uint32(fresh-base), uint64(1))
	f.Add(uint32(spaces-base+8), uint64(7), uint32(isolate-base+8), uint64(fresh))
	f.Fuzz(func(t *testing.T, at1 uint32, w1 uint64, at2 uint32, w2 uint64) {
		m := written()
		m.put(base+uint64(at1)%(3*pageSize-8), w1)
		m.put(base+uint64(at2)%(3*pageSize-8), w2)
		h := find(m)
		n := 0
		tally := h.Walk(func(o *Object) bool {
			h.Words(o, func(uint64, heap.Word) bool { n++; return true })
			return true
		}, nil)
		if tally.All() != h.Bytes() || n > 3*pageSize/word {
			t.Errorf("%+v of %d, %d words", tally, h.Bytes(), n)
		}
	})
}
