package walk

import (
	"io"
	"slices"
	"sort"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/v8/stack"
)

// plainCode is Code under a name that leaves its method of the same name reachable.
type plainCode = Code

// usedCode notes which rules a walk asks for.
type usedCode struct {
	*plainCode
	used map[uint32][]uint32 // addresses that rules were asked for, from Base, by table
}

func newUsedCode(mappings []bpf.Mapping, tables map[uint32]*unwind.Table) *usedCode {
	return &usedCode{&Code{Mappings: mappings, Tables: tables}, map[uint32][]uint32{}}
}

func (c *usedCode) Step(at uint64, from stack.Position, mem io.ReaderAt) (stack.Position, error) {
	if m := c.find(at); m != nil && c.Tables[m.Table] != nil && at >= m.Base {
		c.used[m.Table] = append(c.used[m.Table], uint32(at-m.Base))
	}
	return c.plainCode.Step(at, from, mem)
}

// pruned is the code with only those rules that were asked for: few enough to keep.
func (c *usedCode) pruned() *Code {
	out := &Code{Mappings: slices.Clone(c.Mappings), Tables: map[uint32]*unwind.Table{}}
	for slot, pcs := range c.used {
		slices.Sort(pcs)
		shift := pcs[0] &^ 0xffff // a multiple of the program's pages
		out.Tables[slot] = &unwind.Table{Base: c.Tables[slot].Base + uint64(shift),
			Rows: rowsAt(c.Tables[slot].Rows, pcs, shift)}
		for i := range out.Mappings {
			if m := &out.Mappings[i]; m.Table == slot {
				m.Base += uint64(shift)
			}
		}
	}
	for i := range out.Mappings {
		if m := &out.Mappings[i]; out.Tables[m.Table] == nil {
			m.Table, m.Base = 0, 0
		}
	}
	return out
}

// rowsAt are the rows in force at some addresses, and none between them. Addresses count from shift on.
func rowsAt(rows []unwind.Row, pcs []uint32, shift uint32) (out []unwind.Row) {
	put := func(r unwind.Row, pc uint32) {
		if n := len(out); n > 0 && out[n-1].PC == pc {
			out = out[:n-1]
		}
		r.PC = pc
		out = append(out, r)
	}
	put(unwind.Row{CFA: unwind.CFANone}, 0)
	last := -1
	for _, pc := range pcs {
		i := sort.Search(len(rows), func(i int) bool { return rows[i].PC > pc }) - 1
		if i == last || i+1 >= len(rows) {
			continue
		}
		last = i
		put(rows[i], max(rows[i].PC, shift)-shift)
		put(unwind.Row{CFA: unwind.CFANone}, rows[i+1].PC-shift)
	}
	return out
}
