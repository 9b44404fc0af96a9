// Package bpf is the kernel half of the profiler: the BPF program, its maps, and the types of what they hold. The
// objects are committed, so that building hotspan needs no C compiler.
package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
)

//go:generate go tool bpf2go -cc clang-19 -strip llvm-strip-19 -target amd64 -cflags "-O2 -g -Wall -Werror -I/usr/include/x86_64-linux-gnu -D__TARGET_ARCH_x86" -type sample -type frame -type lifecycle -type process -type mapping -type edge -type node -type shape -type shape_key -type store -type store_key -type place -type published -type place_kind -type published_kind -type context_record -type async_hooks -type environment_key -type resource -type name -type name_kind -type isolate_key -type kept_key -type work_key -type work -type pool -type isolate_names -type symbol_key -type symbol_kind -type v8_layout -type stop -type counter -type frame_kind -type mapping_kind -type edge_kind -type context_type -type record_type hotspan hotspan.bpf.c

// The types of the maps and of the records in the ring buffer; event.h has their documentation.
type (
	Sample         = hotspanSample
	Frame          = hotspanFrame
	Lifecycle      = hotspanLifecycle
	Process        = hotspanProcess
	Mapping        = hotspanMapping
	Edge           = hotspanEdge
	Node           = hotspanNode
	Shape          = hotspanShape
	ShapeKey       = hotspanShapeKey
	Store          = hotspanStore
	StoreKey       = hotspanStoreKey
	AsyncHooks     = hotspanAsyncHooks
	EnvironmentKey = hotspanEnvironmentKey
	Resource       = hotspanResource
	SymbolKey      = hotspanSymbolKey
	KeptKey        = hotspanKeptKey
	WorkKey        = hotspanWorkKey
	Work           = hotspanWork
	Pool           = hotspanPool
	Name           = hotspanName
	IsolateKey     = hotspanIsolateKey
	IsolateNames   = hotspanIsolateNames
	ContextRecord  = hotspanContextRecord
	V8Layout       = hotspanV8Layout
	Place          = hotspanPlace
	Published      = hotspanPublished
	Objects        = hotspanObjects
)

// The enumerators of event.h.
const (
	RecordSample = uint32(hotspanRecordTypeRECORD_SAMPLE)
	RecordExec   = uint32(hotspanRecordTypeRECORD_EXEC)
	RecordExit   = uint32(hotspanRecordTypeRECORD_EXIT)

	StopRoot       = uint8(hotspanStopSTOP_ROOT)
	StopDepth      = uint8(hotspanStopSTOP_DEPTH)
	StopUnreadable = uint8(hotspanStopSTOP_UNREADABLE)
	StopNoRule     = uint8(hotspanStopSTOP_NO_RULE)
	StopNoProgress = uint8(hotspanStopSTOP_NO_PROGRESS)
	StopBadPC      = uint8(hotspanStopSTOP_BAD_PC)

	CountTaken         = uint32(hotspanCounterCOUNT_TAKEN)
	CountRingFull      = uint32(hotspanCounterCOUNT_RING_FULL)
	CountEventRingFull = uint32(hotspanCounterCOUNT_EVENT_RING_FULL)
	CountNanoseconds   = uint32(hotspanCounterCOUNT_NANOSECONDS)

	MappingNative = uint32(hotspanMappingKindMAPPING_NATIVE)
	MappingV8     = uint32(hotspanMappingKindMAPPING_V8)

	EdgeProperty = uint8(hotspanEdgeKindEDGE_PROPERTY)
	EdgeMapEntry = uint8(hotspanEdgeKindEDGE_MAP_ENTRY)
	EdgeElement  = uint8(hotspanEdgeKindEDGE_ELEMENT)

	NameString     = uint8(hotspanNameKindNAME_STRING)
	NameSymbol     = uint8(hotspanNameKindNAME_SYMBOL)
	NameRegistered = uint8(hotspanNameKindNAME_REGISTERED)
	NamePrivate    = uint8(hotspanNameKindNAME_PRIVATE)

	FrameNative  = uint16(hotspanFrameKindFRAME_NATIVE)
	FrameJS      = uint16(hotspanFrameKindFRAME_JS)
	FrameTyped   = uint16(hotspanFrameKindFRAME_TYPED)
	FrameUnknown = uint16(hotspanFrameKindFRAME_UNKNOWN)
	FrameGap     = uint16(hotspanFrameKindFRAME_GAP)

	SymbolOther   = uint32(hotspanSymbolKindSYMBOL_OTHER)
	SymbolStore   = uint32(hotspanSymbolKindSYMBOL_STORE)
	SymbolPublic  = uint32(hotspanSymbolKindSYMBOL_PUBLIC)
	SymbolContext = uint32(hotspanSymbolKindSYMBOL_CONTEXT)

	ContextOneByte     = uint8(hotspanContextTypeCONTEXT_ONE_BYTE)
	ContextTwoByte     = uint8(hotspanContextTypeCONTEXT_TWO_BYTE)
	ContextSmi         = uint8(hotspanContextTypeCONTEXT_SMI)
	ContextDouble      = uint8(hotspanContextTypeCONTEXT_DOUBLE)
	ContextLearnShape  = uint8(hotspanContextTypeCONTEXT_LEARN_SHAPE)
	ContextLearnStore  = uint8(hotspanContextTypeCONTEXT_LEARN_STORE)
	ContextUnreadable  = uint8(hotspanContextTypeCONTEXT_UNREADABLE)
	ContextPresent     = uint8(hotspanContextTypeCONTEXT_PRESENT)
	ContextRecordOTel  = uint8(hotspanContextTypeCONTEXT_RECORD)
	ContextLocalNode   = uint8(hotspanContextTypeCONTEXT_LOCAL_NODE)
	ContextLocalThread = uint8(hotspanContextTypeCONTEXT_LOCAL_THREAD)
	ContextAgain       = uint8(hotspanContextTypeCONTEXT_AGAIN)
	ContextOverLimit   = uint8(hotspanContextTypeCONTEXT_OVER_LIMIT)

	PlaceStatic   = uint32(hotspanPlaceKindPLACE_STATIC)
	PlaceDTVGlibc = uint32(hotspanPlaceKindPLACE_DTV_GLIBC)
	PlaceDTVMusl  = uint32(hotspanPlaceKindPLACE_DTV_MUSL)

	PublishedNode       = uint32(hotspanPublishedKindPUBLISHED_NODE)
	PublishedThread     = uint32(hotspanPublishedKindPUBLISHED_THREAD)
	PublishedNodeLabels = uint32(hotspanPublishedKindPUBLISHED_NODE_LABELS)
	PublishedLabels     = uint32(hotspanPublishedKindPUBLISHED_LABELS)

	ContextLearnIsolate  = uint8(hotspanContextTypeCONTEXT_LEARN_ISOLATE)
	ContextLearnKept     = uint8(hotspanContextTypeCONTEXT_LEARN_KEPT)
	ContextLearnWork     = uint8(hotspanContextTypeCONTEXT_LEARN_WORK)
	ContextLearnSymbol   = uint8(hotspanContextTypeCONTEXT_LEARN_SYMBOL)
	ContextLearnResource = uint8(hotspanContextTypeCONTEXT_LEARN_RESOURCE)
	ContextBoolean       = uint8(hotspanContextTypeCONTEXT_BOOLEAN)
	ContextBytes         = uint8(hotspanContextTypeCONTEXT_BYTES)
	ContextMoreOne       = uint8(hotspanContextTypeCONTEXT_MORE_ONE)
	ContextMoreTwo       = uint8(hotspanContextTypeCONTEXT_MORE_TWO)
	ContextCut           = uint8(hotspanContextTypeCONTEXT_CUT)
	ContextLearnKey      = uint8(hotspanContextTypeCONTEXT_LEARN_KEY)
)

// NoNode and NoLabel stand for "none" in an Edge and a Store.
const (
	NoNode  = 0xff
	NoLabel = 0xff
	SlotOut = 0x8000
)

// NoIsolate is Sample.VmState of a thread that has not entered V8.
const NoIsolate = 0xff

// Load loads programs and maps into the kernel. ringBytes is the size of the ring buffer, a power of two of at least a
// page.
func Load(ringBytes uint32) (*Objects, error) {
	spec, err := loadHotspan()
	if err != nil {
		return nil, fmt.Errorf("read the BPF object: %w", err)
	}
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return nil, err
	}
	spec.Maps["scratches"].MaxEntries = uint32(cpus)
	spec.Maps["events"].MaxEntries = ringBytes
	var o Objects
	if err := spec.LoadAndAssign(&o, nil); err != nil {
		return nil, fmt.Errorf("load the BPF program: %w", explain(err))
	}
	return &o, nil
}

// explain shortens what the verifier says to its last lines.
func explain(err error) error {
	var v *ebpf.VerifierError
	if errors.As(err, &v) && len(v.Log) > 4 {
		v.Log = v.Log[len(v.Log)-4:]
	}
	return err
}
