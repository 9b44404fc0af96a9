package layout

import "testing"

// truth has values that were measured by others on live processes of the official builds, by other means than this
// package's: offsets seen in memory, and disassembly by hand. The columns are Node versions.
var truthVersions = []string{"16.20.2", "18.20.8", "20.20.2", "22.23.3", "24.10.0", "24.21.0", "25.9.0", "26.10.0"}

const none = -1 << 62 // this V8 has none, or it was not measured

var truth = map[Field][8]int64{
	IsolateTLS:      {none, none, -0x50, -0x78, -0x88, -0xa0, -0xc8, -0x178},
	IsolateContext:  {0x3658, 0x44d0, 0x118, 0x120, 0x150, 0x150, 0x158, 0x158},
	IsolateCEntryFP: {0x36b8, 0x4538, 0x180, 0x110, 0x140, 0x140, 0x148, 0x148},
	IsolateVMState:  {0x36f0, 0x4568, 0x1b0, 0x1b8, 0x1e8, 0x1e8, 0x1f0, 0x1f0},
	IsolateCPED:     {none, none, none, 0x240, 0x278, 0x278, 0x280, 0x2a8},
	IsolateHeap:     {0xa300, 0xc638, 0xd2c0, 0xdea0, 0xeff0, 0xeff8, 0xd8a8, 0xf3c0},
	HeapGCState:     {0x1d8, 0x240, 0x228, 0x198, 0x220, 0x220, 0x220, 0x228},
	HeapMSCount:     {0x208, 0x268, 0x240, 0x1b0, 0x238, 0x238, 0x238, 0x240},

	MapInstanceSizeInWords:      {8, 8, 8, 8, 8, 8, 8, 8},
	MapInObjectStartInWords:     {9, 9, 9, 9, 9, 9, 9, 9},
	MapInstanceType:             {12, 12, 12, 12, 12, 12, 12, 12},
	MapBitField3:                {16, 16, 16, 16, 16, 16, 16, 16},
	MapConstructorOrBackPointer: {32, 32, 32, 32, 32, 32, 32, 32},
	MapDescriptors:              {40, 40, 40, 40, 40, 40, 40, 40},
	BitField3DictionaryMapBit:   {21, 21, 21, 21, 21, 21, 21, 21},
	BitField3OwnDescriptorsBit:  {10, 10, 10, 10, 10, 10, 10, 10},
	DescriptorsHeader:           {24, 24, 24, 24, 24, 24, 32, 32},
	DetailsLocationBit:          {1, 5, 5, 5, 5, 5, 5, 5},
	DetailsFieldIndexShift:      {19, 19, 19, 19, 19, 19, 19, 19},
	NameDictionaryPrefix:        {2, 2, 3, 3, 3, 3, 3, 3},
	PropertyArrayHashShift:      {10, 10, 10, 10, 10, 10, 10, 10},
	FixedArrayLength:            {8, 8, 8, 8, 8, 8, 8, 8},
	FixedArrayData:              {16, 16, 16, 16, 16, 16, 16, 16},
	JSArrayLength:               {24, 24, 24, 24, 24, 24, 24, 24},
	JSMapTable:                  {24, 24, 24, 24, 24, 24, 24, 24},
	HeapNumberValue:             {8, 8, 8, 8, 8, 8, 8, 8},
	OddballToString:             {16, 16, 16, 16, 16, 16, 16, 16},
	NameHash:                    {8, 8, 8, 8, 8, 8, 8, 8},
	SymbolDescription:           {16, 16, 16, 16, 16, 16, 16, 16},

	StringLength:              {12, 12, 12, 12, 12, 12, 12, 12},
	SeqStringChars:            {16, 16, 16, 16, 16, 16, 16, 16},
	ConsStringFirst:           {16, 16, 16, 16, 16, 16, 16, 16},
	ConsStringSecond:          {24, 24, 24, 24, 24, 24, 24, 24},
	SlicedStringParent:        {16, 16, 16, 16, 16, 16, 16, 16},
	SlicedStringOffset:        {24, 24, 24, 24, 24, 24, 24, 24},
	ThinStringActual:          {16, 16, 16, 16, 16, 16, 16, 16},
	ExternalStringData:        {24, 24, 24, 24, 24, 24, 24, 24},
	StringRepresentationMask:  {7, 7, 7, 7, 7, 7, 7, 7},
	StringOneByteBit:          {8, 8, 8, 8, 8, 8, 8, 8},
	StringUncachedExternalBit: {16, 16, 16, 16, 16, 16, 16, 16},
	SeqStringTag:              {0, 0, 0, 0, 0, 0, 0, 0},
	ConsStringTag:             {1, 1, 1, 1, 1, 1, 1, 1},
	ExternalStringTag:         {2, 2, 2, 2, 2, 2, 2, 2},
	SlicedStringTag:           {3, 3, 3, 3, 3, 3, 3, 3},
	ThinStringTag:             {5, 5, 5, 5, 5, 5, 5, 5},
	FirstNonStringType:        {64, 128, 128, 128, 128, 128, 128, 128},

	JSFunctionShared:             {24, 24, 24, 32, 32, 32, 32, 32},
	JSFunctionContext:            {32, 32, 32, 40, 40, 40, 40, 40},
	SFITrustedData:               {8, 8, 8, 8, 8, 8, 8, 8},
	SFIUntrustedData:             {8, 8, 8, 8, 16, 16, 16, 16},
	SFINameOrScopeInfo:           {16, 16, 16, 16, 24, 24, 24, 24},
	SFIScript:                    {32, 32, 32, 32, 40, 40, 40, 40},
	ScopeInfoFlags:               {8, 8, 8, 8, 8, 8, 8, 8},
	ScopeInfoContextLocalCount:   {24, 24, 24, 24, 24, 24, 24, 24},
	ScopeInfoFirstVars:           {8 + 3*8, 8 + 3*8, 8 + 3*8, 8 + 3*8, 8 + 5*8, 8 + 5*8, 8 + 5*8, 8 + 5*8},
	ScopeInfoFlagsAreSmi:         {1, 1, 1, 1, 0, 0, 0, 0},
	ScopeInfoHasSavedClassVarBit: {10, 10, 10, 10, 10, 10, 10, 10},
	ScopeInfoFunctionVarBit:      {12, 12, 12, 12, 12, 12, 12, 12},
	ScopeInfoInferredNameBit:     {14, 14, 14, 14, 14, 14, 14, 14},
	ScopeInfoMaxInlinedNames:     {none, 75, 75, 75, 75, 75, 75, 75},

	ScriptSource:           {8, 8, 8, 8, 8, 8, 8, 8},
	ScriptName:             {16, 16, 16, 16, 16, 16, 16, 16},
	ScriptLineOffset:       {24, 24, 24, 24, 24, 24, 24, 24},
	ScriptColumnOffset:     {32, 32, 32, 32, 32, 32, 32, 32},
	ScriptID:               {64, 64, 64, 64, 64, 64, 64, 64},
	ScriptSourceURL:        {104, 104, 112, 112, 112, 112, 112, 112},
	ScriptSourceMappingURL: {112, 112, 120, 120, 120, 120, 120, 120},

	BytecodeArrayLength:    {8, 8, 8, 8, 8, 8, 8, 8},
	BytecodeArrayPositions: {32, 32, 32, 24, 24, 24, 24, 24},
	BytecodeArrayFirstByte: {54, 56, 54, 64, 64, 64, 64, 64},
	CodeDeoptData:          {16, 16, 16, 8, 8, 8, 8, 8},
	CodePositions:          {24, 24, 24, 16, 16, 16, 16, 16},
	CodeInstructionStart:   {none, none, 40, 40, 40, 40, 40, 40},
	CodeInstructionSize:    {40, 40, 56, 52, 56, 56, 56, 56},
	CodeFlags:              {48, 48, 48, 48, 52, 52, 52, 52},
	CodeFlagsKindMask:      {15, 15, 15, 15, 15, 15, 15, 15},
	InstructionStreamBody:  {96, 128, 16, 32, 32, 32, 32, 32},
	InstructionStreamCode:  {none, none, 8, 8, 8, 8, 8, 8},
	KindBaseline:           {11, 11, 11, 10, 10, 10, 10, 11},
	KindJSToWasm:           {7, 7, 7, 7, 7, 7, 7, 8},
	KindMaglev:             {none, 12, 12, 11, 11, 11, 11, 12},
	KindTurboFan:           {13, 13, 13, 12, 12, 12, 12, 13},
	DeoptLiterals:          {2, 2, 2, 2, 3, 3, 3, 3},
	DeoptInlining:          {7, 7, 7, 7, 8, 8, 8, 8},
	DeoptSFI:               {6, 6, 6, 6, 7, 7, 7, 7},
	SFIWrapperShared:       {none, none, none, none, 8, 8, 8, 8},
	PositionsUnsigned:      {0, 0, 0, 0, 0, 0, 1, 1},
	TypeJSMap:              {1081, 2099, 2108, 2110, 2112, 2112, 2112, 2114},
	TypeJSObject:           {1057, 1057, 1057, 1057, 1057, 1057, 1057, 1057},
	WasmFrameMarker:        {4, 4, 4, 4, 4, 4, 4, 24},
}

var truthBytecodes = [8]int{197, 198, 198, 203, 208, 208, 212, 212}

func TestAgainstMeasurements(t *testing.T) {
	for i, version := range truthVersions {
		l, _ := readNode(t, version)
		for f, columns := range truth {
			want := columns[i]
			switch {
			case want == none && l.Values[f].State != Absent:
				t.Errorf("node %s: %s is %s, this V8 has none", version, f, l.Values[f])
			case want != none && (!l.Has(f) || l.Values[f].N != want):
				t.Errorf("node %s: %s is %s, measured %d", version, f, l.Values[f], want)
			}
		}
		if got := len(l.BytecodeSizes); got != 3*truthBytecodes[i] {
			t.Errorf("node %s: %d bytes of bytecode sizes, want 3 * %d", version, got, truthBytecodes[i])
		}
	}
}
