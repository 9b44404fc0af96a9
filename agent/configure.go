package agent

import (
	"slices"
	"sync/atomic"
	"unicode/utf16"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/v8/layout"
)

// configure makes what the BPF program must know of a process, but for its mappings.
func (t *target) configure(tree *reqctx.Tree, l *layout.Layout) {
	t.config = &bpf.Process{V8: programLayout(l), Id: processes.Add(1), StoreLabel: none(tree.Store)}
	if l.Require(contextFields...) != nil {
		t.config.V8.Cped = 0
	}
	if l.Require(hooksFields...) != nil {
		t.config.V8.FirstJsObject = 0
	}
	if len(tree.Roots) > 0 {
		t.config.NamedStores = 1
	}
	edges := 0
	for i, n := range tree.Nodes {
		node := &t.config.Nodes[i]
		node.First, node.N_edges = uint8(edges), uint8(len(n.Edges))
		for _, e := range n.Edges {
			kind := edgeKind(e.Kind)
			node.Kinds |= 1 << kind
			t.config.Edges[edges] = bpf.Edge{Kind: kind, Name: uint16(e.Slot), To: none(e.To), Label: none(e.Label), Unless: none(e.Unless)}
			if e.Label >= 0 && tree.Labels[e.Label].Bytes {
				t.config.Edges[edges].Bytes = 1
			}
			edges++
		}
	}
	for i, n := range tree.Names {
		t.config.Names[i] = programName(n)
	}
}

// processes counts those that were ever profiled: what was learnt of a process is kept under a number that no other has.
var processes atomic.Uint32

func edgeKind(k reqctx.StepKind) uint8 {
	switch k {
	case reqctx.Property:
		return bpf.EdgeProperty
	case reqctx.Element:
		return bpf.EdgeElement
	}
	return bpf.EdgeMapEntry
}

var nameKinds = map[reqctx.NameKind]uint8{
	reqctx.StringName: bpf.NameString, reqctx.SymbolName: bpf.NameSymbol,
	reqctx.GlobalName: bpf.NameRegistered, reqctx.PrivateName: bpf.NamePrivate,
}

// programName is a name as V8 has its characters: Latin-1 if that is possible, else UTF-16. One that is too long to be
// compared has no width.
func programName(n reqctx.Name) bpf.Name {
	out := bpf.Name{Kind: nameKinds[n.Kind], Width: 1}
	units := utf16.Encode([]rune(n.Text))
	if slices.ContainsFunc(units, func(u uint16) bool { return u > 0xff }) {
		out.Width = 2
	}
	if len(units)*int(out.Width) > 8*len(out.Chars) {
		out.Width = 0
		return out
	}
	out.Length = uint16(len(units))
	for i, u := range units {
		at := i * int(out.Width)
		out.Chars[at/8] |= uint64(u) << (at % 8 * 8)
	}
	return out
}

// none turns -1 into the program's NoNode and NoLabel, which are the same number.
func none(n int) uint8 {
	if n < 0 {
		return bpf.NoNode
	}
	return uint8(n)
}

func programLayout(l *layout.Layout) bpf.V8Layout {
	at := func(f layout.Field) uint16 { return uint16(max(l.At(f), 0)) }
	at8 := func(f layout.Field) uint8 { return uint8(max(l.At(f), 0)) }
	at32 := func(f layout.Field) uint32 { return uint32(max(l.At(f), 0)) }
	v := bpf.V8Layout{
		VmState: at32(layout.IsolateVMState), C_entryFp: at32(layout.IsolateCEntryFP), Cped: at32(layout.IsolateCPED),
		DeoptimizerFrom: at(layout.DeoptimizerFrom), DeoptimizerInput: at(layout.DeoptimizerInput), FrameContent: at(layout.FrameDescriptionContent),
		ExitRest:       uint16(max(l.At(layout.DeoptExitSize)-1, 0)),
		FunctionShared: at(layout.JSFunctionShared), SfiScript: at(layout.SFIScript),
		SfiLiteral: at(layout.SFIFunctionLiteralID), ScriptId: at(layout.ScriptID),
		MapType: at(layout.MapInstanceType), MapBitField3: at(layout.MapBitField3), MapDescriptors: at(layout.MapDescriptors),
		ReceiverHash: at(layout.JSReceiverPropertiesOrHash), PropertyArrayData: at(layout.PropertyArrayData),
		HashShift: 2, JsmapTable: at(layout.JSMapTable), TableData: at(layout.FixedArrayData),
		DictionaryPrefix: at(layout.NameDictionaryPrefix), NameHash: at(layout.NameHash),
		SymbolFlags: at(layout.SymbolFlags), SymbolDescription: at(layout.SymbolDescription),
		SymbolRegistered: 1 << at(layout.SymbolRegisteredBit), SymbolPrivate: 1 << at(layout.SymbolPrivateBit),
		ObjectElements: at(layout.JSObjectElements), ArrayLength: at(layout.JSArrayLength),
		OddballKind: at(layout.OddballKind), OddballTrue: at(layout.OddballTrue), OddballFalse: at(layout.OddballFalse),
		OddballHole: uint16(l.At(layout.OddballHole)), StringLength: at(layout.StringLength), StringChars: at(layout.SeqStringChars),
		SlicedParent: at(layout.SlicedStringParent), SlicedOffset: at(layout.SlicedStringOffset),
		ConsFirst: at(layout.ConsStringFirst), ConsSecond: at(layout.ConsStringSecond),
		ThinActual: at(layout.ThinStringActual), ExternalData: at(layout.ExternalStringData), StringMask: at(layout.StringRepresentationMask),
		OneByteBit: at(layout.StringOneByteBit), TagSeq: at(layout.SeqStringTag), TagCons: at(layout.ConsStringTag),
		TagSliced: at(layout.SlicedStringTag), TagThin: at(layout.ThinStringTag), TagExternal: at(layout.ExternalStringTag),
		UncachedBit:    at(layout.StringUncachedExternalBit),
		FirstNonString: at(layout.FirstNonStringType), HeapNumberValue: at(layout.HeapNumberValue),
		TypeDebugInfo: at(layout.TypeDebugInfo), DebugInfoScript: at(layout.DebugInfoScript),
		TypeScript: at(layout.TypeScript), TypeMap: at(layout.TypeJSMap), TypeHeapNumber: at(layout.TypeHeapNumber),
		TypePropertyArray: at(layout.TypePropertyArray), TypeSymbol: at(layout.TypeSymbol),
		TypeOddball: at(layout.TypeOddball), TypeArray: at(layout.TypeJSArray), TypeFixedArray: at(layout.TypeFixedArray),
		WasmMarker:      at(layout.WasmFrameMarker),
		DictionaryBit:   1 << max(l.At(layout.BitField3DictionaryMapBit), 0),
		DescriptorsMask: 0x3ff << max(l.At(layout.BitField3OwnDescriptorsBit), 0),
		InternalField:   at(layout.JSObjectInternalField), FirstJsObject: at(layout.FirstJSObjectType),
		DescriptorsHeader: at(layout.DescriptorsHeader),
		InstanceSize:      at8(layout.MapInstanceSizeInWords), ObjectStart: at8(layout.MapInObjectStartInWords),
		OwnBit: at8(layout.BitField3OwnDescriptorsBit), LocationBit: at8(layout.DetailsLocationBit),
		FieldShift: at8(layout.DetailsFieldIndexShift), RegexpArgument: uint16(max(l.At(layout.RegExpArgument)-16, 0) / 8),
	}
	if l.Has(layout.IsolateHeap) && l.Has(layout.HeapGCState) {
		v.GcState = at32(layout.IsolateHeap) + at32(layout.HeapGCState)
	}
	return v
}
