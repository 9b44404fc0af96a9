package repair

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/stack"
)

// TestJumps: a table of jumps has no frame, so that what called it returns where the top of the stack says.
func TestJumps(t *testing.T) {
	caller := stack.RawFrame{PC: jumpsStart + 5, Exact: true, Marker: -1, ID: callerID}
	got := repaired(newProcess(), caller, stack.Leaf{Words: []uint64{callerStart + 20, codeStart + 20}})
	want := []stack.RawFrame{
		{PC: jumpsStart + 5, Exact: true, Marker: -1, Offset: -1, ID: heap.Identity{Script: -1}},
		{PC: callerStart + 20, Marker: -1, ID: callerID},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestExportIsNotInterpreted: a builtin without a frame is called by the wrapper of a function that WebAssembly
// exports. What looks like an address in the interpreter is none that it returns to.
func TestExportIsNotInterpreted(t *testing.T) {
	raw := stack.RawFrame{PC: builtinStart + 0x310, Exact: true, Marker: -1, ID: exportID}
	p := newProcess()
	p.codes = append(p.codes, Code{Start: 0x50000, End: 0x50100, ID: exportID})
	got := repaired(p, raw, stack.Leaf{Words: []uint64{builtinStart + 20, 0x50020}})
	if len(got) != 2 || got[1].PC != 0x50020 {
		t.Errorf("%+v", got)
	}
}
