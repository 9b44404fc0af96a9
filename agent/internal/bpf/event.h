// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// What the BPF program and the agent say to each other. The Go mirrors are generated from these types.

#define MAX_FRAMES 1024   // user frames of one sample
#define MAX_KERNEL 127    // kernel frames of one sample; the kernel's own default limit
#define MAX_MAPPINGS 128  // executable mappings of one process; a power of two
#define MAX_TABLES 1024   // files with unwind rules
#define PAGE_BITS 8       // an unwind table has an index of its rows by pages of code of this size
#define GRANULE_BITS 4    // and a bit for each granule of a page, set if the frame pointer's rule holds in all of it
#define MAX_EDGES 128     // edges of the label rules; a power of two
#define MAX_NODES 64      // nodes of the label rules; a power of two
#define NODE_EDGES 16     // edges of one node
#define MAX_SLOTS 64      // property names that label rules use; a power of two
#define MAX_STORES 64     // entries of the AsyncContextFrame that are looked at
#define MAX_VISITS 64     // objects that are looked at for one sample; a power of two
#define MAX_STRING 512    // bytes of one label value
#define STACK_WORDS 64    // words above the stack pointer of the first frame of V8

enum record_type {
	RECORD_SAMPLE = 1,
	RECORD_EXEC, // a thread of a process replaced the program
	RECORD_EXIT, // the last thread of a process has ended
};

// Why a walk ended.
enum stop {
	STOP_ROOT = 1,    // the thread's first frame
	STOP_DEPTH,       // more than MAX_FRAMES
	STOP_UNREADABLE,  // stack memory is not present
	STOP_NO_RULE,     // native code without an unwind rule
	STOP_NO_PROGRESS, // the caller's frame would lie below its callee's
	STOP_BAD_PC,      // return address 0 or not canonical
};

// Counters, by index into the map `counters`. "taken" = samples of the processes that are profiled.
enum counter {
	COUNT_TAKEN,
	COUNT_RING_FULL,
	COUNT_EVENT_RING_FULL, // exec and exit records, not samples
	COUNT_NANOSECONDS,     // that taking the samples took
	NUM_COUNTERS,
};

enum mapping_kind {
	MAPPING_NATIVE = 1, // a file: unwind rules
	MAPPING_V8,         // JIT code or builtins: frame pointers
};

struct mapping {
	__u64 start, end; // [start, end)
	__u64 base;       // address that the rows of the table count from
	__u32 table;      // key of `tables`; 0 = none
	__u32 pages;      // of the table
	__u32 kind;
	__u32 pad;
};

// The label rules are a tree. Node 0 stands for the store of any AsyncLocalStorage; an edge is a step from the object
// of its node, by property or by map entry, to a value. All edges of a node are of one kind.
enum edge_kind {
	EDGE_PROPERTY = 1,
	EDGE_MAP_ENTRY, // entry of a JSMap whose key is the symbol with this hash
};

#define MAX_LABELS 64
#define NO_LABEL 0xff
#define NO_NODE 0xff

struct node {
	__u8 kind; // enum edge_kind; 0 = no edges
	__u8 n_edges;
	__u8 first; // edge
	__u8 pad;
};

struct edge {
	__u8 slot;  // EDGE_PROPERTY: index into shape.slots
	__u8 to;    // node whose edges go on from the value; NO_NODE = none
	__u8 label; // label that takes the value; NO_LABEL = none
	__u8 unless; // label that makes the step needless once it has a value; NO_LABEL = none
	__u32 hash; // EDGE_MAP_ENTRY: 0 = not learnt yet
};

// Where one process keeps things. Offsets from untagged objects, or from the isolate.
struct v8_layout {
	__s64 isolate_tls; // from the thread's fs_base; 0 = no V8
	__u32 vm_state, c_entry_fp, cped, gc_state; // from the isolate; 0 = none
	__u16 function_shared, sfi_script, sfi_literal, script_id;
	__u16 map_type, map_bit_field3, map_descriptors;
	__u16 receiver_hash, property_array_data, hash_shift;
	__u16 jsmap_table, table_data, symbol_hash;
	__u16 string_length, string_chars, sliced_parent, sliced_offset, cons_first, cons_second, thin_actual;
	__u16 string_mask, one_byte_bit, tag_seq, tag_cons, tag_sliced, tag_thin, first_non_string;
	__u16 heap_number_value;
	__u16 type_debug_info, debug_info_script; // 0 = a function refers to its Script itself
	__u16 type_script, type_map, type_heap_number, type_property_array;
	__u32 descriptors_mask; // of bit_field3: the number of own descriptors
};

struct process {
	struct v8_layout v8;
	__u32 n_mappings;
	__u32 named_stores; // 1: the first node depends on the AsyncLocalStorage (`stores`)
	struct node nodes[MAX_NODES];
	struct edge edges[MAX_EDGES];
	struct mapping mappings[MAX_MAPPINGS]; // sorted by start
};

struct shape_key {
	__u32 pid;
	__u32 pad;
	__u64 map; // hidden class, tagged
};

// Where objects of one hidden class keep the properties that rules name. A slot is 0 for none, else the word of the
// object, or with SLOT_OUT set the word of its property array. descriptors and own are what the hidden class must
// still hold: an address that is used again for another class must not be believed.
#define SLOT_OUT 0x8000

struct shape {
	__u64 descriptors;
	__u32 own;
	__u32 pad;
	__u16 slots[MAX_SLOTS];
};

struct store_key {
	__u32 pid;
	__u32 hash; // identity hash of the AsyncLocalStorage
};

// What to do with the store of one AsyncLocalStorage.
struct store {
	__u8 node;  // where its rules begin, beside those of node 0; NO_NODE = none
	__u8 label; // label that takes the store itself; NO_LABEL = none
	__u8 pad[6];
};

// enum frame_kind says what the program found a frame to be.
enum frame_kind {
	FRAME_NATIVE = 1,
	FRAME_JS,      // V8 code whose frame holds a JSFunction
	FRAME_TYPED,   // V8 code whose frame holds a type marker
	FRAME_UNKNOWN, // no mapping known for pc
	FRAME_GAP,     // native frames that could not be walked; the walk resumed at V8's exit frame
};

struct frame {
	__u64 pc;
	__u64 sfi;      // SharedFunctionInfo, tagged; FRAME_TYPED: the marker
	__u64 bytecode; // word at fp-32: the BytecodeArray if the frame is interpreted
	__s32 script;   // script id; -1 = none
	__s32 literal;  // function literal id
	__s32 offset;   // Smi at fp-40: the interpreter's; -1 = not a Smi
	__u32 kind;
};

// What follows a record in the ring buffer: n_kernel u64, n_frames struct frame, n_stack u64, n_context bytes. The stack
// words are those above the stack pointer of the first frame that is in V8's code.
struct sample {
	__u32 type;
	__u32 pid, tid, cpu;
	__u64 time;           // CLOCK_MONOTONIC, nanoseconds
	__u64 ip, sp, bp, r10; // user registers
	struct frame callee;  // what rdi would be as a JSFunction: the callee in a prologue
	__u16 n_kernel, n_stack, n_frames, n_context;
	__u8 vm_state;        // V8's; 0xff = the thread has no isolate
	__u8 gc_state;        // V8's Heap::HeapState
	__u8 stop;            // enum stop
	__u8 kernel_mode;     // the sample hit in the kernel
	__u32 pad;
	char comm[16];
};

struct lifecycle {
	__u32 type;
	__u32 pid;
	__u64 time;
};

// A context record: this header and `length` bytes.
enum context_type {
	CONTEXT_ONE_BYTE = 1, // Latin-1 characters
	CONTEXT_TWO_BYTE,     // UTF-16
	CONTEXT_SMI,          // s64
	CONTEXT_DOUBLE,       // f64
	CONTEXT_LEARN_SHAPE,  // u64 object, u64 hidden class: not known yet; label = node
	CONTEXT_LEARN_SYMBOL, // u64 JSMap: a key's hash is not known yet; label = edge
	CONTEXT_LEARN_STORE,  // u64 AsyncLocalStorage, u64 identity hash
	CONTEXT_UNREADABLE,   // a read failed, or a limit was reached
	CONTEXT_PRESENT,      // there is an AsyncContextFrame with stores
};

struct context_record {
	__u8 type;
	__u8 label;
	__u16 length;
};
