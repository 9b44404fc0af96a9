package layout

// Scope infos, where a function has its name, and scripts.
var scriptRows = []row{
	{field: ScopeInfoFlags, rules: []rule{
		{below: v(9, 1), n: 16, why: "src/objects/scope-info.h: the first element of a FixedArray"},
		{from: v(9, 1), n: 8, why: "src/objects/scope-info.tq: the first field behind the map"}}},
	{field: ScopeInfoContextLocalCount, rules: after(ScopeInfoFlags, 2*word,
		"src/objects/scope-info.tq: behind flags and parameter_count")},
	{field: ScopeInfoFirstVars, dbg: []string{"scopeinfo_idx_first_vars"}, scale: word, of: ScopeInfoFlags,
		why: "src/objects/scope-info.h: the constant counts words from flags on"},
	{field: ScopeInfoFlagsAreSmi, rules: []rule{
		{below: v(12, 5), n: 1, why: "src/objects/scope-info.tq: flags is SmiTagged"},
		{from: v(12, 5), n: 0, why: "src/objects/scope-info.tq: flags is a raw uint32 and padding"},
	}},
	fixed(ScopeInfoHasSavedClassVarBit, 10, "src/objects/scope-info.tq: has_saved_class_variable"),
	{field: ScopeInfoReceiverBit, rules: []rule{
		{below: v(10, 0), n: 7, why: "src/objects/scope-info.tq: receiver_variable, VariableAllocationInfo"},
		{from: v(10, 0), absent: true, why: "src/objects/scope-info.tq: there is no receiver_info"}}},
	fixed(ScopeInfoFunctionVarBit, 12, "src/objects/scope-info.tq: function_variable, 0 = none"),
	fixed(ScopeInfoInferredNameBit, 14, "src/objects/scope-info.tq: has_inferred_function_name"),
	{field: ScopeInfoMaxInlinedNames, rules: []rule{
		{below: v(10, 0), absent: true,
			why: "src/objects/scope-info.tq: there is no hash table for the names of locals"},
		{from: v(10, 0), n: 75, why: "src/objects/scope-info.h: kScopeInfoMaxInlinedLocalNamesSize"}}},
	{field: ScopeInfoStartPosition, rules: []rule{
		{below: v(12, 5), absent: true,
			why: "src/objects/scope-info.tq: position_info is behind inferred_function_name"},
		{from: v(12, 5), n: 32, why: "src/objects/scope-info.tq: position_info, behind context_local_count"},
	}},

	{field: ScriptSource, dbg: []string{"class_Script__source__Object"}, rules: []rule{
		{below: v(10, 0), n: 8, why: "src/objects/script.tq: source is the first field behind the map"}}},
	dbg(ScriptName, "class_Script__name__Object"),
	dbg(ScriptEvalFrom, "class_Script__eval_from_shared_or_wrapped_arguments__Tagged_Object_",
		"class_Script__eval_from_shared_or_wrapped_arguments__Object",
		"class_Script__eval_from_shared_or_wrapped_arguments_or_sfi_table__Object"), // V8 10
	dbg(ScriptEvalPosition, "class_Script__eval_from_position__SMI"),
	fixed(ScriptLineOffset, 24, "src/objects/script.h: line_offset, behind source and name"),
	fixed(ScriptColumnOffset, 32, "src/objects/script.h: column_offset, behind line_offset"),
	fixed(ScriptID, 64, "src/objects/script.h: id, behind line_ends"),
	fixed(ScriptInfos, 88, "src/objects/script.h: infos (shared_function_infos), behind eval_from_position"),
	{field: ScriptSourceURL, rules: script11(112, "source_url, behind flags")},
	{field: ScriptSourceMappingURL, rules: script11(120, "source_mapping_url, behind source_url")},
}

// script11 is the place of a field behind one that V8 11 added, compiled_lazy_function_positions.
func script11(n int64, why string) []rule {
	return []rule{
		{below: v(11, 0), n: n - word, why: "src/objects/script.tq: " + why},
		{from: v(11, 0), n: n, why: "src/objects/script.h: " + why}}
}
