package walk

import (
	"errors"
	"sync"
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/v8/stack"
)

// TestTables: while tables come and go on other goroutines, each number is of one table, and a table that stays has its
// rules.
func TestTables(t *testing.T) {
	const base, goroutines, rounds = 0x1000, 4, 200
	c := NewCode()
	table := func(length uint32) *unwind.Table {
		return &unwind.Table{Rows: []unwind.Row{{CFA: unwind.RSP, Off: 1}, {PC: length, CFA: unwind.CFANone}}}
	}
	add := func(length uint32) uint32 {
		slot, _, err := c.AddTable(table(length))
		if err != nil {
			t.Error(err)
		}
		return slot
	}
	first, stays := add(1), add(16)
	c.Mappings = []bpf.Mapping{{Start: base, End: base + 0x1000, Base: base, Table: stays, Kind: bpf.MappingNative}}
	if err := c.RemoveTable(first); err != nil {
		t.Error(err)
	}
	given := make(chan uint32, goroutines*rounds)
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range rounds {
				slot := add(1)
				given <- slot
				if err := c.RemoveTable(slot); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range rounds {
		if _, err := c.Step(base+8, stack.Position{}, noMemory{}); errors.Is(err, stack.ErrNoRule) {
			t.Fatal("a table that stays has lost its rules")
		}
	}
	all.Wait()
	close(given)
	seen := map[uint32]bool{first: true, stays: true}
	for slot := range given {
		if seen[slot] {
			t.Fatalf("the number %d was given twice", slot)
		}
		seen[slot] = true
	}
}

// noMemory has no byte.
type noMemory struct{}

func (noMemory) ReadAt([]byte, int64) (int, error) { return 0, errors.New("no memory") }
