package functions

import (
	"encoding/binary"
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/target"
)

// Where a function is, and two places for its name.
const (
	functionClass, nameClass = 0x1200, 0x1300
	functionType             = 102
	sharedFunction           = 0x9000
	namePlace, otherPlace    = 0xa000, 0xb000
)

var functionFields = map[layout.Field]int64{
	layout.TypeSharedFunctionInfo: functionType, layout.SFIFunctionLiteralID: 8, layout.SFIScript: 16,
	layout.SFINameOrScopeInfo: 24, layout.FirstNonStringType: 0x80, layout.StringOneByteBit: 8,
	layout.StringRepresentationMask: 7, layout.SeqStringTag: 0, layout.StringLength: 8, layout.SeqStringChars: 12,
}

// moving is memory in which a mark-compact moves the name of a function before a read, and puts another where it was.
type moving struct {
	*codeSpace
	before int
}

func (m *moving) ReadAt(p []byte, off int64) (int, error) {
	if m.before--; m.before == 0 {
		m.word(sharedFunction+24, otherPlace|1)
		m.name(otherPlace, "mine")
		m.name(namePlace, "gone")
		m.word(isolatePlace+countAt, 8)
	}
	return m.codeSpace.ReadAt(p, off)
}

func (m *moving) ReadParts(parts []target.Part) (int, error) {
	for i, p := range parts {
		if _, err := m.ReadAt(p.To, int64(p.At)); err != nil {
			return i, err
		}
	}
	return len(parts), nil
}

func (m *moving) name(at uint64, text string) {
	m.word(at, nameClass|1)
	m.word(at+8, uint64(len(text)))
	copy(m.bytes[at+12:], text)
}

// TestFunctionMoves: a name is the function's, whenever a mark-compact moves it, also to a page that was read before.
func TestFunctionMoves(t *testing.T) {
	t.Run("counted", func(t *testing.T) { testFunctionMoves(t, 8) })
	t.Run("not counted", func(t *testing.T) { testFunctionMoves(t, 0) })
}

func testFunctionMoves(t *testing.T, compacts uint64) {
	read, again := 0, 0
	for before := 1; before < 30; before++ {
		space, v := newCodeSpace()
		l := v.r.Layout()
		for f, n := range functionFields {
			l.Values[f] = layout.Value{State: layout.Known, N: n}
		}
		m := &moving{codeSpace: space}
		binary.LittleEndian.PutUint16(m.bytes[functionClass+typeAt:], functionType)
		binary.LittleEndian.PutUint16(m.bytes[nameClass+typeAt:], 8)
		m.word(sharedFunction, functionClass|1)
		m.word(sharedFunction+8, 7)
		m.word(sharedFunction+24, namePlace|1)
		m.name(namePlace, "mine")
		m.name(otherPlace, "none")
		m.word(isolatePlace+countAt, 7)
		v = NewResolver(heap.NewReader(target.NewPages(m), l), m)
		v.Begin(Moment{Isolate: isolatePlace, Thread: 1, MarkCompacts: compacts})
		v.r.WordAt(otherPlace)
		m.before = before
		fn := v.function(heap.Identity{Script: -1, Literal: 7}, sharedFunction|1)
		if fn == nil {
			continue
		}
		if read++; fn.name != "mine" {
			t.Errorf("moved before read %d: %q", before, fn.name)
		}
		if m.before <= 0 {
			again++
		}
	}
	if read == 0 || again == 0 {
		t.Errorf("%d functions were read, %d of them while their names moved", read, again)
	}
}
