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
	b     []byte
	reads int
}

func (m *ring) ReadAt(p []byte, off int64) (int, error) {
	m.reads++
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
		layout.MapInstanceType: 12, layout.MapBitField3: 16, layout.MapConstructorOrBackPointer: 32, layout.MapDescriptors: 40,
		layout.BitField3DictionaryMapBit: 21, layout.BitField3OwnDescriptorsBit: 10, layout.DescriptorsHeader: 32,
		layout.DescriptorsEntrySize: 24, layout.DetailsLocationBit: 5, layout.DetailsFieldIndexShift: 19,
		layout.NameDictionaryPrefix: 3, layout.JSReceiverPropertiesOrHash: 8, layout.PropertyArrayData: 16,
		layout.FixedArrayLength: 8, layout.FixedArrayData: 16, layout.JSObjectElements: 16, layout.JSArrayLength: 24,
		layout.NameHash: 8, layout.SymbolDescription: 16, layout.StringLength: 12, layout.SeqStringChars: 16,
		layout.StringRepresentationMask: 7, layout.StringOneByteBit: 8, layout.FirstNonStringType: 128, layout.TypeMap: 0x110,
		layout.TypeSymbol: 128, layout.TypeJSArray: 0x847, layout.FirstJSObjectType: 0x410,
		layout.NativeContextEmbedderData: 48, layout.EmbedderDataFirst: 16,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	return l
}

// mostReads bounds what one search may cost: each of maxHops objects may have 1,020 properties or 4,096 places, and each
// key of these takes some reads.
const mostReads = maxHops * 1 << 15

// FuzzAsyncHooks: whatever an Environment, its lists and its resources hold, reading them ends.
func FuzzAsyncHooks(f *testing.F) {
	environment := make([]byte, 0x200)
	word := func(at int, n uint64) { binary.LittleEndian.PutUint64(environment[at:], n) }
	for at, count := range map[int]uint64{0x40: numHooksFields, 0x78: numHooksIDs} {
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
		AsyncHooksOf(r, isolate, heap.Word(w))
		h, err := findAsyncHooks(r, isolate, w, b)
		if err == nil {
			h.Current(r)
		}
		for _, deque := range []bool{false, true} {
			h = AsyncHooks{Fields: w, Resources: w + 8, Natives: w + 16, Deque: deque}
			h.Current(r)
			h.native(r, isolate)
		}
		StoresOf(r, heap.Word(w))
		if m.reads > mostReads {
			t.Errorf("%d reads, at most %d are allowed", m.reads, mostReads)
		}
	})
}
