package unwind

import (
	"debug/elf"
	"slices"
	"testing"

	"github.com/hotspan/hotspan/test/nodes/live"
)

// Pieces have the functions of the whole.
func TestPiecesOfSection(t *testing.T) {
	for _, path := range []string{live.Binary(t, "24.21.0"), live.Libc(t)} {
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		data, addr, err := ehFrame(f)
		if err != nil {
			t.Fatal(err)
		}
		want, err := parse(data, addr)
		if err != nil {
			t.Fatal(err)
		}
		p, err := functions(data, addr, func(uint64, uint64) bool { return true })
		if err != nil || len(p.functions) != len(want) {
			t.Fatalf("%s: %v, want %d functions", path, err, len(want))
		}
		for i, e := range want {
			got := p.functions[i]
			c := p.common[got.commonNumber]
			if got.begin != e.Begin() || got.begin+uint64(got.size) != e.End() ||
				!slices.Equal(data[got.start:got.end], e.Instructions) ||
				c.code != e.CIE.CodeAlignmentFactor || c.data != e.CIE.DataAlignmentFactor {
				t.Fatalf("%s: function %d is %+v, want %#x to %#x", path, i, got, e.Begin(), e.End())
			}
		}
	}
}

// A table that was stored has the rules of the one that was built.
func TestStored(t *testing.T) {
	want := buildFile(t, live.Libc(t))
	got := stored(t, want)
	rows := make([]Row, got.Len())
	if err := got.ReadRows(0, rows); err != nil || !slices.Equal(rows, want.Rows) || got.End() != want.End() {
		t.Errorf("%d rows, %v, want %d", len(rows), err, len(want.Rows))
	}
	for _, r := range want.Rows {
		for _, register := range keptRegisters {
			at := want.Base + uint64(r.PC)
			if got, want := got.Kept(uint8(register), at), want.Kept(uint8(register), at); got != want {
				t.Fatalf("register %d at %#x: %d, want %d", register, at, got, want)
			}
		}
	}
}
