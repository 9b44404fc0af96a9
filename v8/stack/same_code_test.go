package stack

import (
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
)

// TestSameInstructions: code is the same but for the objects that it refers to, wherever these are in it.
func TestSameInstructions(t *testing.T) {
	// push rbp; mov r10, object; mov rax, object; ret
	code := []byte{0x55, 0x49, 0xba, 1, 2, 3, 4, 5, 6, 7, 8, 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 0xc3}
	with := func(at int, bytes ...byte) []byte {
		b := append([]byte{}, code...)
		copy(b[at:], bytes)
		return b
	}
	for _, c := range []struct {
		name  string
		other []byte
		want  bool
	}{
		{"the same", with(0), true},
		{"the first object", with(3, 9, 9, 9, 9, 9, 9, 9, 9), true},
		{"the last byte of an object", with(20, 9), true},
		{"both objects", append(with(3, 9, 9)[:13], 8, 7, 6, 5, 4, 3, 2, 1, 0xc3), true},
		{"a part of it", code[:12], true},
		{"another instruction", with(0, 0x56), false},
		{"another register", with(2, 0xb9), false},
		{"what follows an object", with(21, 0xcc), false},
		{"nothing was read", nil, false},
	} {
		if got := sameInstructions(code, c.other); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if got := sameInstructions(c.other, code); got != c.want {
			t.Errorf("%s, the other way: %v", c.name, got)
		}
	}
}

// TestMovedCode: code whose objects were moved is what it was, and another compilation of a function is not.
func TestMovedCode(t *testing.T) {
	own, inlined := &function{name: "own"}, &function{name: "inlined"}
	compiled := func(sfi heap.Word, of *function, positions heap.Positions) *code {
		return &code{
			Code: &heap.Code{Start: 0x1000, End: 0x1100}, functions: map[heap.Word]*function{sfi: of},
			optimized: &heap.Optimized{Function: sfi, Positions: positions},
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
		{"shorter", func() *code { c := compiled(0x2001, own, positions); c.End--; return c }(), false},
	} {
		if got := c.now.means(old); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
