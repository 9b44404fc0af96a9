package symbolize

import (
	"github.com/hotspan/hotspan/agent/internal/sampler"
	"github.com/hotspan/hotspan/pprofx"
	"github.com/hotspan/hotspan/v8/layout"
)

// collections are the frames that mark a garbage collection, by V8's Heap::HeapState (src/heap/heap.h): frames above
// the mark are the collector's, those below it allocated memory.
var collections = [...]*pprofx.Frame{
	layout.Scavenge:       {Function: "[gc scavenge]", Kind: pprofx.Marker},
	layout.MarkCompact:    {Function: "[gc mark-compact]", Kind: pprofx.Marker},
	layout.MinorMarkSweep: {Function: "[gc minor mark-sweep]", Kind: pprofx.Marker},
}

func collection(s *sampler.Sample) *pprofx.Frame {
	if layout.VMState(s.VmState) != layout.VMStateGC || int(s.GcState) >= len(collections) {
		return nil
	}
	return collections[s.GcState]
}

// State converts V8's StateTag (include/v8-unwinder.h) to that of pprofx.
func State(tag uint8) pprofx.State {
	switch layout.VMState(tag) {
	case layout.VMStateJS:
		return pprofx.StateJS
	case layout.VMStateGC:
		return pprofx.StateGC
	case layout.VMStateParser, layout.VMStateBytecodeCompiler, layout.VMStateCompiler:
		return pprofx.StateCompiler
	case layout.VMStateExternal, layout.VMStateIdleExternal:
		return pprofx.StateExternal
	case layout.VMStateIdle:
		return pprofx.StateIdle
	}
	return pprofx.StateOther
}
