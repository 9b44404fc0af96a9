package sampler

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/unwind"
)

// lookup does what find_rule of unwind.h does.
func lookup(elements []uint64, pages, pc uint32) (unwind.Row, bool) {
	page := pc >> bpf.PageBits
	if page >= pages {
		return unwind.Row{}, false
	}
	first, end := elements[page], uint32(elements[page+1])
	if first>>(32+pc>>bpf.GranuleBits&15)&1 == 1 {
		return unwind.Row{CFA: unwind.RBP, Off: 2, RBP: -2}, true
	}
	low, high := pages+1+max(uint32(first), 1)-1, pages+1+end
	for low < high {
		if middle := (low + high) / 2; uint32(elements[middle]) <= pc {
			low = middle + 1
		} else {
			high = middle
		}
	}
	e := elements[low-1]
	return unwind.Row{PC: uint32(e), CFA: uint8(e >> 32), RBP: int8(e >> 40), Off: int16(e >> 48)}, low > pages+1
}

// TestIndex: at each address the index leads to the rule that a plain search of the rows finds.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := []unwind.Row{
		{CFA: unwind.RBP, Off: 2, RBP: -2}, {CFA: unwind.RSP, Off: 1}, {CFA: unwind.RBP, Off: 2}, {CFA: unwind.CFANone},
	}
	for range 20 {
		var rows []unwind.Row
		for pc := uint32(0); pc < 5000; pc += 1 + uint32(r.IntN(80))*uint32(r.IntN(9)) {
			row := kinds[r.IntN(len(kinds))]
			row.PC = pc
			rows = append(rows, row)
		}
		table := &unwind.Table{Rows: rows}
		pages := table.End()>>bpf.PageBits + 1
		b := make([]byte, elementSize*(int(pages)+1+len(rows)))
		if err := writeTable(b, pages, table); err != nil {
			t.Fatal(err)
		}
		elements := make([]uint64, len(b)/elementSize)
		for i := range elements {
			elements[i] = binary.LittleEndian.Uint64(b[elementSize*i:])
		}
		for pc := range rows[len(rows)-1].PC {
			want, _ := table.Lookup(uint64(pc))
			got, ok := lookup(elements, pages, pc)
			got.PC, want.PC = 0, 0
			if !ok || got != want {
				t.Fatalf("pc %d: %+v %v, want %+v", pc, got, ok, want)
			}
		}
	}
}

// TestKeptOfFiles: what is known of a file's code is gone with its rules, and does not become that of the next file in
// their slot.
func TestKeptOfFiles(t *testing.T) {
	s := opened(t)
	const register, base = 3, 0x1000
	rules := &unwind.Table{Base: base, Rows: []unwind.Row{{CFA: unwind.RSP, Off: 1}, {PC: 0x100, CFA: unwind.CFANone}}}
	for _, set := range []func(slot uint32, vaddr uint64) error{
		func(slot uint32, vaddr uint64) error { return s.SetKept(slot, rules, register, vaddr) },
		func(slot uint32, vaddr uint64) error {
			return s.SetFirstKept(slot, rules, register, []uint64{vaddr, base})
		},
	} {
		s.tables.last = 6 // the next one is given
		slot, _, err := s.AddTable(rules)
		if err != nil || slot != 7 {
			t.Fatalf("slot %d, %v", slot, err)
		}
		knows := func(at uint32) bool {
			var place int32
			return s.objects.KeptPlaces.Lookup(bpf.KeptKey{Table: uint16(slot), Reg: register, At: at}, &place) == nil
		}
		if s.KnowsKept(slot) || knows(0x10) {
			t.Fatal("places are known of a new file")
		}
		if err := set(slot, base+0x10); err != nil {
			t.Fatal(err)
		}
		if !s.KnowsKept(slot) || !knows(0x10) || knows(0x11) {
			t.Error("what was set is not what is known")
		}
		if err := s.RemoveTable(slot); err != nil {
			t.Error(err)
		}
	}
}
