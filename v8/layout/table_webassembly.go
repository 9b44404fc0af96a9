package layout

// WebAssembly. Its modules and their code are C++ objects, of which V8 tells nothing: these offsets were found in live
// processes of each version, by what they lead to (the bytes of a known module, the code of its functions).
var wasmRows = []row{
	dbg(WasmFrameMarker, "frametype_WasmFrame"),
	dbg(WasmToJSFrameMarker, "frametype_WasmToJsFrame"),
	dbg(JSToWasmFrameMarker, "frametype_JsToWasmFrame"),
	{field: WasmManagerRoot, rules: []rule{
		{below: v(9, 2), n: 0x50, why: managerWhy},
		{from: v(9, 2), below: v(10, 3), n: 0x58, why: managerWhy},
		{from: v(10, 3), below: v(13, 0), n: 0x50, why: managerWhy},
		{from: v(13, 0), n: 0x30, why: managerWhy}}},
	{field: WasmModuleBytes, rules: []rule{
		{below: v(9, 2), n: 0x138, why: bytesWhy},
		{from: v(9, 2), below: v(9, 3), n: 0x110, why: bytesWhy},
		{from: v(9, 3), below: v(9, 4), n: 0x100, why: bytesWhy},
		{from: v(9, 4), below: v(11, 0), n: 0x138, why: bytesWhy},
		{from: v(11, 0), below: v(12, 5), n: 0xc8, why: bytesWhy},
		{from: v(12, 5), below: v(14, 2), n: 0xf0, why: bytesWhy},
		{from: v(14, 2), n: 0xe8, why: bytesWhy}}},
	{field: WasmModuleCode, rules: []rule{
		{below: v(9, 2), n: 0x1b0, why: ownedWhy},
		{from: v(9, 2), below: v(9, 3), n: 0x188, why: ownedWhy},
		{from: v(9, 3), below: v(9, 4), n: 0x178, why: ownedWhy},
		{from: v(9, 4), below: v(11, 0), n: 0x1b0, why: ownedWhy},
		{from: v(11, 0), below: v(12, 0), n: 0x140, why: ownedWhy},
		{from: v(12, 0), below: v(12, 5), n: 0x198, why: ownedWhy},
		{from: v(12, 5), below: v(13, 0), n: 0x1c0, why: ownedWhy},
		{from: v(13, 0), below: v(14, 2), n: 0x148, why: ownedWhy},
		{from: v(14, 2), n: 0x140, why: ownedWhy}}},
	{field: WasmModuleNewCode, rules: after(WasmModuleCode, 0x20,
		"src/wasm/wasm-code-manager.h: new_owned_code_ is behind owned_code_, whose root is followed by three "+
			"words and the count")},
	fixed(WasmCodeModule, 0, "src/wasm/wasm-code-manager.h: native_module_ is the first field of WasmCode"),
	fixed(WasmCodeStart, 8, "src/wasm/wasm-code-manager.h: instructions_, behind native_module_"),
	{field: WasmCodeTables, rules: []rule{
		{below: v(11, 0), n: 0x18, why: "src/wasm/wasm-code-manager.h: meta_data_, behind instructions_ and flags_"},
		{from: v(11, 0), below: v(13, 0), n: 0x10,
			why: "src/wasm/wasm-code-manager.h: meta_data_, behind instructions_"},
		{from: v(13, 0), n: 0x18,
			why: "src/wasm/wasm-code-manager.h: meta_data_, behind instructions_ and signature_hash_"}}},
	{field: WasmCodeSize, rules: after(WasmCodeTables, 8,
		"src/wasm/wasm-code-manager.h: instructions_size_, behind meta_data_")},
	{field: WasmCodeRelocation,
		rules: after(WasmCodeSize, 4, "src/wasm/wasm-code-manager.h: reloc_info_size_, behind instructions_size_")},
	{field: WasmCodePositions, rules: after(WasmCodeSize, 8,
		"src/wasm/wasm-code-manager.h: source_positions_size_, behind reloc_info_size_")},
	{field: WasmCodeInlining, rules: []rule{
		{below: v(11, 0), absent: true,
			why: "src/wasm/wasm-code-manager.h: until V8 10 nothing is inlined in WebAssembly's code"},
		{from: v(11, 0), of: WasmCodePositions, n: 4, relative: true,
			why: "src/wasm/wasm-code-manager.h: inlining_positions_size_, behind source_positions_size_"}}},
	{field: WasmInliningEntry, rules: []rule{
		{below: v(11, 0), absent: true, why: "src/wasm/wasm-code-manager.h: there is no such table"},
		{from: v(11, 0), below: v(12, 0), n: 12, why: inliningWhy},
		{from: v(12, 0), n: 13, why: inliningWhy + ", between them was_tail_call"}}},
	{field: WasmCodeTraps, rules: []rule{
		{below: v(11, 0), of: WasmCodePositions, n: 4, relative: true, why: trapsWhy},
		{from: v(11, 0), below: v(12, 5), of: WasmCodePositions, n: 8, relative: true, why: trapsWhy +
			", behind inlining_positions_size_"},
		{from: v(12, 5), of: WasmCodePositions, n: 12, relative: true,
			why: trapsWhy + ", behind inlining_positions_size_ and deopt_data_size_"}}},
	{field: WasmCodeIndex, rules: after(WasmCodeTraps, 4,
		"src/wasm/wasm-code-manager.h: index_, behind protected_instructions_size_")},
	dbg(TypeWasmModuleObject, "type_WasmModuleObject__WASM_MODULE_OBJECT_TYPE"),
	{field: TypeWasmInstanceObject, dbg: []string{"type_WasmInstanceObject__WASM_INSTANCE_OBJECT_TYPE"}, rules: []rule{
		{below: v(12, 0), absent: true,
			why: "src/objects/objects-definitions.h: no constant; a frame holds the instance itself"}}},
	dbg(ScriptWasmModule, "class_Script__wasm_managed_native_module__Tagged_Object_",
		"class_Script__wasm_managed_native_module__Object"),
}

const (
	managerWhy  = "src/wasm/wasm-code-manager.h: lookup_map_ of WasmCodeManager, its root"
	bytesWhy    = "src/wasm/wasm-code-manager.h: wire_bytes_ of NativeModule"
	ownedWhy    = "src/wasm/wasm-code-manager.h: owned_code_ of NativeModule, its root"
	inliningWhy = "src/codegen/source-position.h: WasmInliningPosition has inlinee_func_index and caller_pos, packed"
	trapsWhy    = "src/wasm/wasm-code-manager.h: protected_instructions_size_"
)
