package sampler

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
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

// TestForgetUnloaded: what was learned of code that a process has mapped is known as long as it is there, whatever is
// mapped besides, and not of code that comes in its place.
func TestForgetUnloaded(t *testing.T) {
	s := opened(t)
	const pid, id, stays, unmapped, replaced = 1 << 30, 7, 0x1100, 0x2100, 0x3100
	p := &bpf.Process{Id: id}
	publish := func(mappings ...bpf.Mapping) {
		t.Helper()
		p.N_mappings = uint32(copy(p.Mappings[:], mappings))
		if err := s.SetProcess(pid, p); err != nil {
			t.Fatal(err)
		}
	}
	addresses := []uint64{stays, unmapped, replaced}
	known := func() (all []uint64) {
		for _, pc := range addresses {
			var place int32
			if s.objects.KeptPlaces.Lookup(bpf.KeptKey{Process: id, Pc: pc}, &place) == nil {
				all = append(all, pc)
			}
		}
		return all
	}
	program, one, other := bpf.Mapping{Start: 0x1000, End: 0x2000}, bpf.Mapping{Start: 0x2000, End: 0x3000, Base: 5},
		bpf.Mapping{Start: 0x3000, End: 0x4000, Base: 6}
	publish(program, one, other)
	for _, pc := range addresses {
		if err := s.SetKept(id, pc, 1); err != nil {
			t.Fatal(err)
		}
	}
	program.End = 0x1800
	if publish(program, one, other); !slices.Equal(known(), addresses) {
		t.Errorf("%x are known, want %x", known(), addresses)
	}
	other.Base = 9
	if publish(program, other); !slices.Equal(known(), []uint64{stays}) {
		t.Errorf("%x are known, want %x", known(), stays)
	}
	if n := s.learned.keptPlaces.len(); n != 1 {
		t.Errorf("%d entries are kept, want 1", n)
	}
}
