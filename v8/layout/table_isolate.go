package layout

// Isolate, ThreadLocalTop and Heap have no constants: the machine code of accessors is read. Those of
// v8::Isolate are exported and stay in stripped binaries; the others are local symbols since Node 24.21.
var isolateRows = []row{
	{field: IsolateTLS, code: &accessor{read: isolateTLS, names: currentIsolate},
		rules: []rule{{below: v(11, 0), absent: true,
			why: "src/execution/isolate.h: until V8 10 pthread_getspecific(isolate_key_) has it"}}},
	{field: IsolateKey, code: &accessor{read: isolateKey, names: currentIsolate},
		rules: []rule{{from: v(11, 0), absent: true,
			why: "src/execution/isolate.cc: g_current_isolate_ is thread-local"}}},
	{field: IsolateContext, code: &accessor{read: isolateContext, names: []string{
		"_ZN2v87Isolate9InContextEv"}}},
	{field: IsolateHeap, code: &accessor{read: isolateHeap, names: []string{
		"_ZN2v87Isolate26MemoryPressureNotificationENS_19MemoryPressureLevelE"}}},
	{field: IsolateCPED, code: &accessor{read: isolateCPED, names: []string{
		"_ZN2v87Isolate36GetContinuationPreservedEmbedderDataEv",
		"_ZN2v87Isolate38GetContinuationPreservedEmbedderDataV2Ev"}},
		rules: []rule{{below: v(12, 0), absent: true,
			why: "include/v8-isolate.h: until V8 12 the data is slot 5 of the native context"}}},
	{field: IsolateVMState, code: &accessor{read: isolateVMState, names: []string{
		"_ZN2v87Isolate7SetIdleEb", "_ZN2v88internal7Isolate7SetIdleEb"}},
		rules: []rule{
			{from: v(10, 0), below: v(10, 2), of: IsolateContext, n: 0xa0, relative: true,
				why: "src/execution/thread-local-top.h: with a word more between them"},
			{below: v(10, 0), of: IsolateContext, n: 0x98, relative: true, why: vmStateWhy},
			{from: v(10, 2), of: IsolateContext, n: 0x98, relative: true, why: vmStateWhy}}},
	{field: IsolateCEntryFP, code: &accessor{read: isolateCEntryFP, names: []string{"Builtins_CEntry_*"}},
		rules: []rule{
			{from: v(12, 0), of: IsolateContext, n: -0x10, relative: true,
				why: "src/execution/thread-local-top.h: c_entry_fp_ and c_function_ lie before context_"},
			{from: v(10, 0), below: v(12, 0), of: IsolateContext, n: 0x68, relative: true,
				why: "src/execution/thread-local-top.h: c_entry_fp_ lies behind context_"},
			{below: v(10, 0), of: IsolateContext, n: 0x60, relative: true,
				why: "src/execution/thread-local-top.h: with a word less between them"},
		}},
	{field: HeapGCState, code: &accessor{read: heapGCState, names: []string{
		"_ZN2v88internal4Heap10SetGCStateENS1_9HeapStateE"}},
		rules: []rule{
			{from: v(12, 4), below: v(12, 5), n: 0x198, why: heapWhy},
			{from: v(13, 6), below: v(14, 2), n: 0x220, why: heapWhy},
			{from: v(14, 6), n: 0x228, why: heapWhy},
		}},
	{field: HeapMSCount, code: &accessor{read: heapMSCount, names: []string{
		"_ZN2v88internal4Heap11MarkCompactEv"}},
		rules: []rule{{from: v(12, 4), of: HeapGCState, n: 0x18, relative: true,
			why: "src/heap/heap.h: ms_count_ follows gc_state_, for binaries without the symbol of MarkCompact"}}},
}

const vmStateWhy = "src/execution/thread-local-top.h: context and current_vm_state keep their distance"

const heapWhy = "src/heap/heap.h: gc_state_, for binaries without the symbol of SetGCState"
