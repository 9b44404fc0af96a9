package nodejs

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

// mostOwnerReads bounds what FindOwnerLayout may cost: a Realm, and the Environments that its 32 words may refer to.
const mostOwnerReads = 100

// realmMemory has a Realm at 0x400 which has its isolate, for a ring; wrapOf makes an AsyncWrap of a Realm.
func realmMemory() []byte {
	b := make([]byte, 0x1000)
	word := func(at int, n uint64) { binary.LittleEndian.PutUint64(b[at:], n) }
	fields := 0x440
	for at, count := range map[int]int{fields: hooksFields.value(),
		fields + bufferSizeVirtual.value(): hooksIDs.value()} {
		word(at, 0x800)
		word(at+bufferCount.value(), uint64(count))
		word(at+bufferData.value(), 0x80)
	}
	return b
}

func wrapOf(realm uint64) JobObject {
	o := JobObject{Wrap: true, HandleFrame: true}
	o.Words[1], o.Words[2] = 0x200, realm
	o.Words[7] = 0x4059000000000000 // 100, as a double
	return o
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

// TestOwnerLayout: of AsyncWraps and AsyncResources, with and without a frame.
func TestOwnerLayout(t *testing.T) {
	const realm = 0x400
	change := func(of func(*JobObject)) *JobObject {
		o := wrapOf(realm)
		of(&o)
		return &o
	}
	resource := func(o *JobObject) { // {vtable, environment, resource, frame, id}
		*o = JobObject{WorkOwner: realm, HandleFrame: true}
		o.Words = [JobWords]uint64{0x5550, realm, 0x200, 0x208, 0x4059000000000000}
	}
	withFrame := OwnerLayout{Resource: 8, Realm: 16, AsyncID: 56, Frame: 72, Isolate: 0x40}
	for _, tt := range []struct {
		what string
		of   *JobObject
		want OwnerLayout
		err  error
	}{
		{"wrap", change(func(*JobObject) {}), withFrame, nil},
		{"wrap with a field", change(func(o *JobObject) { o.HandleFrame, o.FieldFrame = false, true }),
			OwnerLayout{Resource: 8, Realm: 16, AsyncID: 56, FrameField: 40, Isolate: 0x40}, nil},
		{"wrap without a frame", change(func(o *JobObject) { o.HandleFrame = false }),
			OwnerLayout{Resource: 8, Realm: 16, AsyncID: 56, Isolate: 0x40}, nil},
		{"resource", change(resource), OwnerLayout{Resource: 16, Realm: 8, AsyncID: 32, Frame: 24, Isolate: 0x40}, nil},
		{"resource of another", change(func(o *JobObject) { resource(o); o.WorkOwner++ }),
			OwnerLayout{}, ErrUnknownClass},
		{"without an id", change(func(o *JobObject) { o.Words[7] = 0x4059200000000000 }),
			OwnerLayout{}, ErrUnknownClass},
		{"of no realm", change(func(*JobObject) {}), OwnerLayout{}, ErrNoEnvironment},
	} {
		b := realmMemory()
		if errors.Is(tt.err, ErrNoEnvironment) {
			clear(b)
		}
		got, err := FindOwnerLayout(heap.NewReader(&ring{b: b}, hooksLayout()), tt.of)
		if !errors.Is(err, tt.err) || err == nil && got != tt.want {
			t.Errorf("%s: %+v, %v, want %+v, %v", tt.what, got, err, tt.want, tt.err)
		}
	}
}

// FuzzOwnerLayout: whatever the object of a job refers to, reading it ends.
func FuzzOwnerLayout(f *testing.F) {
	f.Add(realmMemory(), uint64(0x400), true)
	f.Add(realmMemory(), uint64(0x400), false)
	noHooks := realmMemory()
	clear(noHooks[0x440:0x480]) // so that each word of the Realm may be an Environment
	f.Add(noHooks, uint64(0x400), true)
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0}, uint64(1), true)
	f.Fuzz(func(t *testing.T, b []byte, realm uint64, wrap bool) {
		m := &ring{b: b}
		o := wrapOf(realm)
		o.Wrap, o.Words[1], o.WorkOwner = wrap, realm, realm
		FindOwnerLayout(heap.NewReader(m, hooksLayout()), &o)
		if m.reads > mostOwnerReads {
			t.Errorf("%d reads, at most %d are allowed", m.reads, mostOwnerReads)
		}
		if m.largest > environmentBytes {
			t.Errorf("a read of %d bytes, at most %d are allowed", m.largest, environmentBytes)
		}
	})
}
