package sampler

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/unwind"
)

// A few rows far from each other are refused before anything is allocated for them.
func TestSparseTables(t *testing.T) {
	none := &Sampler{} // without BPF maps
	far := &unwind.Table{Rows: []unwind.Row{{CFA: unwind.RSP, Off: 1}, {PC: math.MaxUint32, CFA: unwind.CFANone}}}
	if _, _, err := none.AddTable(far); err == nil || !strings.Contains(err.Error(), "2 rows for 4095 MiB of code") {
		t.Errorf("error %v", err)
	}
	for _, rows := range [][]unwind.Row{
		nil,
		{{}, {PC: 16 << 20, CFA: unwind.CFANone}}, // a small library
		append(make([]unwind.Row, 10000), unwind.Row{PC: 40 << 20, CFA: unwind.CFANone}),
	} {
		if err := checkSpan(&unwind.Table{Rows: rows}); err != nil {
			t.Error(err)
		}
	}
}

// A file that has code up to the last address that a row can have gets bits for whole granules alone.
func TestGranulesAtTheEnd(t *testing.T) {
	const granule, page = 1 << bpf.GranuleBits, 1 << bpf.PageBits
	const last = math.MaxUint32 >> bpf.PageBits
	const all = 1<<(page/granule) - 1
	for _, c := range []struct {
		name       string
		start, end uint32
		want       uint32 // of the last page
	}{
		{"the last page", math.MaxUint32 - page + 1, math.MaxUint32, all >> 1},
		{"less than a granule", math.MaxUint32 - granule + 2, math.MaxUint32, 0},
		{"nothing", math.MaxUint32, math.MaxUint32, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := []unwind.Row{
				{PC: 0, CFA: unwind.CFANone},
				{PC: c.start, CFA: unwind.RBP, Off: 2, RBP: bpf.RBPNext},
				{PC: c.end, CFA: unwind.CFANone},
			}
			if c.start == c.end {
				rows = rows[:2]
			}
			table := &unwind.Table{Rows: rows}
			b := make([]byte, elementSize*tableElements(last+1, table))
			if err := writeTable(b, last+1, table); err != nil {
				t.Fatal(err)
			}
			for at, want := range map[int]uint32{0: 0, last - 1: 0, last: c.want} {
				if got := binary.LittleEndian.Uint32(b[elementSize*at+4:]); got != want {
					t.Errorf("granules of page %d: %#x, want %#x", at, got, want)
				}
			}
		})
	}
}
