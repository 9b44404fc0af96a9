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
