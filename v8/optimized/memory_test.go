package optimized

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
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

const imageBase = 0x100000

// image is memory at imageBase and nothing else.
type image struct {
	b      []byte
	object heap.Word // the last Code object
}

func (m *image) ReadAt(p []byte, off int64) (int, error) {
	at := uint64(off) - imageBase
	if uint64(off) < imageBase || at > uint64(len(m.b)) || uint64(len(p)) > uint64(len(m.b))-at {
		return 0, fmt.Errorf("no memory at 0x%x, %d bytes", uint64(off), len(p))
	}
	return copy(p, m.b[at:]), nil
}

// put adds an object and returns its tagged address.
func (m *image) put(words ...heap.Word) heap.Word {
	w := heap.Word(imageBase + len(m.b) + 1)
	for _, x := range words {
		m.b = binary.LittleEndian.AppendUint64(m.b, uint64(x))
	}
	return w
}

// set changes a word of an object.
func (m *image) set(object heap.Word, i int, w heap.Word) {
	binary.LittleEndian.PutUint64(m.b[uint64(object)-1-imageBase+8*uint64(i):], uint64(w))
}

// class adds a hidden class of an instance type, in the upper half of whose second word it stands.
func (m *image) class(instanceType int) heap.Word { return m.put(0, smi(instanceType)) }

// codeOf adds a Code object of Maglev's, and reads it.
func (m *image) codeOf(t *testing.T, data, positions heap.Word, start, end uint64) *heap.Code {
	t.Helper()
	m.object = m.put(m.class(187), data, positions, 0, 0, heap.Word(start), 11<<32, heap.Word(end-start), 0)
	c, err := heap.NewReader(m, testLayout()).Code(m.object)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func smi(n int) heap.Word { return heap.Word(uint32(n)) << 32 }
