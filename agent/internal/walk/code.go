package walk

import (
	"io"
	"sort"
	"sync"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/v8/stack"
)

// Code has the mappings and the unwind rules of a process, as the BPF maps have them. It is find_mapping and find_rule
// of unwind.h in Go. (stack.Unwinder)
type Code struct {
	Mappings []bpf.Mapping            // by address
	Tables   map[uint32]*unwind.Table // by Mapping.Table
	mu       sync.Mutex               // guards Tables and last
	last     uint32                   // the number that was given last
}

// NewCode makes a Code without mappings. It is an elffile.Rules, which receives the unwind rules of files.
func NewCode() *Code { return &Code{Tables: map[uint32]*unwind.Table{}} }

// AddTable keeps the rules of a file. (elffile.Rules)
func (c *Code) AddTable(t *unwind.Table) (slot, pages uint32, err error) {
	kept := *t // the cache drops the rows of t, or has them in a file
	kept.Rows = make([]unwind.Row, t.Len())
	if err := t.ReadRows(0, kept.Rows); err != nil {
		return 0, 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++ // no number is given twice: another file may still have it
	c.Tables[c.last] = &kept
	return c.last, 0, nil
}

// RemoveTable forgets the rules of a file. (elffile.Rules)
func (c *Code) RemoveTable(slot uint32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.Tables, slot)
	return nil
}

func (c *Code) table(slot uint32) *unwind.Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Tables[slot]
}

func (c *Code) find(pc uint64) *bpf.Mapping {
	i := sort.Search(len(c.Mappings), func(i int) bool { return c.Mappings[i].End > pc })
	if i == len(c.Mappings) || pc < c.Mappings[i].Start {
		return nil
	}
	return &c.Mappings[i]
}

// Code returns the kind of code at an address.
func (c *Code) Code(pc uint64) stack.Code {
	switch m := c.find(pc); {
	case m == nil:
		return stack.NoCode
	case m.Kind != bpf.MappingNative:
		return stack.V8Code
	}
	return stack.NativeCode
}

// Step goes from a frame to its caller by the unwind rule of the file that has code at an address.
func (c *Code) Step(at uint64, from stack.Position, mem io.ReaderAt) (stack.Position, error) {
	m := c.find(at)
	if m == nil || at < m.Base {
		return from, stack.ErrNoRule
	}
	table := c.table(m.Table)
	if table == nil {
		return from, stack.ErrNoRule
	}
	row, _ := table.Lookup(table.Base + at - m.Base)
	return unwind.Step(row, from, mem)
}
