package optimized

import (
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/heap/heaptest"
	"github.com/hotspan/hotspan/v8/layout"
)

// testLayout is that of V8 13.6, by its sources; what a test builds of it is built by hand too.
func testLayout() *layout.Layout {
	l := &layout.Layout{V8: layout.Version{Major: 13, Minor: 6}}
	for f, n := range map[layout.Field]int64{
		layout.MapInstanceType: 12, layout.FixedArrayLength: 8, layout.FixedArrayData: 16, layout.JSFunctionShared: 32,
		layout.CodeDeoptData: 8, layout.CodePositions: 16, layout.CodeInstructionStart: 40,
		layout.CodeInstructionSize: 56, layout.CodeFlags: 52, layout.CodeFlagsKindMask: 15,
		layout.InstructionStreamBody: 32, layout.InstructionStreamCode: 8, layout.KindMaglev: 11,
		layout.KindTurboFan: 12, layout.DeoptLiterals: 3, layout.DeoptInlining: 8, layout.DeoptSFI: 7,
		layout.SFIWrapperShared: 8, layout.PositionsUnsigned: 0, layout.TypeSharedFunctionInfo: 0x11a,
		layout.TypeCode: 187,
	} {
		l.Values[f] = layout.Value{N: n, State: layout.Known}
	}
	return l
}

// image is memory with the objects of V8 that tests need.
type image struct {
	heaptest.Image[heap.Word]
	object heap.Word // the last Code object
}

// class adds a hidden class of an instance type, in the upper half of whose second word it stands.
func (m *image) class(instanceType int) heap.Word { return m.Put(0, smi(instanceType)) }

// codeOf adds a Code object of Maglev's, and reads it.
func (m *image) codeOf(t *testing.T, data, positions heap.Word, start, end uint64) *heap.Code {
	t.Helper()
	m.object = m.Put(m.class(187), data, positions, 0, 0, heap.Word(start), 11<<32, heap.Word(end-start), 0)
	c, err := heap.NewReader(m, testLayout()).Code(m.object)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func smi(n int) heap.Word { return heap.Word(uint32(n)) << 32 }
