package layout

// What the deoptimiser knows of each call in optimised code: which functions are inlined there, and where each of them
// is in its bytecode. Only Maglev's code is read by it, and builds with Maglev begin with V8 12.
var deoptRows = []row{
	fixed(DeoptTranslation, 0, "src/objects/deoptimization-data.h: kFrameTranslationIndex is the first"),
	{field: DeoptEntries, rules: []rule{{below: v(11, 0), absent: true,
		why: "src/objects/code.h: the counts were others, and no code of Maglev is read there"},
		{from: v(11, 0), of: DeoptInlining, n: 4, relative: true,
			why: "src/objects/deoptimization-data.h: kDeoptExitStartIndex, kEagerDeoptCountIndex and " +
				"kLazyDeoptCountIndex are between them"}}},
	fixed(DeoptEntrySize, 3,
		"src/objects/deoptimization-data.h: bytecode offset, translation index, pc; one more in debug builds"),
	fixed(DeoptEntryTranslation, 1, "src/objects/deoptimization-data.h: kTranslationIndexOffset"),
	{field: DeoptExitStart, rules: after(DeoptInlining, 1, "src/objects/deoptimization-data.h: kDeoptExitStartIndex")},
	{field: DeoptExitSize, rules: []rule{{below: v(12, 0), absent: true, why: noMaglev},
		{from: v(12, 0), n: 4,
			why: "src/deoptimizer/x64/deoptimizer-x64.cc: kEagerDeoptExitSize and kLazyDeoptExitSize, call " +
				"*disp8(%r13)"}}},
	{field: DeoptimizerInput, code: &accessor{read: deoptimizerInput, names: deoptimizationEntries},
		rules: []rule{
			{below: v(10, 3), n: 0x38, why: deoptimizerWhy},
			{from: v(10, 3), below: v(12, 5), n: 0x48, why: deoptimizerWhy},
			{from: v(12, 5), n: 0x50, why: deoptimizerWhy}}},
	{field: DeoptimizerFrom, rules: []rule{
		{below: v(10, 3), of: DeoptimizerInput, n: -0x18, relative: true,
			why: "src/deoptimizer/deoptimizer.h: from_, with four numbers behind it"},
		{from: v(10, 3), of: DeoptimizerInput, n: -0x20, relative: true,
			why: "src/deoptimizer/deoptimizer.h: and restart_frame_index_"}}},
	{field: FrameDescriptionContent, code: &accessor{read: frameContent, names: deoptimizationEntries},
		rules: []rule{
			{below: v(10, 3), n: 0x140, why: frameDescriptionWhy},
			{from: v(10, 3), below: v(12, 5), n: 0x148, why: frameDescriptionWhy},
			{from: v(12, 5), below: v(13, 0), n: 0x1c0, why: frameDescriptionWhy},
			{from: v(13, 0), n: 0x1c8, why: frameDescriptionWhy}}},
	{field: SafepointLength, rules: []rule{
		{below: v(13, 0), n: 0,
			why: "src/codegen/maglev-safepoint-table.h: length, entry configuration, tagged and untagged slots"},
		{from: v(13, 0), n: 4,
			why: "src/codegen/maglev-safepoint-table.h: stack slots, length, entry configuration, tagged slots"}}},
	fixed(SafepointHeader, 16, "src/codegen/maglev-safepoint-table.h: four 32-bit numbers"),
	{field: TranslationJSFrames, rules: []rule{{below: v(12, 0), absent: true, why: alphabetical},
		{from: v(12, 0), n: 4, why: "src/deoptimizer/translation-opcode.h: TRANSLATION_JS_FRAME_OPCODE_LIST"}}},
	{field: TranslationBegin, rules: []rule{{below: v(12, 0), absent: true, why: alphabetical},
		{from: v(12, 0), below: v(12, 9), n: 12,
			why: "src/deoptimizer/translation-opcode.h: behind ten frames, ARGUMENTS_ELEMENTS and ARGUMENTS_LENGTH"},
		{from: v(12, 9), n: 14,
			why: "src/deoptimizer/translation-opcode.h: and behind LIFTOFF_FRAME and REST_LENGTH"}}},
	{field: TranslationLiteral, rules: []rule{{below: v(12, 0), absent: true, why: alphabetical},
		{from: v(12, 0), below: v(12, 9), n: 33,
			why: "src/deoptimizer/translation-opcode.h: LITERAL, behind OPTIMIZED_OUT"},
		{from: v(12, 9), below: v(13, 0), n: 37, why: "src/deoptimizer/translation-opcode.h: and four more"},
		{from: v(13, 0), n: 38, why: "src/deoptimizer/translation-opcode.h: and STRING_CONCAT"}}},
}

const (
	noMaglev            = "src/deoptimizer/translation-opcode.h: no translations are read there"
	deoptimizerWhy      = "src/deoptimizer/deoptimizer.h: input_, for binaries without the builtins' symbols"
	frameDescriptionWhy = "src/deoptimizer/frame-description.h: frame_content_, for binaries without the " +
		"builtins' symbols"
)

const alphabetical = "src/deoptimizer/translation-opcode.h: the order was another one, and no code of Maglev is " +
	"read there"
