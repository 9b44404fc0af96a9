package optimized

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/arch/x86/x86asm"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/x86"
)

// Functions of the tests: inner is inlined in outer.
const outer, inner = heap.Word(1), heap.Word(2)

func in(offset int) []Frame { return []Frame{{Function: outer, Offset: offset}} }

func inInner(offset, call int) []Frame {
	return []Frame{{Function: inner, Offset: offset}, {Function: outer, Offset: call}}
}

// TestMarks has code that calls inner, loops, calls inner again and returns. Three blocks are behind it: of the loop's
// check for interrupts, of what is behind the loop, and one that is left from the first.
func TestMarks(t *testing.T) {
	calls := []mark{{from: 9, to: 10, frames: in(3)}, {from: 29, to: 30, frames: inInner(5, 10)},
		{from: 109, to: 110, frames: in(30)}}
	transfers := []x86.Transfer{
		{From: 20, To: 22, Op: x86asm.JNE, Target: 300}, {From: 40, To: 42, Op: x86asm.JO, Target: 304},
		{From: 50, To: 52, Op: x86asm.JNE, Target: 103}, {From: 60, To: 62, Op: x86asm.JMP, Target: 35},
		{From: 70, To: 72, Op: x86asm.JE, Target: 308}, {From: 80, To: 82, Op: x86asm.JE, Target: 120},
		{From: 100, To: 103, Op: x86asm.RET, Target: -1},
		{From: 112, To: 114, Op: x86asm.JE, Target: 130}, {From: 117, To: 119, Op: x86asm.JMP, Target: 53},
		{From: 119, To: 120, Op: x86asm.INT, Target: -1},
		{From: 127, To: 129, Op: x86asm.JMP, Target: 84}, {From: 129, To: 130, Op: x86asm.INT, Target: -1},
		{From: 137, To: 139, Op: x86asm.JMP, Target: 114}, {From: 139, To: 140, Op: x86asm.INT, Target: -1},
	}
	exits := map[int][]Frame{300: inInner(2, 10), 304: in(20), 308: inInner(2, 40)}
	m := newMarks(outer, calls, transfers, func(target int) ([]Frame, bool) {
		frames, is := exits[target]
		return frames, is
	})
	for _, x := range []struct {
		why    string
		at     int
		frames []Frame
		sure   bool
	}{
		{"the entry", 0, in(-1), true},
		{"a call", 9, in(3), true},
		{"before an inlined function", 12, in(3), false},
		{"an exit in an inlined function", 20, inInner(2, 10), true},
		{"between marks of an inlined function", 25, inInner(2, 10), true},
		{"behind an inlined function", 30, in(10), false},
		{"before a loop", 33, in(10), false},
		{"a loop's head", 36, in(30), true},
		{"a loop", 45, in(20), true},
		{"its end", 55, in(30), true},
		{"its jump back", 60, in(30), true},
		{"behind it, before another call of the inlined function", 65, in(30), false},
		{"between the inlined function and the end", 90, in(40), false},
		{"the return", 101, in(30), true},
		{"deferred", 105, in(30), true},
		{"deferred, behind the call", 118, in(30), true},
		{"deferred without a mark, from a gap", 122, in(40), false},
		{"deferred of what is deferred", 132, in(30), true},
		{"behind all", 400, nil, false},
	} {
		g := m.At(x.at)
		if diff := cmp.Diff(x.frames, g.Frames, cmpopts.EquateEmpty()); diff != "" || g.Sure != x.sure {
			t.Errorf("%s, %d: %+v: %s", x.why, x.at, g, diff)
		}
	}
	want := map[Frame]bool{in(10)[0]: true, in(40)[0]: true}
	if diff := cmp.Diff(want, m.inlined); diff != "" {
		t.Error(diff)
	}
}

// A gap between the same calls of a function from two places is in neither.
func TestCommon(t *testing.T) {
	for _, c := range []struct {
		a, b, want []Frame
		same       bool
	}{
		{in(1), in(2), in(1), true},
		{inInner(1, 10), inInner(2, 10), inInner(1, 10), true},
		{inInner(1, 10), inInner(1, 20), in(10), false},
		{inInner(1, 10), in(10), in(10), false},
		{in(1), inInner(1, 10), in(1), false},
		{in(1), []Frame{{Function: inner, Offset: 1}}, nil, false},
		{in(1), nil, nil, false},
		{nil, nil, nil, false},
	} {
		got, same := common(c.a, c.b)
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" || same != c.same {
			t.Errorf("%v, %v: %v, %v", c.a, c.b, got, same)
		}
	}
}

// The source has a call, a loop from source position 20 on with a call, and a call behind that.
func TestPasses(t *testing.T) {
	positions := heap.Positions{{Code: 3, Source: 10}, {Code: 14, Source: 25}, {Code: 16, Source: 28},
		{Code: 22, Source: 40}, {Code: 39, Source: 20}, {Code: 49, Source: 60}}
	before, condition, behind := positions[0], positions[1], positions[5]
	for _, c := range []struct {
		gap    Gap
		call   heap.Position
		marked bool
		want   bool
	}{
		{Gap{before: -1, after: 14}, before, true, true}, {Gap{before: 3, after: 14}, before, true, true},
		{Gap{before: 0, after: 3}, before, true, false}, {Gap{before: 14, after: 49}, before, true, false},
		{Gap{before: 39, after: noEnd}, behind, true, true},
		{Gap{before: 39, after: 16}, before, false, false}, // from the end of the loop to its head
		{Gap{before: 39, after: 16}, condition, true, true}, {Gap{before: 39, after: 14}, condition, true, false},
		{Gap{before: 39, after: 16}, behind, false, false},
		{Gap{before: 22, after: 16}, behind, false, true}, // from an exit of an earlier operation
		{Gap{before: 22, after: 16}, behind, true, false}, {Gap{before: 22, after: 16}, before, false, true},
	} {
		if got := c.gap.passes(c.call, positions, c.marked); got != c.want {
			t.Errorf("%+v, %+v, %v: %v", c.gap, c.call, c.marked, got)
		}
	}
}
