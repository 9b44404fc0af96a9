package agent

import (
	"github.com/hotspan/hotspan/agent/internal/bpf"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/v8/layout"
)

// configure makes what the BPF program must know of a process, but for its mappings.
func (t *target) configure(tree *reqctx.Tree, l *layout.Layout) {
	t.config = &bpf.Process{V8: programLayout(l)}
	if l.Require(contextFields...) != nil {
		t.config.V8.Cped = 0
	}
	if len(tree.Roots) > 0 {
		t.config.NamedStores = 1
	}
	for i, n := range tree.Nodes {
		node := &t.config.Nodes[i]
		node.First, node.N_edges = uint8(len(t.edges)), uint8(len(n.Edges))
		switch {
		case n.Symbols():
			node.Kind = bpf.EdgeMapEntry
		case len(n.Edges) > 0:
			node.Kind = bpf.EdgeProperty
		}
		for j := range n.Edges {
			e := &n.Edges[j]
			t.config.Edges[len(t.edges)] = bpf.Edge{Slot: uint8(max(e.Slot, 0)), To: none(e.To), Label: none(e.Label), Unless: none(e.Unless)}
			t.edges = append(t.edges, e)
		}
	}
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
	at32 := func(f layout.Field) uint32 { return uint32(max(l.At(f), 0)) }
	v := bpf.V8Layout{
		VmState: at32(layout.IsolateVMState), C_entryFp: at32(layout.IsolateCEntryFP), Cped: at32(layout.IsolateCPED),
		FunctionShared: at(layout.JSFunctionShared), SfiScript: at(layout.SFIScript),
		SfiLiteral: at(layout.SFIFunctionLiteralID), ScriptId: at(layout.ScriptID),
		MapType: at(layout.MapInstanceType), MapBitField3: at(layout.MapBitField3), MapDescriptors: at(layout.MapDescriptors),
		ReceiverHash: at(layout.JSReceiverPropertiesOrHash), PropertyArrayData: at(layout.PropertyArrayData),
		HashShift: 2, JsmapTable: at(layout.JSMapTable), TableData: at(layout.FixedArrayData),
		SymbolHash: at(layout.SymbolHash), StringLength: at(layout.StringLength), StringChars: at(layout.SeqStringChars),
		SlicedParent: at(layout.SlicedStringParent), SlicedOffset: at(layout.SlicedStringOffset),
		ConsFirst: at(layout.ConsStringFirst), ConsSecond: at(layout.ConsStringSecond),
		ThinActual: at(layout.ThinStringActual), StringMask: at(layout.StringRepresentationMask),
		OneByteBit: at(layout.StringOneByteBit), TagSeq: at(layout.SeqStringTag), TagCons: at(layout.ConsStringTag),
		TagSliced: at(layout.SlicedStringTag), TagThin: at(layout.ThinStringTag),
		FirstNonString: at(layout.FirstNonStringType), HeapNumberValue: at(layout.HeapNumberValue),
		TypeDebugInfo: at(layout.TypeDebugInfo), DebugInfoScript: at(layout.DebugInfoScript),
		TypeScript: at(layout.TypeScript), TypeMap: at(layout.TypeJSMap), TypeHeapNumber: at(layout.TypeHeapNumber),
		TypePropertyArray: at(layout.TypePropertyArray),
		DescriptorsMask:   0x3ff << max(l.At(layout.BitField3OwnDescriptorsBit), 0),
	}
	if l.Has(layout.IsolateHeap) && l.Has(layout.HeapGCState) {
		v.GcState = at32(layout.IsolateHeap) + at32(layout.HeapGCState)
	}
	return v
}
