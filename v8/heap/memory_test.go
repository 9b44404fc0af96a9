package heap

import (
	"github.com/hotspan/hotspan/v8/heap/heaptest"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// testLayout is that of V8 13.6, by its sources; what a test builds of it is built by hand too.
func testLayout() *layout.Layout {
	l := &layout.Layout{V8: layout.Version{Major: 13, Minor: 6}}
	for f, n := range map[layout.Field]int64{
		layout.MapInstanceSizeInWords: 8, layout.MapInObjectStartInWords: 9,
		layout.MapInstanceType: 12, layout.MapBitField3: 16, layout.MapDescriptors: 40,
		layout.BitField3DictionaryMapBit: 21, layout.BitField3OwnDescriptorsBit: 10,
		layout.DescriptorsHeader: 24, layout.DescriptorsEntrySize: 24, layout.DetailsLocationBit: 5,
		layout.DetailsFieldIndexShift: 19, layout.JSReceiverPropertiesOrHash: 8,
		layout.PropertyArrayData: 16, layout.FixedArrayLength: 8, layout.FixedArrayData: 16,
		layout.JSMapTable: 24, layout.SymbolDescription: 16, layout.StringLength: 12,
		layout.SeqStringChars: 16, layout.ConsStringFirst: 16, layout.ConsStringSecond: 24,
		layout.SlicedStringParent: 16, layout.SlicedStringOffset: 24, layout.ThinStringActual: 16,
		layout.ExternalStringData: 24, layout.StringRepresentationMask: 7,
		layout.StringOneByteBit: 8, layout.StringUncachedExternalBit: 16,
		layout.FirstNonStringType: 128, layout.SeqStringTag: 0, layout.ConsStringTag: 1,
		layout.ExternalStringTag: 2, layout.SlicedStringTag: 3, layout.ThinStringTag: 5,
		layout.JSFunctionShared: 32, layout.SFITrustedData: 8, layout.SFINameOrScopeInfo: 24,
		layout.SFIScript: 40, layout.SFIFunctionLiteralID: 60, layout.ScopeInfoFlags: 8,
		layout.ScopeInfoContextLocalCount: 24, layout.ScopeInfoFirstVars: 48,
		layout.ScopeInfoFlagsAreSmi: 0, layout.ScopeInfoHasSavedClassVarBit: 10,
		layout.ScopeInfoFunctionVarBit: 12, layout.ScopeInfoInferredNameBit: 14,
		layout.ScopeInfoMaxInlinedNames: 75, layout.ScriptSource: 8, layout.ScriptName: 16,
		layout.ScriptLineOffset: 24, layout.ScriptColumnOffset: 32, layout.ScriptID: 64,
		layout.ScriptSourceURL: 112, layout.ScriptSourceMappingURL: 120, layout.BytecodeArrayLength: 8,
		layout.BytecodeArrayPositions: 24, layout.BytecodeArrayFirstByte: 64,
		layout.CodeDeoptData: 8, layout.CodePositions: 16, layout.CodeInstructionStart: 40,
		layout.CodeInstructionSize: 56, layout.CodeFlags: 52, layout.CodeFlagsKindMask: 15,
		layout.InstructionStreamBody: 32, layout.InstructionStreamCode: 8, layout.KindBaseline: 10,
		layout.PositionsUnsigned: 0, layout.TypeMap: 0x110, layout.TypeSharedFunctionInfo: 0x11a,
		layout.TypeScript: 167, layout.TypeScopeInfo: 0x118, layout.TypeBytecodeArray: 186,
		layout.TypeCode: 187, layout.TypeInstructionStream: 192, layout.TypeJSMap: 0x840,
		layout.TypeInterpreterData: 188, layout.InterpreterDataBytecode: 8,
		layout.TypeJSRegExp:   2137,
		layout.JSRegExpSource: 32, layout.JSRegExpData: 24, layout.TypeRegExpData: 185,
		layout.RegExpDataSource: 16, layout.ScriptEvalFrom: 72, layout.ScriptEvalPosition: 80,
		layout.SFIFlags: 56, layout.KindMembersInitializer: 24, layout.KindStaticInitializer: 25,
		layout.TypeSymbol: 128, layout.TypeJSArray: 0x847, layout.TypeFixedArray: 205,
		layout.TypeOddball: 131, layout.OddballKind: 40, layout.OddballTrue: 1,
		layout.OddballFalse: 0, layout.NameDictionaryPrefix: 3, layout.NameHash: 8,
		layout.SymbolFlags: 12, layout.SymbolRegisteredBit: 2, layout.SymbolPrivateBit: 4,
		layout.JSObjectElements: 16, layout.JSArrayLength: 24, layout.JSArrayBufferByteLength: 40,
		layout.JSArrayBufferBackingStore: 56, layout.JSArrayBufferFlags: 72, layout.JSArrayBufferViewBuffer: 32,
		layout.JSArrayBufferViewByteOffset: 48, layout.JSArrayBufferViewByteLength: 56,
		layout.JSTypedArrayExternal: 72, layout.JSTypedArrayBase: 80, layout.MapElementsKind: 15,
		layout.KindDictionaryElements: 13, layout.MapBitField: 14, layout.BigIntBitField: 8, layout.BigIntDigits: 16,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	// Four bytecodes after the four prefixes, of 1, 2, 3 and 4 bytes; each operand is twice or four times as wide with
	// a prefix.
	l.BytecodeSizes = []byte{1, 1, 1, 1, 1, 2, 3, 4, 1, 1, 1, 1, 1, 3, 5, 7, 1, 1, 1, 1, 1, 5, 9, 13}
	return l
}

// image is memory with the objects of V8 that tests need.
type image struct{ heaptest.Image[Word] }

// turnPage has the next object begin a page.
func (m *image) turnPage() { m.B = append(m.B, make([]byte, -len(m.B)&(target.PageSize-1))...) }

// class adds a hidden class of an instance type, in the upper half of whose second word it stands.
func (m *image) class(instanceType int) Word {
	return m.Put(0, Word(instanceType)<<32, 0, 0, 0, 0)
}

// chars adds a flat string: hidden class, hash and length, characters.
func (m *image) chars(instanceType, length int, data string) Word {
	w := m.Put(m.class(instanceType), Word(length)<<32)
	m.B = append(m.B, data...)
	for len(m.B)%8 != 0 {
		m.B = append(m.B, 0xee)
	}
	return w
}

func smi(n int) Word { return Word(uint32(n)) << 32 }

// String types: representation, and 8 for one byte a character.
const (
	seqOne, seqTwo     = 8, 0
	consOne, consTwo   = 9, 1
	externalOne        = 10
	slicedOne, thinOne = 11, 13
	uncachedOne        = 10 | 16
)

func (m *image) cons(first, second Word, length int) Word {
	return m.Put(m.class(consOne), Word(length)<<32, first, second)
}
