package layout

// Instance types. They are numbered anew in every V8.
var typeRows = []row{
	dbg(TypeMap, "type_Map__MAP_TYPE"),
	dbg(TypeSharedFunctionInfo, "type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE"),
	dbg(TypeScript, "type_Script__SCRIPT_TYPE"),
	dbg(TypeScopeInfo, "type_ScopeInfo__SCOPE_INFO_TYPE"),
	dbg(TypeBytecodeArray, "type_BytecodeArray__BYTECODE_ARRAY_TYPE"),
	dbg(TypeCode, "type_Code__CODE_TYPE"),
	{field: TypeInstructionStream, dbg: []string{"type_InstructionStream__INSTRUCTION_STREAM_TYPE"}, rules: []rule{
		{below: v(11, 0), of: TypeCode, relative: true, why: "src/objects/code.h: " + oneObject}}},
	dbg(TypeJSFunctionFirst, "FirstJSFunctionType", "type_JSFunction__JS_FUNCTION_TYPE"),
	{field: TypeJSFunctionLast, dbg: []string{"LastJSFunctionType"}, rules: []rule{
		{from: v(10, 0), below: v(12, 0), of: TypeJSFunctionFirst, n: 15, relative: true,
			why: "src/objects/js-function.tq: eleven typed array constructors, Array, Promise, RegExp, classes"},
		{below: v(10, 0), of: TypeJSFunctionFirst, n: 14, relative: true,
			why: "src/objects/js-function.tq: eleven typed array constructors, Array, Promise, RegExp"}}},
	dbg(TypeJSMap, "type_JSMap__JS_MAP_TYPE"),
	dbg(TypeJSObject, "type_JSObject__JS_OBJECT_TYPE"),
	dbg(TypeJSArray, "type_JSArray__JS_ARRAY_TYPE"),
	dbg(TypeJSWeakRef, "type_JSWeakRef__JS_WEAK_REF_TYPE"),
	dbg(TypeFixedArray, "type_FixedArray__FIXED_ARRAY_TYPE"),
	dbg(TypeSymbol, "type_Symbol__SYMBOL_TYPE"),
	dbg(TypeHeapNumber, "type_HeapNumber__HEAP_NUMBER_TYPE"),
	dbg(TypeOddball, "type_Oddball__ODDBALL_TYPE"),
	dbg(TypePropertyArray, "type_PropertyArray__PROPERTY_ARRAY_TYPE"),
}
