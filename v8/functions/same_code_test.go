package functions

import (
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/optimized"
	"github.com/hotspan/hotspan/v8/x86"
)

// TestMovedCode: code whose objects were moved is what it was, and another compilation of a function is not.
func TestMovedCode(t *testing.T) {
	own, inlined := &function{name: "own"}, &function{name: "inlined"}
	compiled := func(sfi heap.Word, of *function, positions heap.Positions) *code {
		return &code{
			Code: &heap.Code{Start: 0x1000, End: 0x1100}, text: x86.Prologue,
			tables: tables{
				functions: map[heap.Word]*function{sfi: of},
				optimized: &optimized.Tables{Function: sfi, Positions: positions},
			},
		}
	}
	positions := heap.Positions{{Code: 8, Source: 3, Inlining: -1}}
	old := compiled(0x2001, own, positions)
	for _, c := range []struct {
		name string
		now  *code
		want bool
	}{
		{"moved", compiled(0x3001, own, positions), true},
		{"of another function", compiled(0x2001, inlined, positions), false},
		{"with other positions", compiled(0x2001, own, heap.Positions{{Code: 8, Source: 4, Inlining: -1}}), false},
		{"of a function that was not read", compiled(0x2001, nil, positions), false},
		{"not read", &code{Code: &heap.Code{Start: 0x1000, End: 0x1100}}, false},
		{"with other instructions", func() *code {
			c := compiled(0x2001, own, positions)
			c.text = []byte{0x90}
			return c
		}(), false},
		{"shorter", func() *code { c := compiled(0x2001, own, positions); c.End--; return c }(), false},
	} {
		if got := c.now.isLike(old); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
