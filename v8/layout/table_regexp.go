package layout

// Regular expressions. Their machine code says nothing of them, but is called with the object.
var regexpRows = []row{
	{field: RegExpArgument, rules: []rule{
		{below: v(10, 0), n: 40, why: argumentWhy + "stack_area_base, direct_call, isolate"},
		{from: v(10, 0), n: 32, why: argumentWhy + "direct_call, isolate"}}},
	dbg(TypeJSRegExp, "type_JSRegExp__JS_REG_EXP_TYPE"),
	dbg(JSRegExpSource, "class_JSRegExp__source__Object"),
	{field: JSRegExpData, rules: after(JSRegExpSource, -word, "src/objects/js-regexp.tq: data is before source")},
	{field: TypeRegExpData, dbg: []string{"type_IrRegExpData__IR_REG_EXP_DATA_TYPE"}, rules: regexpArray},
	{field: RegExpDataSource, dbg: []string{"class_RegExpData__source__Tagged_String_"}, rules: regexpArray},
}

var regexpArray = []rule{{below: v(12, 5), absent: true,
	why: "src/objects/js-regexp.h: data is a FixedArray, and code is called with the JSRegExp"}}

const argumentWhy = "src/regexp/x64/regexp-macro-assembler-x64.h: the last of the arguments on the stack, behind "
