package unwind

import (
	"io"
	"math"
	"sort"

	"github.com/hotspan/hotspan/agent/internal/blocks"
)

// Table holds the rules of one ELF file. It does not change after Build: any number of goroutines may read it.
type Table struct {
	Base        uint64 // the lowest ELF virtual address that has a rule
	Rows        []Row  // by rising PC; the first has PC 0, the last is CFANone
	Unsupported int    // rules of the file which a Row cannot express; they became CFANone
	end         uint32 // offset of the last row
	encodedKept []byte
	stored      *io.SectionReader // of n rows; nil: they are in Rows
	n           int
	kept        [numKept]*blocks.Table // by register: see Kept
}

// Lookup returns the row in force at an ELF virtual address. For a return address, look up the byte before it, as the
// call may be the last instruction of its function. A frame that a CFASignal row led to is at the instruction itself.
// It is false if there is no rule for the address.
func (t *Table) Lookup(vaddr uint64) (Row, bool) {
	pc := vaddr - t.Base
	if len(t.Rows) == 0 || vaddr < t.Base || pc > uint64(^uint32(0)) {
		return Row{CFA: CFANone}, false
	}
	i := sort.Search(len(t.Rows), func(i int) bool { return uint64(t.Rows[i].PC) > pc })
	row := t.Rows[i-1]
	return row, row.CFA != CFANone
}

// Kept returns where the function at an ELF virtual address keeps its caller's value of a register while it is at that
// address. The register is a DWARF number. For a return address, ask for the byte before it.
func (t *Table) Kept(register uint8, vaddr uint64) int16 {
	i, pc := keptIndex(uint64(register)), vaddr-t.Base
	if i < 0 || vaddr < t.Base || pc > math.MaxUint32 {
		return KeptLost
	}
	if t.kept[i] == nil {
		return KeptLost
	}
	return keptAt(t.kept[i], uint32(pc))
}
