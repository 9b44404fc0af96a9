package context

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// ring is memory that repeats a piece of bytes for ever, so that every pointer leads somewhere.
type ring struct {
	b       []byte
	reads   int
	largest int // read, in bytes
}

func (m *ring) ReadAt(p []byte, off int64) (int, error) {
	m.reads++
	m.largest = max(m.largest, len(p))
	if len(m.b) == 0 || len(p) > 64<<10 {
		return 0, errors.New("not mapped")
	}
	n := copy(p, m.b[uint64(off)%uint64(len(m.b)):])
	for n < len(p) {
		n += copy(p[n:], m.b)
	}
	return n, nil
}

// hooksLayout is that of V8 13.6, as far as async_hooks take it.
func hooksLayout() *layout.Layout {
	l := &layout.Layout{V8: layout.Version{Major: 13, Minor: 6}}
	for f, n := range map[layout.Field]int64{
		layout.IsolateContext: 0x150, layout.MapInstanceSizeInWords: 8, layout.MapInObjectStartInWords: 9,
		layout.MapInstanceType: 12, layout.MapBitField3: 16, layout.MapConstructorOrBackPointer: 32,
		layout.MapDescriptors:            40,
		layout.BitField3DictionaryMapBit: 21, layout.BitField3OwnDescriptorsBit: 10, layout.DescriptorsHeader: 32,
		layout.DescriptorsEntrySize: 24, layout.DetailsLocationBit: 5, layout.DetailsFieldIndexShift: 19,
		layout.NameDictionaryPrefix: 3, layout.JSReceiverPropertiesOrHash: 8, layout.PropertyArrayData: 16,
		layout.FixedArrayLength: 8, layout.FixedArrayData: 16, layout.JSObjectElements: 16, layout.JSArrayLength: 24,
		layout.NameHash: 8, layout.SymbolDescription: 16, layout.StringLength: 12, layout.SeqStringChars: 16,
		layout.StringRepresentationMask: 7, layout.StringOneByteBit: 8, layout.FirstNonStringType: 128,
		layout.TypeMap:    0x110,
		layout.TypeSymbol: 128, layout.TypeJSArray: 0x847, layout.FirstJSObjectType: 0x410,
		layout.NativeContextEmbedderData: 48, layout.EmbedderDataFirst: 16, layout.JSObjectInternalField: 24,
		layout.TypeJSMap: 0x43c, layout.TypeOddball: 0x83, layout.IsolateCPED: 0x1f0, layout.IsolateVMState: 0x1e8,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	return l
}

// mostReads bounds what one search may cost: each of maxHops objects may have 1,020 properties or 4,096 places, and
// each key of these takes some reads.
const mostReads = maxHops * 1 << 15

// FuzzAsyncHooks: whatever an Environment, its lists and its resources hold, reading them ends.
func FuzzAsyncHooks(f *testing.F) {
	environment := make([]byte, 0x200)
	word := func(at int, n uint64) { binary.LittleEndian.PutUint64(environment[at:], n) }
	for at, count := range map[int]uint64{0x40: uint64(hooksFields.value()), 0x78: uint64(hooksIDs.value())} {
		word(at, 0x1000)
		word(at+8, count)
		word(at+24, 0x80)
	}
	word(0xa8, 0x10)
	f.Add(environment, uint64(0x1000), uint64(0x101))
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0}, uint64(0), uint64(1))
	f.Fuzz(func(t *testing.T, b []byte, isolate, w uint64) {
		m := &ring{b: b}
		r := heap.NewReader(m, hooksLayout())
		FindAsyncHooks(r, isolate, heap.Word(w))
		ReadTimers(r, w)
		h, err := findAsyncHooks(r, isolate, w, b)
		if err == nil {
			h.CurrentResource(r)
		}
		for _, deque := range []bool{false, true} {
			h = AsyncHooks{Fields: w, Resources: w + 8, NativeResources: w + 16, Deque: deque}
			h.CurrentResource(r)
			h.nativeHandle(r, isolate)
		}
		StoresOf(r, heap.Word(w))
		if m.reads > mostReads {
			t.Errorf("%d reads, at most %d are allowed", m.reads, mostReads)
		}
	})
}

// mostOwnerReads bounds what OwnerLayout may cost: 8 places for the id, 32 words of a Realm, and some reads for each of
// these, all of it twice. Each reads at most an Environment.
const mostOwnerReads = 4000

// wrapped is the memory of an AsyncWrap at 0x100 and its Environment, for a ring.
func wrapped() []byte {
	b := make([]byte, 0x1000)
	word := func(at int, n uint64) { binary.LittleEndian.PutUint64(b[at:], n) }
	word(0x100+wrapHandle.value(), 0x200)
	word(0x100+wrapRealm.value(), 0x400)
	word(0x100+56, 0x4059000000000000) // 100, as a double
	word(0x100+wrapFrame.value(), 0x208)
	word(0x200, 0x10301) // the JavaScript object, which is a Map: the AsyncContextFrame too
	word(0x208, 0x10301)
	word(0x300, 0x10381)  // its hidden class
	word(0x300+24, 0x100) // its internal field
	binary.LittleEndian.PutUint16(b[0x380+12:], 0x43c)
	fields := 0x440
	for at, count := range map[int]int{fields: hooksFields.value(),
		fields + bufferSizeVirtual.value(): hooksIDs.value()} {
		word(at, 0x800)
		word(at+bufferCount.value(), uint64(count))
		word(at+bufferData.value(), 0x80)
	}
	return b
}

// TestHooksBuffers: AsyncHooks is found whatever the buffers have beside what is known of them, and so is what follows.
func TestHooksBuffers(t *testing.T) {
	const at, handle = 0x40, 0x7770
	for what, of := range map[string]struct{ whole, fromIsolate int }{
		"16.20.2": {0x30, 0x30}, "18.20.8": {0x38, 0x30}, "20.1.0": {0x40, 0x38},
	} {
		b := make([]byte, 0x200)
		word := func(at int, n uint64) { binary.LittleEndian.PutUint64(b[at:], n) }
		for buffer, count := range map[int]uint64{at: 9, at + of.whole: 4} {
			word(buffer, 0x800)
			word(buffer+8, count)
			word(buffer+24, 0x80)
		}
		want := at + of.whole + of.fromIsolate
		word(want, handle)
		fields, next, ok := hooksBuffers(b)
		if _, _, ok := hooksBuffers(b[:want]); ok {
			t.Errorf("Node.js %s: found in less than their bytes", what)
		}
		if fields != at || next != want || !ok {
			t.Errorf("Node.js %s: %#x, %#x, %t, want %#x, %#x", what, fields, next, ok, at, want)
		}
	}
}

// TestOwnerLayoutOfMemory: an AsyncWrap, and a ThreadPoolWork behind one in the same object. A work that is done is not
// looked at, and one that is no part of an AsyncWrap not taken for a part of the one before it.
func TestOwnerLayoutOfMemory(t *testing.T) {
	const wrap, work, other = 0x100, 0x178, 0x190 // addresses of objects
	const vtable, otherVtable, busy, done = 0x880, 0x8a0, 0x600, 0x608
	b := wrapped()
	word := func(at int, n uint64) { binary.LittleEndian.PutUint64(b[at:], n) }
	word(vtable-16, 1<<64-0x78)
	word(work, vtable)
	word(other, otherVtable)
	word(busy, 0xc00)
	ofWrap := OwnerLayout{Resource: 8, Realm: 16, AsyncID: 56, Frame: 72, Isolate: 0x40}
	for _, tt := range []struct {
		what  string
		job   Job
		class uint64
		want  OwnerLayout
		err   error
	}{
		{"wrap", Job{wrap, busy, false}, 0, ofWrap, nil},
		{"part of a wrap", Job{work, busy, true}, 0, ofWrap, nil},
		{"no wrap", Job{work, busy, false}, 0, OwnerLayout{}, ErrUnknownClass},
		{"no part of a wrap", Job{other, busy, true}, otherVtable, OwnerLayout{}, ErrUnknownClass},
		{"done, of a wrap", Job{wrap, done, false}, 0, OwnerLayout{}, errGone},
		{"done, of no wrap", Job{other, done, true}, 0, OwnerLayout{}, errGone},
	} {
		class, got, err := NewLearner(heap.NewReader(&ring{b: b}, hooksLayout())).OwnerLayout(tt.job)
		if !errors.Is(err, tt.err) || got != tt.want || class != tt.class {
			t.Errorf("%s: %#x, %+v, %v, want %#x, %+v, %v", tt.what, class, got, err, tt.class, tt.want, tt.err)
		}
	}
}

// reused is memory in which another job begins after some reads.
type reused struct {
	ring
	id    int // offset of the id of the asynchronous operation
	after int // reads
}

func (m *reused) ReadAt(p []byte, off int64) (int, error) {
	if m.reads == m.after {
		binary.LittleEndian.PutUint64(m.b[m.id:], 0x4059400000000000) // 101, as a double
	}
	return m.ring.ReadAt(p, off)
}

// TestOwnerLayoutOfOther: nothing is learned of a job in whose memory another one begins meanwhile.
func TestOwnerLayoutOfOther(t *testing.T) {
	const wrap, busy = 0x100, 0x600
	learn := func(after int) (OwnerLayout, error, int) {
		b := wrapped()
		binary.LittleEndian.PutUint64(b[busy:], 0xc00)
		m := &reused{ring: ring{b: b}, id: wrap + 56, after: after}
		_, o, err := NewLearner(heap.NewReader(m, hooksLayout())).OwnerLayout(Job{Object: wrap, Work: busy})
		return o, err, m.reads
	}
	_, err, reads := learn(-1)
	if err != nil || reads < 10 {
		t.Fatalf("%d reads: %v", reads, err)
	}
	for after := 4; after < reads; after++ { // the first are of the state before
		if o, err, _ := learn(after); !errors.Is(err, errGone) {
			t.Errorf("after %d of %d reads: %+v, %v", after, reads, o, err)
		}
	}
}

// FuzzOwnerLayout: whatever is where libuv's pool has its work, reading it ends.
func FuzzOwnerLayout(f *testing.F) {
	f.Add(wrapped(), uint64(0x100), uint64(0x400), false)
	f.Add(wrapped(), uint64(0x178), uint64(0x400), true)
	noHooks := wrapped()
	clear(noHooks[0x440:0x480]) // so that each word of the Realm may be an Environment
	f.Add(noHooks, uint64(0x100), uint64(0x400), false)
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0}, uint64(1), uint64(1), true)
	f.Fuzz(func(t *testing.T, b []byte, object, work uint64, queued bool) {
		m := &ring{b: b}
		NewLearner(heap.NewReader(m, hooksLayout())).OwnerLayout(Job{Object: object, Work: work, Queued: queued})
		if m.reads > mostOwnerReads {
			t.Errorf("%d reads, at most %d are allowed", m.reads, mostOwnerReads)
		}
		if m.largest > environmentBytes {
			t.Errorf("a read of %d bytes, at most %d are allowed", m.largest, environmentBytes)
		}
	})
}
