package functions

import (
	"testing"

	"github.com/hotspan/hotspan/v8/heap"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
)

// TestUnidentified: a frame of the interpreter whose function could not be read is a frame that says so. Without it the
// caller would seem to have made the call, or to be the leaf.
func TestUnidentified(t *testing.T) {
	none := heap.Identity{Script: -1}
	for _, c := range []struct {
		name string
		raw  stack.RawFrame
		want string
	}{
		{"InterpreterEnterAtNextBytecode", stack.RawFrame{Marker: -1, ID: none}, "[stale function]"},
		{"CallProperty1Handler", stack.RawFrame{Marker: -1, ID: none}, "[stale function]"},
		{"CallProperty1Handler", stack.RawFrame{Marker: -1, ID: none, SFI: 1}, "[stale function]"},
		{"JumpLoopHandler", stack.RawFrame{Marker: -1, ID: none, Exact: true}, "[stale function]"},
		// the frame that was left was called by a builtin that is a function
		{"ReturnHandler", stack.RawFrame{Marker: -1, ID: none, Exact: true, SFI: 1}, ""},
		{"JumpLoopHandler", stack.RawFrame{Marker: 3, ID: none, Exact: true}, ""},
		{"InterpreterEntryTrampoline", stack.RawFrame{Marker: -1, ID: none, Exact: true}, "InterpreterEntryTrampoline"},
		{"ArrayForEach", stack.RawFrame{Marker: -1, ID: none}, "ArrayForEach"},
	} {
		space := &oneBuiltin{name: c.name}
		v := NewResolver(heap.NewReader(noMemory{}, &layout.Layout{}), space)
		c.raw.PC = 0x1000
		got := ""
		for _, f := range v.Resolve(c.raw) {
			got += f.Name
		}
		if got != c.want {
			t.Errorf("%s %+v: %q, want %q", c.name, c.raw, got, c.want)
		}
	}
}
