package wasm

import (
	"encoding/binary"
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/heap/heaptest"
	"github.com/hotspan/hotspan/v8/layout"
)

// Limits of what one attack may cost.
const (
	mostReads  = 3 << 19
	mostAtOnce = maxNameSection
	mostBytes  = mostAtOnce + 8<<20
)

// attack reads code of WebAssembly, and the module that it is of.
func attack(t *testing.T, m *heaptest.Ring, l *layout.Layout, at uint64) {
	t.Helper()
	r := heap.NewReader(m, l)
	if c, err := CodeAt(r, at, at); err == nil {
		c.Same(r)
		if tables, err := c.Tables(r); err == nil {
			tables.Calls(c.Index, 5)
		}
	}
	module, err := ReadModule(r, at)
	if err != nil {
		module = &Module{address: at}
	}
	module.Same(r)
	module.Body(r, 3)
	module.URL(r, heap.Word(at))
	if m.Reads > mostReads || m.Bytes > mostBytes || m.Most > mostAtOnce {
		t.Fatalf("at 0x%x: %d reads, %d bytes, %d of them at once", at, m.Reads, m.Bytes, m.Most)
	}
}

// selves is memory all of whose words are its own address, with a word that is not.
func selves(other uint64) []byte {
	b := make([]byte, 128)
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], 0x10001)
	}
	binary.LittleEndian.PutUint64(b[8:], other)
	return b
}

func FuzzHostileMemory(f *testing.F) {
	for _, b := range [][]byte{nil, {0}, selves(0x10001), selves(187 << 32), selves(2163 << 32), make([]byte, 4096)} {
		f.Add(b, uint64(0x10001), false)
	}
	f.Fuzz(func(t *testing.T, b []byte, at uint64, unsigned bool) {
		l := testLayout()
		if unsigned {
			l.Values[layout.PositionsUnsigned].N = 1
		}
		attack(t, &heaptest.Ring{B: b}, l, at)
	})
}

// A layout comes from a binary that the target chose. No number in it may end the profiler.
func TestHostileLayout(t *testing.T) {
	for f := range layout.NumFields {
		if testLayout().Values[f].State != layout.Known {
			continue
		}
		for _, v := range []layout.Value{{State: layout.Absent}, {N: -5, State: layout.Known},
			{N: 3, State: layout.Known}, {State: layout.Known}, {N: 100, State: layout.Known},
			{N: 1 << 31, State: layout.Known}, {N: 1<<63 - 1, State: layout.Known}} {
			for _, b := range [][]byte{selves(0x10001), selves(167 << 32), selves(2163 << 32)} {
				l := testLayout()
				l.Values[f] = v
				attack(t, &heaptest.Ring{B: b}, l, 0x10001)
			}
		}
	}
}
