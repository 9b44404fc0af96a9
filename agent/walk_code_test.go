package agent

import (
	"io"
	"slices"
	"sort"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/v8/stack"
)

// processCode is the code of a process as the BPF program knows it: find_mapping and find_rule of walk.h in Go.
type processCode struct {
	mappings []bpf.Mapping            // by address
	tables   map[uint32]*unwind.Table // by number
	used     map[uint32][]uint32      // addresses that rules were asked for, from Base, by table
}

// AddTable and RemoveTable make it the binary.Rules of a Cache: the tables stay here.
func (c *processCode) AddTable(t *unwind.Table) (slot, pages uint32, err error) {
	slot = uint32(len(c.tables) + 1)
	kept := *t // the cache lets go of its rows
	c.tables[slot] = &kept
	return slot, 0, nil
}

func (c *processCode) RemoveTable(slot uint32) error { return nil }

func (c *processCode) find(pc uint64) *bpf.Mapping {
	i := sort.Search(len(c.mappings), func(i int) bool { return c.mappings[i].End > pc })
	if i == len(c.mappings) || pc < c.mappings[i].Start {
		return nil
	}
	return &c.mappings[i]
}

func (c *processCode) Code(pc uint64) stack.Code {
	switch m := c.find(pc); {
	case m == nil:
		return stack.NoCode
	case m.Kind == bpf.MappingV8:
		return stack.V8Code
	}
	return stack.NativeCode
}

func (c *processCode) Step(at uint64, from stack.Position, mem io.ReaderAt) (stack.Position, error) {
	m := c.find(at)
	table := c.tables[m.Table]
	if table == nil || at < m.Base {
		return from, stack.ErrNoRule
	}
	row, _ := table.Lookup(table.Base + at - m.Base)
	c.used[m.Table] = append(c.used[m.Table], uint32(at-m.Base))
	return unwind.Step(row, from, mem)
}

// pruned is the code with only those rules that were asked for: few enough to keep.
func (c *processCode) pruned() *processCode {
	out := &processCode{slices.Clone(c.mappings), map[uint32]*unwind.Table{}, map[uint32][]uint32{}}
	for slot, pcs := range c.used {
		slices.Sort(pcs)
		shift := pcs[0] &^ 0xffff // a multiple of the program's pages
		out.tables[slot] = &unwind.Table{Base: c.tables[slot].Base + uint64(shift), Rows: rowsAt(c.tables[slot].Rows, pcs, shift)}
		for i := range out.mappings {
			if m := &out.mappings[i]; m.Table == slot {
				m.Base += uint64(shift)
			}
		}
	}
	for i := range out.mappings {
		if m := &out.mappings[i]; out.tables[m.Table] == nil {
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
