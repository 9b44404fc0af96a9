package optimized

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/heap/heaptest"
	"github.com/hotspan/hotspan/v8/layout"
)

// exitImage is deoptImage with three exits of four bytes behind offset 32 of the code: of its deoptimisation points, in
// order. (Those of printedEntries are so, too: its trampoline of point p is at 0x319 + 4p.)
func exitImage(t *testing.T) (*deoptimised, *Tables, *layout.Layout) {
	m, l := deoptImage(t), deoptLayout()
	l.Values[layout.DeoptExitSize] = layout.Value{N: 4, State: layout.Known}
	m.Set(m.data, 2+l.At(layout.DeoptSFI), m.own)
	m.Set(m.data, 2+l.At(layout.DeoptInlining), m.Put(0, smi(16), (10+1)<<1, 0))
	m.code = m.codeOf(t, m.data, m.Put(0, smi(2), 0x0304), m.code.Start, m.code.End)
	return m, &Tables{Function: m.own, deoptExits: 32}, l
}

func TestLeft(t *testing.T) {
	m, o, l := exitImage(t)
	first := []Frame{{m.inlined, 300}, {m.own, 14}}
	second := []Frame{{m.inlined, 7}, {m.own, 14}}
	third := []Frame{{m.inlined, 2}, {m.builtin, -1}, {m.own, 14}}
	for offset, want := range map[int][]Frame{
		-1: nil, 0: nil, 32: nil, // what returns there was called by the code proper
		33: first, 35: first, 36: second, 37: second, 40: third, 43: third, 44: nil, 1 << 40: nil,
	} {
		got, err := o.FramesAtExit(heap.NewReader(m, l), m.code, offset)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("%d: %v: %s", offset, err, diff)
		}
	}
	if got, err := (&Tables{Function: m.own}).FramesAtExit(heap.NewReader(m, l), m.code, 36); err == nil {
		t.Errorf("code whose exits are not known: %v", got)
	}
	l.Values[layout.DeoptExitSize] = layout.Value{State: layout.Absent}
	if got, err := o.FramesAtExit(heap.NewReader(m, l), m.code, 36); err == nil {
		t.Errorf("a V8 whose exits are not known: %v", got)
	}
}

// TestFramesAtCall: TurboFan's table has a shorter header than Maglev's, and the bits of slots behind the entries. The
// one of code without deoptimisation has no frames.
func TestFramesAtCall(t *testing.T) {
	m, o, l := exitImage(t)
	testFramesAtCall(t, m, o, l)
	table := int(m.code.End - heaptest.Base)
	copy(m.B[table:], unhex(t, "00000000 04000000 91040000 100137 20033b 280000 30023f ffffffff"))
	m.code.Kind = l.At(layout.KindTurboFan)
	testFramesAtCall(t, m, o, l)
	l.Values[layout.SafepointHeader] = layout.Value{State: layout.Absent}
	if got, err := o.FramesAtCall(heap.NewReader(m, l), m.code, 16); err == nil {
		t.Errorf("a V8 whose tables are not known: %v", got)
	}
}

// TestRead: all is read together, with the inlined call, whose function is the first literal.
func TestRead(t *testing.T) {
	m, _, l := exitImage(t)
	o, err := Read(heap.NewReader(m, l), m.code)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]heap.Word{m.own, m.inlined}, o.Functions()); diff != "" || len(o.Positions) != 1 ||
		len(o.sites) != 6 {
		t.Errorf("%s%+v", diff, o)
	}
}

func testFramesAtCall(t *testing.T, m *deoptimised, o *Tables, l *layout.Layout) {
	first := []Frame{{m.inlined, 300}, {m.own, 14}}
	second := []Frame{{m.inlined, 7}, {m.own, 14}}
	third := []Frame{{m.inlined, 2}, {m.builtin, -1}, {m.own, 14}}
	for offset, want := range map[int][]Frame{
		-1: nil, 0: nil, 15: nil, 17: nil, 16: first, 32: third, 40: nil, 48: second, 49: nil, 1 << 40: nil,
	} {
		got, err := o.FramesAtCall(heap.NewReader(m, l), m.code, offset)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("kind %d, %d: %v: %s", m.code.Kind, offset, err, diff)
		}
	}
}

// TestWithoutDeopts: code that cannot be deoptimised has positions only.
func TestWithoutDeopts(t *testing.T) {
	m, _, l := exitImage(t)
	code := m.codeOf(t, m.Put(0, smi(0)), m.Put(0, smi(2), 0x0304), m.code.Start, m.code.End)
	o, err := Read(heap.NewReader(m, l), code)
	if err != nil || o.Function != 0 || len(o.Positions) != 1 {
		t.Errorf("%+v, %v", o, err)
	}
}

// FuzzLeft reads memory that is changed anywhere.
func FuzzLeft(f *testing.F) {
	f.Add(uint16(0), uint64(0), 36)
	f.Fuzz(func(t *testing.T, at uint16, word uint64, offset int) {
		m, o, l := exitImage(t)
		i := int(at) % (len(m.B) - 8)
		binary.LittleEndian.PutUint64(m.B[i:], binary.LittleEndian.Uint64(m.B[i:])^word)
		if o, err := Read(heap.NewReader(m, l), m.code); err == nil {
			o.Calls(offset)
			o.Functions()
		}
		for _, read := range []func(*heap.Reader, *heap.Code, int) ([]Frame, error){o.FramesAtExit, o.FramesAtCall} {
			if w, err := read(heap.NewReader(m, l), m.code, offset); err == nil && w[len(w)-1].Function != m.own {
				t.Errorf("offset %d: %v does not end in the code's own function", offset, w)
			}
		}
	})
}
