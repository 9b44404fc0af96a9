package bpf

// The enumerators of the C headers, which document them.
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
	CountRingFullHit   = uint32(hotspanCounterCOUNT_RING_FULL_HIT)
	CountEventRingFull = uint32(hotspanCounterCOUNT_EVENT_RING_FULL)
	CountOverlapped    = uint32(hotspanCounterCOUNT_OVERLAPPED)
	CountNanoseconds   = uint32(hotspanCounterCOUNT_NANOSECONDS)

	MappingNative    = uint32(hotspanMappingKindMAPPING_NATIVE)
	MappingGone      = uint32(hotspanMappingKindMAPPING_GONE)
	MappingBuiltins  = uint32(hotspanMappingKindMAPPING_BUILTINS)
	MappingGenerated = uint32(hotspanMappingKindMAPPING_GENERATED)

	EdgeProperty = uint8(hotspanEdgeKindEDGE_PROPERTY)
	EdgeMapEntry = uint8(hotspanEdgeKindEDGE_MAP_ENTRY)
	EdgeElement  = uint8(hotspanEdgeKindEDGE_ELEMENT)

	ValuePlain = uint8(hotspanValueKindVALUE_PLAIN)
	ValueBytes = uint8(hotspanValueKindVALUE_BYTES)
	ValueTime  = uint8(hotspanValueKindVALUE_TIME)

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

	PlaceStatic   = uint32(hotspanPlaceKindPLACE_STATIC)
	PlaceDTVGlibc = uint32(hotspanPlaceKindPLACE_DTV_GLIBC)
	PlaceDTVMusl  = uint32(hotspanPlaceKindPLACE_DTV_MUSL)

	ContextOneByte        = uint8(hotspanContextTypeCONTEXT_ONE_BYTE)
	ContextTwoByte        = uint8(hotspanContextTypeCONTEXT_TWO_BYTE)
	ContextSmi            = uint8(hotspanContextTypeCONTEXT_SMI)
	ContextDouble         = uint8(hotspanContextTypeCONTEXT_DOUBLE)
	ContextBoolean        = uint8(hotspanContextTypeCONTEXT_BOOLEAN)
	ContextBytes          = uint8(hotspanContextTypeCONTEXT_BYTES)
	ContextMoreOne        = uint8(hotspanContextTypeCONTEXT_MORE_ONE)
	ContextMoreTwo        = uint8(hotspanContextTypeCONTEXT_MORE_TWO)
	ContextCut            = uint8(hotspanContextTypeCONTEXT_CUT)
	ContextLearnNames     = uint8(hotspanContextTypeCONTEXT_LEARN_NAMES)
	ContextUnreadable     = uint8(hotspanContextTypeCONTEXT_UNREADABLE)
	ContextPresent        = uint8(hotspanContextTypeCONTEXT_PRESENT)
	ContextRecordOTel     = uint8(hotspanContextTypeCONTEXT_RECORD)
	ContextLocalNode      = uint8(hotspanContextTypeCONTEXT_LOCAL_NODE)
	ContextLocalThread    = uint8(hotspanContextTypeCONTEXT_LOCAL_THREAD)
	ContextOverLimit      = uint8(hotspanContextTypeCONTEXT_OVER_LIMIT)
	ContextNoHooks        = uint8(hotspanContextTypeCONTEXT_NO_HOOKS)
	ContextAgain          = uint8(hotspanContextTypeCONTEXT_AGAIN)
	ContextLearnIsolate   = uint8(hotspanContextTypeCONTEXT_LEARN_ISOLATE)
	ContextLearnResource  = uint8(hotspanContextTypeCONTEXT_LEARN_RESOURCE)
	ContextLearnKept      = uint8(hotspanContextTypeCONTEXT_LEARN_KEPT)
	ContextLearnPublisher = uint8(hotspanContextTypeCONTEXT_LEARN_PUBLISHER)
	ContextLearnWork      = uint8(hotspanContextTypeCONTEXT_LEARN_WORK)
	ContextTime           = uint8(hotspanContextTypeCONTEXT_TIME)

	WorkQueued      = uint32(hotspanWorkKindWORK_QUEUED)
	WorkFileSystem  = uint32(hotspanWorkKindWORK_FILE_SYSTEM)
	WorkAddressInfo = uint32(hotspanWorkKindWORK_ADDRESS_INFO)
	WorkNameInfo    = uint32(hotspanWorkKindWORK_NAME_INFO)
	NumWorkKinds    = uint32(hotspanWorkKindNUM_WORK_KINDS)

	LeftStopped = uint32(hotspanLeaveStateLEFT_STOPPED)

	FrameInHandle = uint64(hotspanJobFrameFRAME_IN_HANDLE)
	FrameInField  = uint64(hotspanJobFrameFRAME_IN_FIELD)
)

// What V8 does in an isolate: values of Sample.VmState.
const (
	VMStateJS               = uint8(hotspanVmStateVM_STATE_JS)
	VMStateGC               = uint8(hotspanVmStateVM_STATE_GC)
	VMStateParser           = uint8(hotspanVmStateVM_STATE_PARSER)
	VMStateBytecodeCompiler = uint8(hotspanVmStateVM_STATE_BYTECODE_COMPILER)
	VMStateCompiler         = uint8(hotspanVmStateVM_STATE_COMPILER)
	VMStateOther            = uint8(hotspanVmStateVM_STATE_OTHER)
	VMStateExternal         = uint8(hotspanVmStateVM_STATE_EXTERNAL)
	VMStateAtomicsWait      = uint8(hotspanVmStateVM_STATE_ATOMICS_WAIT)
	VMStateIdle             = uint8(hotspanVmStateVM_STATE_IDLE)
	VMStateLogging          = uint8(hotspanVmStateVM_STATE_LOGGING)
	VMStateIdleExternal     = uint8(hotspanVmStateVM_STATE_IDLE_EXTERNAL)
	NoIsolate               = uint8(hotspanVmStateNO_ISOLATE) // the thread has entered no isolate
)

// GCMarkCompact is a value of Sample.GcState.
const GCMarkCompact = uint8(hotspanGcStateGC_MARK_COMPACT)

// NoNode and NoLabel stand for "none" in an Edge and a Store. SlotOut is set in the slots of a Shape and a Resource
// whose word is of the property array.
const (
	NoNode  = uint8(hotspanNoneNO_NODE)
	NoLabel = uint8(hotspanNoneNO_LABEL)

	PageFault = uint32(hotspanNonePAGE_FAULT)
	SlotOut   = uint16(hotspanSlotSLOT_OUT)
)

// How a row of an unwind table finds the canonical frame address, and the caller's rbp: see package unwind.
const (
	CFARBP      = uint8(hotspanCfaRuleCFA_RBP)
	CFARSP      = uint8(hotspanCfaRuleCFA_RSP)
	CFADeref    = uint8(hotspanCfaRuleCFA_DEREF)
	CFADerefRBP = uint8(hotspanCfaRuleCFA_DEREF_RBP)
	CFAPLT      = uint8(hotspanCfaRuleCFA_PLT)
	CFASignal   = uint8(hotspanCfaRuleCFA_SIGNAL)
	CFAEnd      = uint8(hotspanCfaRuleCFA_END)
	CFANone     = uint8(hotspanCfaRuleCFA_NONE)
	CFADerefR9  = uint8(hotspanCfaRuleCFA_DEREF_R9)
	CFADerefFP  = uint8(hotspanCfaRuleCFA_DEREF_FP)

	RBPSame  = int8(hotspanRbpRuleRBP_SAME)
	RBPNext  = int8(hotspanRbpRuleRBP_NEXT) // next to the return address
	RBPAtRBP = int8(hotspanRbpRuleRBP_AT_RBP)
	RBPLost  = int8(hotspanRbpRuleRBP_LOST)

	KeptSame = int16(hotspanKeptKEPT_SAME)
	KeptLost = int16(hotspanKeptKEPT_LOST)
)

// How a condition compares an operand with its value.
const (
	Equal          = uint32(hotspanComparisonEQUAL)
	NotEqual       = uint32(hotspanComparisonNOT_EQUAL)
	Less           = uint32(hotspanComparisonLESS)
	Greater        = uint32(hotspanComparisonGREATER)
	LessOrEqual    = uint32(hotspanComparisonLESS_OR_EQUAL)
	GreaterOrEqual = uint32(hotspanComparisonGREATER_OR_EQUAL)
	DescribesFile  = uint32(hotspanComparisonDESCRIBES_FILE) // the operand is a descriptor of a regular file

	OperandRDI = uint32(hotspanOperandOPERAND_RDI)
	OperandRSI = uint32(hotspanOperandOPERAND_RSI)
	OperandRDX = uint32(hotspanOperandOPERAND_RDX)
	OperandRCX = uint32(hotspanOperandOPERAND_RCX)
	OperandR8  = uint32(hotspanOperandOPERAND_R8)
	OperandR9  = uint32(hotspanOperandOPERAND_R9)
	OperandR10 = uint32(hotspanOperandOPERAND_R10)
	OperandRAX = uint32(hotspanOperandOPERAND_RAX)

	OperandResult = uint32(hotspanOperandOPERAND_RESULT) // of a system call

	OperandArg0 = uint32(hotspanOperandOPERAND_ARG0)
)
