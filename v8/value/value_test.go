package value

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"
	"unicode/utf16"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
)

// TestNumber: as JavaScript writes numbers.
func TestNumber(t *testing.T) {
	for want, f := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "1": 1, "-41": -41, "0.1": 0.1, "1e+21": 1e21,
		"100000000000000000000": 1e20, "123456789012345680000": 123456789012345680000, "1e-7": 1e-7, "0.000001": 1e-6,
		"1.5e+300": 1.5e300, "5e-324": 5e-324, "-1.25e-9": -1.25e-9, "NaN": math.NaN(), "Infinity": math.Inf(1),
		"-Infinity": math.Inf(-1), "12345.678": 12345.678, "4294967296": 1 << 32,
	} {
		if got := Number(f); got != want {
			t.Errorf("%g: %s, want %s", f, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"": "''", "plain": "'plain'", "it's": `"it's"`, `it's "q"`: "`it's \"q\"`", "'\"`": `'\'"` + "`'",
		"'\"${": `'\'"${'`, "\\\n\x00\x1b\x7f": `'\\\n\x00\x1B\x7F'`, "é中😀": "'é中😀'",
	} {
		if got := quote(utf16.Encode([]rune(text))); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := quote([]uint16{0xd83d, 'a', 0xde00}); got != `'\ud83da\ude00'` {
		t.Errorf("lone surrogates: %s", got)
	}
}

// ring is memory that repeats a piece of bytes for ever, so that every pointer leads somewhere and most objects are
// cycles.
type ring struct{ b []byte }

func (m ring) ReadAt(p []byte, off int64) (int, error) {
	if len(m.b) == 0 || len(p) > 64<<10 {
		return 0, errors.New("not mapped")
	}
	n := copy(p, m.b[uint64(off)%uint64(len(m.b)):])
	for n < len(p) {
		n += copy(p[n:], m.b)
	}
	return n, nil
}

// fuzzLayout has small numbers for what hostile memory is read by.
func fuzzLayout() *layout.Layout {
	l := &layout.Layout{V8: layout.Version{Major: 13, Minor: 6}}
	for f, n := range map[layout.Field]int64{
		layout.MapInstanceSizeInWords: 8, layout.MapInObjectStartInWords: 9, layout.MapInstanceType: 12,
		layout.MapBitField3: 16, layout.MapDescriptors: 40, layout.MapConstructorOrBackPointer: 32,
		layout.BitField3DictionaryMapBit: 21, layout.BitField3OwnDescriptorsBit: 10, layout.DescriptorsHeader: 24,
		layout.DescriptorsEntrySize: 24, layout.DetailsLocationBit: 5, layout.DetailsFieldIndexShift: 19,
		layout.JSReceiverPropertiesOrHash: 8, layout.PropertyArrayData: 16, layout.FixedArrayLength: 8,
		layout.FixedArrayData: 16, layout.StringLength: 12, layout.SeqStringChars: 16, layout.ConsStringFirst: 16,
		layout.ConsStringSecond: 24, layout.StringRepresentationMask: 7, layout.StringOneByteBit: 8,
		layout.FirstNonStringType: 128, layout.SeqStringTag: 0, layout.ConsStringTag: 1, layout.ThinStringTag: 5,
		layout.SlicedStringTag: 3, layout.ExternalStringTag: 2, layout.TypeSymbol: 128, layout.TypeHeapNumber: 130,
		layout.TypeOddball: 131, layout.TypeMap: 'M', layout.TypeJSObject: 200, layout.TypeJSArray: 201,
		layout.TypeFixedArray: 202, layout.FirstJSObjectType: 199, layout.TypeJSFunctionFirst: 210,
		layout.TypeJSFunctionLast: 220, layout.JSObjectElements: 16, layout.JSArrayLength: 24, layout.OddballKind: 40,
		layout.OddballToString: 16, layout.NameDictionaryPrefix: 3, layout.NameHash: 8, layout.SymbolFlags: 12,
		layout.SymbolDescription: 16, layout.JSFunctionShared: 32, layout.HeapNumberValue: 8,
		layout.TypeBigInt: 129, layout.TypeAPIObject: 225, layout.TypeJSGeneratorObject: 226, layout.JSMapTable: 24,
		layout.JSDateValue: 24, layout.JSDateRaw: 1, layout.JSRegExpSource: 32, layout.JSRegExpFlags: 40,
		layout.JSPromiseResult: 24, layout.JSPromiseFlags: 32, layout.JSPrimitiveWrapperValue: 24,
		layout.JSProxyTarget: 16, layout.JSProxyHandler: 24, layout.JSBoundFunctionTarget: 24,
		layout.JSArrayBufferByteLength: 40, layout.JSArrayBufferBackingStore: 56, layout.JSArrayBufferFlags: 72,
		layout.JSArrayBufferViewBuffer: 32, layout.JSArrayBufferViewByteOffset: 48,
		layout.JSArrayBufferViewByteLength: 56, layout.JSTypedArrayExternal: 72, layout.JSTypedArrayBase: 80,
		layout.MapElementsKind: 15, layout.KindDictionaryElements: 13, layout.MapBitField: 14,
		layout.BigIntBitField: 8, layout.BigIntDigits: 16, layout.SFINameOrScopeInfo: 24, layout.SFIFlags: 56,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	return l
}

// fuzzTypes are the classes that are printed each in a way of its own.
func fuzzTypes() map[int]string {
	out := map[int]string{203: "Hole", 204: "FixedDoubleArray", 205: "SloppyArgumentsElements", 206: "AccessorPair",
		207: "AccessorInfo", 208: "ErrorStackData"}
	for i, class := range []string{"JSMap", "JSSet", "JSWeakMap", "JSDate", "JSRegExp", "JSError", "JSPromise",
		"JSProxy", "JSArrayBuffer", "JSDataView", "JSTypedArray", "JSPrimitiveWrapper", "JSArgumentsObject",
		"JSBoundFunction", "JSGlobalProxy", "JSGlobalObject", unnamed} {
		out[230+i] = class
	}
	return out
}

// unnamed stands for iterators of Maps and Sets, whose classes have no name.
const unnamed = ""

// seeds are an object of each class that is its own hidden class and all that it refers to.
func seeds(f *testing.F) {
	for typ := range fuzzTypes() {
		b := make([]byte, 128)
		for i := 0; i < len(b); i += 8 {
			binary.LittleEndian.PutUint64(b[i:], 1<<12+1)
		}
		binary.LittleEndian.PutUint64(b[8:], uint64(typ)<<32|1<<12+1)
		f.Add(b, uint64(1<<12+1))
		c := append([]byte{}, b...)
		for i := 24; i < len(c); i += 8 {
			binary.LittleEndian.PutUint64(c[i:], 3<<32)
		}
		f.Add(c, uint64(1<<12+1))
	}
}

// FuzzPrint: whatever is in memory, a print reads not much more than it may.
func FuzzPrint(f *testing.F) {
	cycle := make([]byte, 64) // an array that is its own hidden class and element
	binary.LittleEndian.PutUint64(cycle, 1<<12+1)
	binary.LittleEndian.PutUint64(cycle[8:], 201<<32|1<<12+1)
	binary.LittleEndian.PutUint64(cycle[16:], 1<<12+1)
	binary.LittleEndian.PutUint64(cycle[24:], 1000<<32)
	f.Add(cycle, uint64(1<<12+1))
	f.Add(make([]byte, 256), uint64(41<<32))
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte, w uint64) {
		p := Printer{Heap: heap.NewReader(ring{b}, fuzzLayout()), Types: fuzzTypes(), Depth: 3, Private: true}
		p.Print(heap.Word(w))
		printed := p.Heap.Reads()
		p.Class(heap.Word(w), 205)
		for _, n := range []int{printed, p.Heap.Reads() - printed} {
			if n > 2*maxRead {
				t.Errorf("memory was read %d times", n)
			}
		}
	})
}
