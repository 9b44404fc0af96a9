package layout

// Functions.
var functionRows = []row{
	dbg(JSFunctionShared, "class_JSFunction__shared__SharedFunctionInfo"),
	dbg(JSFunctionContext, "class_JSFunction__context__Context"),
	fixed(SFITrustedData, 8,
		"src/objects/shared-function-info.h: (trusted_)function_data is the first field behind the map"),
	dbg(SFINameOrScopeInfo, "class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_",
		"class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_",
		"class_SharedFunctionInfo__name_or_scope_info__Object"),
	{field: SFIUntrustedData, rules: after(SFINameOrScopeInfo, -word,
		"src/objects/shared-function-info.h: lies before name_or_scope_info; in V8 12.4 and before one field with "+
			"the trusted data")},
	dbg(SFIScript, "class_SharedFunctionInfo__script__Tagged_HeapObject_",
		"class_SharedFunctionInfo__script_or_debug_info__HeapObject"),
	{field: SFIFunctionLiteralID, dbg: []string{"class_SharedFunctionInfo__flags__int"}, add: 4,
		why: "src/objects/shared-function-info.h: function_literal_id is behind the 32 bits of flags"},
	dbg(SFIFlags, "class_SharedFunctionInfo__flags__int"),
	fixed(KindMembersInitializer, 24, "src/objects/function-kind.h: kClassMembersInitializerFunction"),
	{field: KindStaticInitializer, rules: []rule{
		{below: v(14, 2), n: 25, why: "src/objects/function-kind.h: kClassStaticInitializerFunction"},
		{from: v(14, 2), n: 26,
			why: "src/objects/function-kind.h: behind kClassMembersInitializerFunctionPrecededByMember"}}},
	dbg(TypeInterpreterData, "type_InterpreterData__INTERPRETER_DATA_TYPE"),
	fixed(InterpreterDataBytecode, 8,
		"src/objects/shared-function-info.h: bytecode_array is the first field behind the map"),
	dbg(TypeDebugInfo, "type_DebugInfo__DEBUG_INFO_TYPE"),
	{field: DebugInfoScript, rules: []rule{
		{below: v(12, 0), n: 24, why: "src/objects/debug-objects.tq: script, behind shared and debugger_hints"},
		{from: v(12, 0), absent: true,
			why: "src/objects/shared-function-info.h: the script is in the SharedFunctionInfo always"}}},
	{field: TypeBaselineData, dbg: []string{"type_BaselineData__BASELINE_DATA_TYPE"}, rules: noBaselineData},
	{field: BaselineDataCode, rules: append(noBaselineData, rule{below: v(9, 5), n: 8,
		why: "src/objects/shared-function-info.tq: baseline_code is the first field behind the map"})},
	{field: BaselineDataBytecode, rules: append(noBaselineData, rule{below: v(9, 5), n: 16,
		why: "src/objects/shared-function-info.tq: data, behind baseline_code"})},
}

var noBaselineData = []rule{{from: v(9, 5), absent: true,
	why: "src/objects/shared-function-info.h: baseline code is in the function's data itself"}}

// Machine code and bytecode. Until V8 11 a Code object had the relocation info before all else.
var codeRows = []row{
	{field: BytecodeArrayLength, dbg: []string{"class_BytecodeArray__length__SMI"}, rules: []rule{
		{below: v(12, 0), n: 8, why: "src/objects/fixed-array.h: a BytecodeArray is a FixedArrayBase"}}},
	{field: BytecodeArrayPositions, rules: []rule{
		{from: v(12, 0), n: 24, why: "src/objects/bytecode-array.h: source_position_table, behind length and wrapper"},
		{below: v(12, 0), n: 32, why: "src/objects/code.tq: behind length, constant_pool and handler_table"}}},
	{field: BytecodeArrayFirstByte, dbg: []string{"class_BytecodeArray__data__uintptr_t"}, rules: []rule{
		{below: v(10, 0), n: 54, why: "src/objects/code.tq: bytes, behind osr_nesting_level and bytecode_age"}}},
	{field: CodeDeoptData, dbg: []string{
		"class_Code__deoptimization_data__FixedArray", "class_Code__deoptimization_data__Tagged_FixedArray_"},
		rules: []rule{
			{from: v(12, 0), n: 8,
				why: "src/objects/code.h: deoptimization_data_or_interpreter_data is the first field behind the map"},
			{below: v(11, 0), n: 16, why: "src/objects/code.h: deoptimization data, behind relocation_info"}}},
	{field: CodePositions, dbg: []string{
		"class_Code__source_position_table__ByteArray", "class_Code__source_position_table__Tagged_ByteArray_"},
		rules: []rule{
			{from: v(12, 0), n: 16, why: "src/objects/code.h: position_table, behind the deoptimization data"},
			{below: v(11, 0), n: 24, why: "src/objects/code.h: position table, behind the deoptimization data"}}},
	{field: CodeInstructionStart, dbg: []string{"class_Code__instruction_start__Address"}, rules: append(code11(40, 32),
		rule{below: v(11, 0), absent: true, why: "src/objects/code.h: " + oneObject})},
	{field: CodeInstructionSize, dbg: []string{"class_Code__instruction_size__int"}, rules: code11(56, 44)},
	{field: CodeFlags, dbg: []string{"class_Code__flags__uint32_t"}, rules: append(code11(48, 40),
		rule{below: v(10, 0), n: 48, why: "src/objects/code.h: flags, behind the sizes of instructions and metadata"})},
	{field: CodeFlagsKindMask, dbg: []string{"CodeKindFieldMask"}, rules: []rule{
		{below: v(10, 0), n: 15, why: "src/objects/code.h: KindField has the lowest four bits"}}},
	dbg(InstructionStreamBody, "class_InstructionStream__instruction_start__uintptr_t",
		"class_Code__instruction_start__uintptr_t"),
	{field: InstructionStreamCode, rules: []rule{
		{from: v(11, 0), n: 8, why: "src/objects/instruction-stream.h: code is the first field behind the map"},
		{below: v(11, 0), absent: true, why: "src/objects/code.h: " + oneObject}}},
	{field: KindBaseline, dbg: []string{"CodeKindBaseline"}, rules: []rule{
		{below: v(10, 0), n: 11, why: "src/objects/code-kind.h: eleven kinds are before it"}}},
	{field: KindBuiltin, rules: []rule{
		{from: v(12, 0), of: KindBaseline, n: -8, relative: true, why: "src/objects/code-kind.h: BUILTIN, REGEXP"},
		{below: v(12, 0), of: KindBaseline, n: -9, relative: true, why: "src/objects/code-kind.h: BUILTIN, REGEXP"}}},
	{field: KindRegexp, rules: []rule{
		{from: v(12, 0), of: KindBaseline, n: -7, relative: true,
			why: "src/objects/code-kind.h: REGEXP, five of WebAssembly, INTERPRETED_FUNCTION, BASELINE"},
		{below: v(12, 0), of: KindBaseline, n: -8, relative: true,
			why: "src/objects/code-kind.h: JS_TO_JS_FUNCTION is one more between them"}}},
	{field: KindJSToWasm, rules: []rule{
		{from: v(12, 0), of: KindBaseline, n: -3, relative: true,
			why: "src/objects/code-kind.h: JS_TO_WASM_FUNCTION, C_WASM_ENTRY, INTERPRETED_FUNCTION, BASELINE"},
		{below: v(12, 0), of: KindBaseline, n: -4, relative: true,
			why: "src/objects/code-kind.h: JS_TO_JS_FUNCTION is one more between them"}}},
	{field: KindMaglev, rules: []rule{
		{from: v(10, 0), of: KindBaseline, n: 1, relative: true, why: kindWhy},
		{below: v(10, 0), absent: true, why: "src/objects/code-kind.h: TURBOPROP stands there"}}},
	{field: KindTurboFan, rules: []rule{
		{below: v(9, 2), of: KindBaseline, n: 3, relative: true,
			why: "src/objects/code-kind.h: NATIVE_CONTEXT_INDEPENDENT and TURBOPROP are between them"},
		{from: v(9, 2), of: KindBaseline, n: 2, relative: true, why: kindWhy}}},
}

// oneObject is why a Code object has no instructions outside of it.
const oneObject = "until V8 10 the instructions follow the Code object's own fields"

const kindWhy = "src/objects/code-kind.h: BASELINE, MAGLEV, TURBOFAN follow each other"

// code11 is the place of a field of Code in V8 11, which had no constants for them: until 11.3, and from 11.8 on, when
// the first field had gone. Node has none between. (Seen in the memory of Node 21.0 and 21.7.)
func code11(until, since int64) []rule {
	const why = "src/objects/code.h: the order of fields"
	return []rule{
		{from: v(11, 0), below: v(11, 8), n: until, why: why}, {from: v(11, 8), below: v(12, 0), n: since, why: why},
	}
}

// Deoptimization data and position tables.
var positionRows = []row{
	{field: DeoptLiterals, dbg: []string{"DeoptimizationDataLiteralArrayIndex"}, rules: deopt10(2)},
	{field: DeoptInlining, dbg: []string{"DeoptimizationDataInliningPositionsIndex"}, rules: deopt10(7)},
	{field: DeoptSFI, dbg: []string{"DeoptimizationDataWrappedSharedFunctionInfoIndex",
		"DeoptimizationDataSharedFunctionInfoWrapperIndex",  // V8 12.9
		"DeoptimizationDataSharedFunctionInfoIndex"}, rules: deopt10(6)},
	{field: SFIWrapperShared,
		dbg: []string{"class_SharedFunctionInfoWrapper__shared_info__Tagged_SharedFunctionInfo_"},
		rules: []rule{{below: v(12, 5), absent: true,
			why: "src/objects/deoptimization-data.h: the SharedFunctionInfo itself is in the deoptimization data"}}},
	{field: PositionsUnsigned, rules: []rule{
		{below: v(14, 1), n: 0, why: "src/codegen/source-position-table.cc: statement or expression in the sign"},
		{from: v(14, 1), n: 1, why: "src/codegen/source-position-table.cc: breakable and statement in two low bits"},
	}},
}

// deopt10 is an index of the deoptimization data in V8 10 and before, which had no constants for them.
func deopt10(n int64) []rule {
	return []rule{{below: v(11, 0), n: n, why: "src/objects/code.h: DeoptimizationData, the indices of its elements"}}
}
