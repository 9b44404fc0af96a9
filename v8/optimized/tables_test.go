package optimized

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/heap/heaptest"
)

func TestHostileData(t *testing.T) {
	m := &image{}
	sfi := m.Put(m.class(0x11a), 0, 0, 0, 0, 0, 0, 0)
	wrapper := m.Put(m.class(0x120), sfi)
	bytes := func(n int, data ...heap.Word) heap.Word {
		return m.Put(append([]heap.Word{0, smi(n)}, data...)...)
	}
	data := func(sfi, inlining, literals heap.Word) heap.Word {
		return m.Put(0, smi(9), 0, 0, 0, literals, 0, 0, 0, sfi, inlining)
	}
	table := bytes(2, 0x2c02)
	// position word 22 of an inlining: script offset 10, in the function itself
	one := bytes(16, (10+1)<<1, 1)
	for _, c := range []struct {
		name            string
		data, positions heap.Word
		err             string
	}{
		{"none inlined", data(wrapper, bytes(0), bytes(0)), table, ""},
		{"one inlined", data(sfi, one, bytes(2, smi(0), sfi+2)), table, ""}, // the literal is a weak pointer
		{"no such literal", data(sfi, one, bytes(1, smi(0))), table, "no element 1 of 1"},
		{"inlined into itself", data(sfi, bytes(16, 22, 0xffffffff), bytes(0)), table, ""}, // -1 is no literal
		{"a negative literal", data(sfi, bytes(16, 22, 0xfffffffe), bytes(1, sfi)), table, "no element -2"},
		{"too many inlined", data(sfi, bytes(16*maxInlined+16), bytes(0)), table, "byte array"},
		{"a length that is negative", data(sfi, bytes(-1), bytes(0)), table, "byte array"},
		{"data that is short", m.Put(0, smi(7), 0, 0, 0), table, "no element 7 of 7"},
		{"no data", smi(0), table, "length"},
		{"positions too long", data(sfi, bytes(0), bytes(0)), bytes(1<<20 + 1), "byte array"},
		{"positions that are undefined", data(sfi, bytes(0), bytes(0)), m.Put(0, 99), "byte array"},
		{"positions cut off", data(sfi, bytes(0), bytes(0)), bytes(1, 0x80), "cut off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code := m.codeOf(t, c.data, c.positions, heaptest.Base, heaptest.Base+64)
			o, err := Read(heap.NewReader(m, testLayout()), code)
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("%+v, %v, want %q", o, err, c.err)
			}
			if err == nil && (o.Function != sfi || len(o.Positions) != 1 || len(o.Calls(0)) != 1) {
				t.Errorf("%+v", o)
			}
			if (c.name == "one inlined" || c.name == "inlined into itself") &&
				!cmp.Equal(o.Functions(), []heap.Word{sfi, sfi}) {
				t.Errorf("functions %v", o.Functions())
			}
		})
	}
}

func position(code, source, inlining int32) heap.Position {
	return heap.Position{Code: code, Source: source, Inlining: inlining}
}

// TestCallsOfGenerator: in Maglev's code of a generator the place where it goes on is at 0, since V8 14.
func TestCallsOfGenerator(t *testing.T) {
	for _, c := range []struct{ start, want int32 }{{75, 75}, {0, 0}} {
		o := &Tables{Positions: heap.Positions{position(20, c.start, -1), position(45, 0, -1),
			position(129, 101, -1)}}
		for offset, want := range map[int]int32{20: c.start, 45: c.want, 128: c.want, 129: 101} {
			if got := o.Calls(offset)[0].Source; got != int(want) {
				t.Errorf("of a function at %d, offset %d: %d", c.start, offset, got)
			}
		}
	}
}

func TestCallsOfInlinedFunctions(t *testing.T) {
	// own calls a (inlined) at 30, which calls b (inlined) at 8.
	o := &Tables{
		Function: 0x1001,
		Positions: heap.Positions{position(0, 10, -1), position(20, 5, 0), position(30, 7, 1), position(40, 9, 9),
			position(50, 1, 2)},
		inlined: []inlinedCall{{heap.Position{Source: 30, Inlining: -1}, 0xa001},
			{heap.Position{Source: 8, Inlining: 0}, 0xb001}, {heap.Position{Source: 4, Inlining: 2}, 0xc001}},
	}
	for _, c := range []struct {
		offset int
		want   []Call
	}{
		{-1, []Call{{0x1001, 10}}},
		{19, []Call{{0x1001, 10}}},
		{20, []Call{{0xa001, 5}, {0x1001, 30}}},
		{35, []Call{{0xb001, 7}, {0xa001, 8}, {0x1001, 30}}},
		{40, nil}, // no such inlined function
		{50, nil}, // one that is inlined in itself
	} {
		if diff := cmp.Diff(c.want, o.Calls(c.offset)); diff != "" {
			t.Errorf("offset %d: %s", c.offset, diff)
		}
	}
	if diff := cmp.Diff([]heap.Word{0x1001, 0xa001, 0xb001, 0xc001}, o.Functions()); diff != "" {
		t.Error(diff)
	}
}
