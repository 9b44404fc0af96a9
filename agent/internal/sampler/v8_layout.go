package sampler

import (
	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/v8/layout"
)

// V8Layout converts a layout to the struct of the BPF program. Fields that the layout lacks are 0.
func V8Layout(l *layout.Layout) bpf.V8Layout {
	at := func(f layout.Field) uint16 { return uint16(max(l.At(f), 0)) }
	at8 := func(f layout.Field) uint8 { return uint8(max(l.At(f), 0)) }
	at32 := func(f layout.Field) uint32 { return uint32(max(l.At(f), 0)) }
	v := bpf.V8Layout{
		VmState: at32(layout.IsolateVMState), C_entryFp: at32(layout.IsolateCEntryFP), Cped: at32(layout.IsolateCPED),
		DeoptimizerFrom: at(layout.DeoptimizerFrom), DeoptimizerInput: at(layout.DeoptimizerInput),
		FrameContent:   at(layout.FrameDescriptionContent),
		ExitRest:       uint16(max(l.At(layout.DeoptExitSize)-1, 0)),
		FunctionShared: at(layout.JSFunctionShared), SfiScript: at(layout.SFIScript),
		SfiLiteral: at(layout.SFIFunctionLiteralID), ScriptId: at(layout.ScriptID),
		MapType: at(layout.MapInstanceType), MapBitField3: at(layout.MapBitField3),
		MapDescriptors: at(layout.MapDescriptors),
		ReceiverHash:   at(layout.JSReceiverPropertiesOrHash), PropertyArrayData: at(layout.PropertyArrayData),
		HashShift: 2, JsmapTable: at(layout.JSMapTable), TableData: at(layout.FixedArrayData),
		DictionaryPrefix: at(layout.NameDictionaryPrefix), NameHash: at(layout.NameHash),
		SymbolFlags: at(layout.SymbolFlags), SymbolDescription: at(layout.SymbolDescription),
		SymbolRegistered: 1 << at(layout.SymbolRegisteredBit), SymbolPrivate: 1 << at(layout.SymbolPrivateBit),
		ObjectElements: at(layout.JSObjectElements), ArrayLength: at(layout.JSArrayLength),
		OddballKind: at(layout.OddballKind), OddballTrue: at(layout.OddballTrue), OddballFalse: at(layout.OddballFalse),
		OddballHole: uint16(l.At(layout.OddballHole)), StringLength: at(layout.StringLength),
		StringChars:  at(layout.SeqStringChars),
		SlicedParent: at(layout.SlicedStringParent), SlicedOffset: at(layout.SlicedStringOffset),
		ConsFirst: at(layout.ConsStringFirst), ConsSecond: at(layout.ConsStringSecond),
		ThinActual: at(layout.ThinStringActual), ExternalData: at(layout.ExternalStringData),
		StringMask: at(layout.StringRepresentationMask),
		OneByteBit: at(layout.StringOneByteBit), TagSeq: at(layout.SeqStringTag), TagCons: at(layout.ConsStringTag),
		TagSliced: at(layout.SlicedStringTag), TagThin: at(layout.ThinStringTag),
		TagExternal:    at(layout.ExternalStringTag),
		UncachedBit:    at(layout.StringUncachedExternalBit),
		FirstNonString: at(layout.FirstNonStringType), HeapNumberValue: at(layout.HeapNumberValue),
		TypeDebugInfo: at(layout.TypeDebugInfo), DebugInfoScript: at(layout.DebugInfoScript),
		TypeScript: at(layout.TypeScript), TypeMap: at(layout.TypeJSMap), TypeHeapNumber: at(layout.TypeHeapNumber),
		TypePropertyArray: at(layout.TypePropertyArray), TypeSymbol: at(layout.TypeSymbol),
		TypeOddball: at(layout.TypeOddball), TypeArray: at(layout.TypeJSArray),
		TypeFixedArray: at(layout.TypeFixedArray), TypeWeakRef: at(layout.TypeJSWeakRef),
		WasmMarker:      at(layout.WasmFrameMarker),
		DictionaryBit:   1 << max(l.At(layout.BitField3DictionaryMapBit), 0),
		DescriptorsMask: 0x3ff << max(l.At(layout.BitField3OwnDescriptorsBit), 0),
		InternalField:   at(layout.JSObjectInternalField), FirstJsObject: at(layout.FirstJSObjectType),
		DescriptorsHeader: at(layout.DescriptorsHeader),
		InstanceSize:      at8(layout.MapInstanceSizeInWords), ObjectStart: at8(layout.MapInObjectStartInWords),
		OwnBit: at8(layout.BitField3OwnDescriptorsBit), LocationBit: at8(layout.DetailsLocationBit),
		FieldShift:     at8(layout.DetailsFieldIndexShift),
		RegexpArgument: uint16(max(l.At(layout.RegExpArgument)-16, 0) / 8),
	}
	if l.Has(layout.IsolateHeap) && l.Has(layout.HeapGCState) {
		v.Heap = at32(layout.IsolateHeap)
		v.GcState = v.Heap + at32(layout.HeapGCState)
		v.MsCount = countFromState(l)
	}
	return v
}

// countFromState returns how far V8's count of mark-compacts is behind the state of the heap, with which the BPF
// program reads it; 0 where it does not.
func countFromState(l *layout.Layout) uint16 {
	n := l.At(layout.HeapMSCount) - l.At(layout.HeapGCState)
	if !l.Has(layout.HeapMSCount) || n < 4 || n%4 != 0 || n > bpf.HeapState-4 {
		return 0
	}
	return uint16(n)
}
