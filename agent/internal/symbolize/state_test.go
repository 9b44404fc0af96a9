package symbolize

import (
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/layout"
)

func TestState(t *testing.T) {
	want := map[layout.VMState]pprofx.State{
		layout.VMStateJS: pprofx.StateJS, layout.VMStateGC: pprofx.StateGC, layout.VMStateIdle: pprofx.StateIdle,
		layout.VMStateParser: pprofx.StateCompiler, layout.VMStateBytecodeCompiler: pprofx.StateCompiler,
		layout.VMStateCompiler: pprofx.StateCompiler, layout.VMStateExternal: pprofx.StateExternal,
		layout.VMStateIdleExternal: pprofx.StateExternal,
	}
	for tag := range 256 { // any number may be in the memory of a process
		if got := State(uint8(tag)); got != want[layout.VMState(tag)] {
			t.Errorf("state %d is %v, want %v", tag, got, want[layout.VMState(tag)])
		}
	}
}

// TestCollection: a stack has a mark only while V8 collects, and only of a kind of collection that is known.
func TestCollection(t *testing.T) {
	for _, c := range []struct {
		vm   layout.VMState
		gc   uint32
		want string
	}{
		{layout.VMStateGC, uint32(layout.Scavenge), "[gc scavenge]"},
		{layout.VMStateGC, uint32(layout.MarkCompact), "[gc mark-compact]"},
		{layout.VMStateGC, uint32(layout.MinorMarkSweep), "[gc minor mark-sweep]"},
		{layout.VMStateGC, uint32(layout.NotInGC), ""},
		{layout.VMStateGC, uint32(layout.TearDown), ""},
		{layout.VMStateGC, 1 << 30, ""},
		{layout.VMStateJS, uint32(layout.Scavenge), ""},
	} {
		s := &sampler.Sample{Sample: &bpf.Sample{VmState: uint8(c.vm)}}
		s.GcState = uint8(min(c.gc, 255))
		got := ""
		if f := collection(s); f != nil {
			got = f.Function
		}
		if got != c.want {
			t.Errorf("VM state %d, heap state %d: %q, want %q", c.vm, c.gc, got, c.want)
		}
	}
}
