package bpf_test

import (
	"testing"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/unwind"
	"github.com/hotspan/hotspan/agent/internal/uvpool"
	reqctx "github.com/hotspan/hotspan/context"
	"github.com/hotspan/hotspan/context/nodejs"
	"github.com/hotspan/hotspan/context/published"
	"github.com/hotspan/hotspan/v8/layout"
	"github.com/hotspan/hotspan/v8/stack"
)

// twin is a number of the C headers that a package has too which does not import this one.
type twin struct {
	name      string
	inC, inGo int
}

var twins = []twin{
	{"KEPT_LEAF", bpf.KeptLeaf, stack.KeptLeaf},
	{"KEPT_ROOT", bpf.KeptRoot, stack.KeptRoot},
	{"MAX_STEPS", bpf.MaxSteps, stack.MaxSteps},
	{"MAX_GAP", bpf.MaxGap, stack.MaxGap},

	{"MAX_SLOTS", bpf.MaxSlots, reqctx.MaxNames},
	{"MAX_NODES", bpf.MaxNodes, reqctx.MaxNodes},
	{"MAX_EDGES", bpf.MaxEdges, reqctx.MaxEdges},
	{"NODE_EDGES", bpf.NodeEdges, reqctx.MaxNodeEdges},
	{"MAX_LABELS", bpf.MaxLabels, reqctx.MaxLabels},
	{"MAX_NAME", bpf.MaxName, reqctx.MaxNameBytes},
	{"MAX_STORES", bpf.MaxStores, nodejs.MaxStores},
	{"MAX_ATTRIBUTES", bpf.MaxAttributes, published.MaxAttributeBytes},
	{"SLOT_OUT", int(bpf.SlotOut), nodejs.SlotOutOfLine},

	{"FRAME_NATIVE", int(bpf.FrameNative), int(stack.FrameNative)},
	{"FRAME_JS", int(bpf.FrameJS), int(stack.FrameFunction)},
	{"FRAME_TYPED", int(bpf.FrameTyped), int(stack.FrameTyped)},
	{"FRAME_UNKNOWN", int(bpf.FrameUnknown), int(stack.FrameUnknown)},
	{"FRAME_GAP", int(bpf.FrameGap), int(stack.FrameGap)},

	{"STOP_ROOT", int(bpf.StopRoot), int(stack.StopRoot)},
	{"STOP_DEPTH", int(bpf.StopDepth), int(stack.StopDepth)},
	{"STOP_UNREADABLE", int(bpf.StopUnreadable), int(stack.StopUnreadable)},
	{"STOP_NO_RULE", int(bpf.StopNoRule), int(stack.StopNoRule)},
	{"STOP_NO_PROGRESS", int(bpf.StopNoProgress), int(stack.StopNoProgress)},
	{"STOP_BAD_PC", int(bpf.StopBadPC), int(stack.StopBadPC)},

	{"SYMBOL_OTHER", int(bpf.SymbolOther), int(nodejs.OtherSymbol)},
	{"SYMBOL_STORE", int(bpf.SymbolStore), int(nodejs.StoreSymbol)},
	{"SYMBOL_PUBLIC", int(bpf.SymbolPublic), int(nodejs.PublicSymbol)},
	{"SYMBOL_CONTEXT", int(bpf.SymbolContext), int(nodejs.ContextSymbol)},

	{"WORK_QUEUED", int(bpf.WorkQueued), int(uvpool.Queued)},
	{"WORK_FILE_SYSTEM", int(bpf.WorkFileSystem), int(uvpool.FileSystem)},
	{"WORK_ADDRESS_INFO", int(bpf.WorkAddressInfo), int(uvpool.AddressInfo)},
	{"WORK_NAME_INFO", int(bpf.WorkNameInfo), int(uvpool.NameInfo)},
	{"NUM_WORK_KINDS", int(bpf.NumWorkKinds), int(uvpool.NumKinds)},

	{"CFA_RBP", int(bpf.CFARBP), int(unwind.RBP)},
	{"CFA_RSP", int(bpf.CFARSP), int(unwind.RSP)},
	{"CFA_DEREF", int(bpf.CFADeref), int(unwind.CFADeref)},
	{"CFA_DEREF_RBP", int(bpf.CFADerefRBP), int(unwind.CFADerefRBP)},
	{"CFA_PLT", int(bpf.CFAPLT), int(unwind.CFAPLT)},
	{"CFA_SIGNAL", int(bpf.CFASignal), int(unwind.CFASignal)},
	{"CFA_END", int(bpf.CFAEnd), int(unwind.CFAEnd)},
	{"CFA_NONE", int(bpf.CFANone), int(unwind.CFANone)},
	{"CFA_DEREF_R9", int(bpf.CFADerefR9), int(unwind.CFADerefR9)},
	{"CFA_DEREF_FP", int(bpf.CFADerefFP), int(unwind.CFADerefFP)},
	{"RBP_SAME", int(bpf.RBPSame), int(unwind.RBPSame)},
	{"RBP_AT_RBP", int(bpf.RBPAtRBP), int(unwind.RBPAtRBP)},
	{"RBP_LOST", int(bpf.RBPLost), int(unwind.RBPLost)},
	{"KEPT_SAME", int(bpf.KeptSame), int(unwind.KeptSame)},
	{"KEPT_LOST", int(bpf.KeptLost), int(unwind.KeptLost)},

	{"GC_MARK_COMPACT", int(bpf.GCMarkCompact), int(layout.MarkCompact)},
	{"VM_STATE_JS", int(bpf.VMStateJS), int(layout.VMStateJS)},
	{"VM_STATE_GC", int(bpf.VMStateGC), int(layout.VMStateGC)},
	{"VM_STATE_PARSER", int(bpf.VMStateParser), int(layout.VMStateParser)},
	{"VM_STATE_BYTECODE_COMPILER", int(bpf.VMStateBytecodeCompiler), int(layout.VMStateBytecodeCompiler)},
	{"VM_STATE_COMPILER", int(bpf.VMStateCompiler), int(layout.VMStateCompiler)},
	{"VM_STATE_OTHER", int(bpf.VMStateOther), int(layout.VMStateOther)},
	{"VM_STATE_EXTERNAL", int(bpf.VMStateExternal), int(layout.VMStateExternal)},
	{"VM_STATE_ATOMICS_WAIT", int(bpf.VMStateAtomicsWait), int(layout.VMStateAtomicsWait)},
	{"VM_STATE_IDLE", int(bpf.VMStateIdle), int(layout.VMStateIdle)},
	{"VM_STATE_LOGGING", int(bpf.VMStateLogging), int(layout.VMStateLogging)},
	{"VM_STATE_IDLE_EXTERNAL", int(bpf.VMStateIdleExternal), int(layout.VMStateIdleExternal)},
}

func TestTwins(t *testing.T) {
	for _, n := range twins {
		if n.inC != n.inGo {
			t.Errorf("%s is %d in C and %d in Go", n.name, n.inC, n.inGo)
		}
	}
}
