package sampler

import (
	"math"
	"strings"
	"testing"

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
