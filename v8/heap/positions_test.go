package heap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Encoded by hand from src/codegen/source-position-table.cc: the first number of an entry is the code delta, from -1
// on, with one or two flag bits below it; the second is the zigzag delta of (inlining id + 1) << 31 | (offset + 1) <<
// 1.
var (
	signedTable = []byte{
		0x02, 0x2c, // +1 statement; 0 -> 22
		0x0b, 0x3c, // +5 expression; 22 -> 52
		0x82, 0x01, 0x33, // +65 statement; 52 -> 26
		0x03, 0xdc, 0xff, 0xff, 0xff, 0x0f, // +1 expression; 26 -> 1<<31 + 8
		0x82, 0x02, 0x93, 0xff, 0xff, 0xff, 0x0f, // +129 statement; 1<<31 + 8 -> 62
	}
	unsignedTable = []byte{
		0x07, 0x2c, // +1 breakable statement
		0x14, 0x3c, // +5
		0x85, 0x02, 0x33, // +65 statement
		0x04, 0xdc, 0xff, 0xff, 0xff, 0x0f, // +1
		0x87, 0x04, 0x93, 0xff, 0xff, 0xff, 0x0f, // +129 breakable statement
	}
	tablePositions = Positions{{0, 10, -1}, {5, 25, -1}, {70, 12, -1}, {71, 3, 0}, {200, 30, -1}}
)

func TestDecodePositions(t *testing.T) {
	tests := []struct {
		name     string
		table    []byte
		unsigned bool
		want     Positions
		err      string
	}{
		{"signed", signedTable, false, tablePositions, ""},
		{"unsigned", unsignedTable, true, tablePositions, ""},
		{"empty", nil, false, nil, ""},
		{"at the function's entry", []byte{0x01, 0x2c}, false, Positions{{-1, 10, -1}}, ""},
		{"at the function's entry, unsigned", []byte{0x00, 0x2c}, true, Positions{{-1, 10, -1}}, ""},
		{"no source position", []byte{0x02, 0x00}, false, Positions{{0, -1, -1}}, ""},
		// 0xffff << 31 | 0x3fffffff << 1 = 140737488355326, zigzag 281474976710652
		{"the largest fields", []byte{0x02, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f}, false,
			Positions{{0, 0x3ffffffe, 0xfffe}}, ""},
		{"no second number", []byte{0x02, 0x2c, 0x04}, false, Positions{{0, 10, -1}}, "entry 1 is cut off"},
		{"first number cut", []byte{0x82}, false, nil, "entry 0 is cut off"},
		{"second number cut", []byte{0x02, 0x80}, false, nil, "entry 0 is cut off"},
		{"number of eleven bytes", []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x00}, true,
			nil, "entry 0 is cut off"},
		{"code offset 1<<31", []byte{0x82, 0x80, 0x80, 0x80, 0x10, 0x00}, false, nil, "code offset 2147483648"},
		{"last code offset", []byte{0x80, 0x80, 0x80, 0x80, 0x10, 0x00}, false, Positions{{1<<31 - 1, -1, -1}}, ""},
		{"code offset overflows", []byte{0x06, 0x00, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00},
			false, Positions{{2, -1, -1}}, "code offset -"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			got, err := decodePositions(c.table, c.unsigned)
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPositionsAt(t *testing.T) {
	for _, c := range []struct {
		code int
		want int32
		ok   bool
	}{{-1, 0, false}, {0, 10, true}, {4, 10, true}, {5, 25, true}, {69, 25, true}, {70, 12, true}, {71, 3, true},
		{199, 3, true}, {200, 30, true}, {1 << 40, 30, true}} {
		p, ok := tablePositions.At(c.code)
		if p.Source != c.want || ok != c.ok {
			t.Errorf("At(%d) = %d, %v, want %d, %v", c.code, p.Source, ok, c.want, c.ok)
		}
	}
	if _, ok := Positions(nil).At(3); ok {
		t.Error("an empty table has an entry")
	}
}

func TestVarint(t *testing.T) {
	for _, c := range []struct {
		b    string
		want uint64
		left int
		ok   bool
	}{
		{"", 0, 0, false},
		{"\x00", 0, 0, true},
		{"\x7fx", 127, 1, true},
		{"\x80\x01xy", 128, 2, true},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 1<<64 - 1, 0, true},
		{"\x80\x80", 0, 2, false},
		{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 0, 11, false},
	} {
		v := varint{[]byte(c.b)}
		if got, ok := v.next(); got != c.want || ok != c.ok || len(v.b) != c.left {
			t.Errorf("%x: %d, %v with %d bytes left, want %d, %v with %d", c.b, got, ok, len(v.b), c.want, c.ok, c.left)
		}
	}
}

func TestZigzag(t *testing.T) {
	for in, want := range map[uint64]int64{0: 0, 1: -1, 2: 1, 3: -2, 4: 2, 1<<64 - 2: 1<<63 - 1, 1<<64 - 1: -1 << 63} {
		if got := zigzag(in); got != want {
			t.Errorf("zigzag(%d) = %d, want %d", in, got, want)
		}
	}
}

func TestBytecodeOffset(t *testing.T) {
	b := &Bytecode{header: 63, length: 10} // V8NOTES: the first bytecode is 64 bytes behind the untagged array
	for _, c := range []struct {
		smi, want int
		ok        bool
	}{{63, 0, true}, {72, 9, true}, {73, 10, false}, {62, -1, true}, {61, -2, false}} {
		if got, ok := b.Offset(c.smi); got != c.want || ok != c.ok {
			t.Errorf("Offset(%d) = %d, %v, want %d, %v", c.smi, got, ok, c.want, c.ok)
		}
	}
}

// The table says: 16 bytes of prologue, then 10, 3, 200 and 7 bytes of machine code for the bytecodes at 0, 2, 7 and 8.
func TestBaselineOffset(t *testing.T) {
	r := NewReader(&image{}, testLayout())
	b := &Baseline{
		bytes: []byte{5, 9 /* 2 bytes */, 0, 6, 1, 1, 1 /* wide: 1+5 bytes */, 1, 4 /* 1 byte */, 5, 0},
		table: []byte{16, 10, 3, 0xc8, 0x01, 7},
	}
	// Bytecodes: 5 at 0 (2 bytes); Wide 6 at 2 (prefix and 5 bytes); 4 at 8; 5 at 9.
	for _, c := range []struct{ pc, want int }{{1, -1}, {16, -1}, {17, 0}, {26, 0}, {27, 2}, {29, 2}, {30, 8}, {229, 8},
		{230, 9}, {236, 9}} {
		got, err := r.Offset(b, c.pc)
		if err != nil || got != c.want {
			t.Errorf("Offset(%d) = %d, %v, want %d", c.pc, got, err, c.want)
		}
	}
	for _, pc := range []int{237, 1 << 40, -1} {
		if got, err := r.Offset(b, pc); err == nil {
			t.Errorf("Offset(%d) = %d, want an error", pc, got)
		}
	}
	for prefix, want := range map[byte]int{0: 6, 1: 10, 2: 6, 3: 10} { // wide, extra-wide, and those of the debugger
		code := append([]byte{prefix, 6}, make([]byte, 20)...)
		if got, err := r.Offset(&Baseline{bytes: code, table: []byte{1, 1, 1}}, 3); err != nil || got != want {
			t.Errorf("prefix %d: the second bytecode is at %d, %v, want %d", prefix, got, err, want)
		}
	}
	for _, code := range [][]byte{{200}, {0}, {1, 200}} { // no such opcode; a prefix and nothing
		if _, err := r.Offset(&Baseline{bytes: code, table: []byte{1, 1}}, 2); err == nil {
			t.Errorf("bytecodes %v: no error", code)
		}
	}
}
