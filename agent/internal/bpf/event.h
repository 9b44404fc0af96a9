// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// What the BPF program and the agent say to each other. The Go mirrors are generated from these types.

#define KEPT_LEAF 768     // user frames of one sample, from the leaf on
#define KEPT_ROOT 256     // and up to the root, where there are more
#define MAX_FRAMES (KEPT_LEAF + KEPT_ROOT)
#define MAX_STEPS 16384   // user frames that are looked at
#define MAX_KERNEL 127    // kernel frames of one sample; the kernel's own default limit
#define MAX_MAPPINGS 128  // executable mappings of one process; a power of two
#define MAX_TABLES 1024   // files with unwind rules
#define PAGE_BITS 8       // an unwind table has an index of its rows by pages of code of this size
#define GRANULE_BITS 4    // and a bit for each granule of a page, set if the frame pointer's rule holds in all of it
#define MAX_EDGES 128     // edges of the label rules; a power of two
#define MAX_NODES 64      // nodes of the label rules; a power of two
#define NODE_EDGES 64     // edges of one node
#define MAX_SLOTS 128      // names of properties and keys of Maps that label rules use; a power of two
#define MAX_NAME 64       // bytes of such a name, where it is looked for in a table
#define MAX_STORES 64     // entries of the AsyncContextFrame, or stores of a resource, that are looked at
#define MAX_VISITS 64     // objects that are looked at for one sample; a power of two
#define MAX_PROBES 32     // entries of one table that are looked at for one key
#define MAX_LOOKS 1024    // tables' entries, objects and parts of strings that are looked at for one sample, in all
#define MAX_STRING 512    // bytes of one label value
#define MAX_BYTES 16      // elements of an array of bytes
#define MAX_CALLS 16      // frames between a thread of libuv's pool and the function that keeps its work; a power of two
#define STACK_WORDS 64    // words above the stack pointer of the first frame of V8
#define MAX_PUBLISHED 8   // thread-local variables of published contexts; a power of two
#define MAX_ATTRIBUTES 612 // bytes of the attributes of one published record
#define MAX_LOCAL 64      // labels of one published label set
#define MAX_LOCAL_TEXT 255 // bytes of the key, and of the value, of one of them

enum record_type {
	RECORD_SAMPLE = 1,
	RECORD_EXEC, // a thread of a process replaced the program
	RECORD_EXIT, // the last thread of a process has ended
};

// Why a walk ended.
enum stop {
	STOP_ROOT = 1,    // the thread's first frame
	STOP_DEPTH,       // more than MAX_STEPS
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
// of its node to a value.
enum edge_kind {
	EDGE_PROPERTY = 1,
	EDGE_MAP_ENTRY, // entry of a JSMap, by key
	EDGE_ELEMENT,   // element of a JSArray, by index
};

#define MAX_LABELS 64
#define NO_LABEL 0xff
#define NO_NODE 0xff

struct node {
	__u8 kinds; // of its edges, a bit each: 1 << enum edge_kind; 0 = no edges
	__u8 n_edges;
	__u8 first; // edge
	__u8 pad;
};

struct edge {
	__u8 kind;   // enum edge_kind
	__u8 to;     // node whose edges go on from the value; NO_NODE = none
	__u8 label;  // label that takes the value; NO_LABEL = none
	__u8 unless; // label that makes the step needless once it has a value; NO_LABEL = none
	__u16 name;  // index into process.names and shape.slots; EDGE_ELEMENT: the element
	__u8 bytes;  // the label's value is an array of bytes
	__u8 pad;
};

enum name_kind {
	NAME_STRING,
	NAME_SYMBOL,     // a symbol with this description
	NAME_REGISTERED, // the symbol that Symbol.for gives for it: one in each isolate
	NAME_PRIVATE,    // a private name of a class, with its #
};

// A property's name or a Map's key. chars is padded with zeros.
struct name {
	__u8 kind;  // enum name_kind
	__u8 width; // bytes of a character; 0 = too long to be looked for in a table
	__u16 length; // characters
	__u32 pad;
	__u64 chars[MAX_NAME / 8];
};

// Where one process keeps things. Offsets from untagged objects, or from the isolate.
struct v8_layout {
	__s64 isolate_tls; // from the thread's fs_base; 0 = no V8
	__u32 vm_state, c_entry_fp, cped, gc_state; // from the isolate; 0 = none
	__u16 deoptimizer_from, deoptimizer_input;  // 0 = what it takes from the stack is not found
	__u16 frame_content;
	__u16 exit_rest; // from inside a call of the deoptimiser to its end
	__u16 function_shared, sfi_script, sfi_literal, script_id;
	__u16 map_type, map_bit_field3, map_descriptors;
	__u16 receiver_hash, property_array_data, hash_shift;
	__u16 jsmap_table, table_data, dictionary_prefix;
	__u16 name_hash, symbol_flags, symbol_description, symbol_registered, symbol_private;
	__u16 object_elements, array_length, oddball_kind, oddball_true, oddball_false, oddball_hole;
	__u16 string_length, string_chars, sliced_parent, sliced_offset, cons_first, cons_second, thin_actual, external_data;
	__u16 string_mask, one_byte_bit, uncached_bit, first_non_string;
	__u16 tag_seq, tag_cons, tag_sliced, tag_thin, tag_external;
	__u16 heap_number_value;
	__u16 wasm_marker;     // type marker of WebAssembly's frames; 0 = none
	__u16 regexp_argument; // of a regular expression's code: which word of the arguments on the stack is the object
	__u16 type_debug_info, debug_info_script; // 0 = a function refers to its Script itself
	__u16 type_script, type_map, type_heap_number, type_property_array;
	__u16 type_symbol, type_oddball, type_array, type_fixed_array;
	__u32 descriptors_mask; // of bit_field3: the number of own descriptors
	__u32 dictionary_bit;   // of bit_field3, a mask: properties are in a dictionary
	__u16 internal_field; // of an object that C++ made
	// What async_hooks take; first_js_object 0 = they are not read.
	__u16 first_js_object, descriptors_header;
	__u8 instance_size, object_start; // offsets in a hidden class, of bytes that count words
	__u8 own_bit;                     // number of the first bit of the number of own descriptors in bit_field3
	__u8 location_bit, field_shift;   // of a descriptor's details
};

// Where a thread-local variable is, from the thread's fs_base. (System V ABI for x86-64, ELF Handling for Thread-Local
// Storage, and the C libraries' thread descriptors)
enum place_kind {
	PLACE_STATIC = 1, // the same offset in all threads
	PLACE_DTV_GLIBC,  // in the thread's block for the module
	PLACE_DTV_MUSL,
};

struct place {
	__s64 offset;
	__u64 generation; // of the module, glibc: a thread whose table is older has no block yet; 0 = not known
	__u32 module;
	__u32 kind; // enum place_kind; 0 = nowhere
};

// A context that the application publishes in a thread-local variable. The order is that of precedence.
enum published_kind {
	PUBLISHED_NODE = 1,    // otel_thread_ctx_nodejs_v1
	PUBLISHED_THREAD,      // otel_thread_ctx_v1
	PUBLISHED_NODE_LABELS, // custom_labels_als_handle, and custom_labels_als_identity_hash
	PUBLISHED_LABELS,      // custom_labels_current_set
};

struct published {
	__u32 kind;
	__s32 wrapped; // PUBLISHED_NODE: offset of the record's address in what the internal field points to; -1 = it is the record
	struct place at, hash;
};

// What a thread of libuv's pool works on, by the function that libuv has for it.
enum work_kind {
	WORK_QUEUED, // by uv_queue_work
	WORK_FILE_SYSTEM,
	WORK_ADDRESS_INFO,
	WORK_NAME_INFO,
	NUM_WORK_KINDS,
};

// Where the threads of libuv's pool have their work.
struct pool {
	__u64 call;      // return address of the call of a work's function, in worker(); 0 = not known
	__u64 node_work; // function of the uv_work_t in a ThreadPoolWork of Node's
	__u32 reg;       // number of the callee-saved register that tells the struct uv__work during the call
	__s32 offset;    // of the struct, from what is in the register
	__u64 functions[NUM_WORK_KINDS];
	__s32 requests[NUM_WORK_KINDS]; // how far before the struct the request begins
};

struct process {
	struct v8_layout v8;
	__u32 id; // of this process and no other, ever: what was learnt of one with the same pid is not believed
	__u32 n_mappings;
	__u8 named_stores; // 1: where rules begin depends on the AsyncLocalStorage, too (`stores`)
	__u8 store_label;  // label that takes any store itself; NO_LABEL = none
	__u16 pad;
	__u32 n_published;
	struct pool pool;
	struct published published[MAX_PUBLISHED];
	struct node nodes[MAX_NODES];
	struct edge edges[MAX_EDGES];
	struct name names[MAX_SLOTS];
	struct mapping mappings[MAX_MAPPINGS]; // sorted by start
};

struct shape_key {
	__u32 process; // process.id
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
	__u32 process; // process.id
	__u32 hash; // identity hash of the AsyncLocalStorage
};

// What to do with the store of one AsyncLocalStorage.
struct store {
	__u8 node;  // where its rules begin, beside those of node 0; NO_NODE = none
	__u8 label; // label that takes the store itself; NO_LABEL = none
	__u8 pad[6];
};

// Where one isolate's Environment keeps the resources whose callbacks run: see context.AsyncHooks.
struct async_hooks {
	__u64 fields;    // address of the counters, u32; 0 = there are none
	__u64 resources; // address of the Global of the JSArray of resources
	__u64 natives;   // address of the list of those that C++ pushed
	__u32 deque;     // the list is a std::deque of pointers to handles, else a std::vector of handles
	__u32 pad;
};

// The thread tells an isolate from a later one at the same address.
struct environment_key {
	__u32 process, tid; // process.id; thread
	__u64 isolate;
};

// Where resources of one hidden class keep stores, and the object that has them instead. Slots are as in struct shape, and
// so is what the hidden class must still hold.
struct resource {
	__u64 descriptors;
	__u32 own; // of bit_field3, under descriptors_mask
	__u16 public_slot, context_slot;
	__u16 n_stores;
	__u16 pad[3];
	__u16 stores[MAX_STORES];
};

// What a symbol is as the key of a resource's property: see context.SymbolKind.
enum symbol_kind {
	SYMBOL_OTHER,
	SYMBOL_STORE,
	SYMBOL_PUBLIC,
	SYMBOL_CONTEXT,
};

struct symbol_key {
	__u32 process; // process.id
	__u32 hash;
};

struct kept_key {
	__u32 process; // process.id
	__u32 pad;
	__u64 pc;
};

// Where a function keeps its caller's pool.reg while it is at one pc, in units of 8 bytes from its CFA.
#define KEPT_SAME 0    // still in the register
#define KEPT_LOST (-0x8000) // not known

struct work_key {
	__u32 process; // process.id
	__u32 kind;    // enum work_kind
	__u64 class;   // vtable of a ThreadPoolWork; 0 for other kinds
};

// Where the objects that Node has for one kind of work keep what they belong to: see context.OwnerLayout. realm 0 = they belong to
// no request that can be told.
struct work {
	__s32 resource, frame, realm, id;
	__u32 field, isolate;
};

struct isolate_key {
	__u32 process; // process.id
	__u32 pad;
	__u64 isolate;
};

// The hashes of names in one isolate, by index into process.names. V8 hashes strings with a seed, and symbols by chance.
struct isolate_names {
	__u32 hash[MAX_SLOTS]; // 0 = not met yet
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
	__u64 bytecode; // word at fp-32: the BytecodeArray if the frame is interpreted; FRAME_TYPED: the word at fp-16
	__s32 script;   // script id; -1 = none; FRAME_TYPED: the lower half of argument regexp_argument
	__s32 literal;  // function literal id; FRAME_TYPED: the upper half
	__s32 offset;   // Smi at fp-40: the interpreter's; -1 = not a Smi
	__u16 kind;     // enum frame_kind
	__u16 exact;    // pc is the next instruction: of the leaf, and of what a signal has interrupted; else a return address
};

// What follows a record in the ring buffer: n_kernel u64, n_frames struct frame, n_stack u64, n_context bytes. The stack
// words are those above the stack pointer of the first frame that is in V8's code.
struct sample {
	__u32 type;
	__u32 pid, tid, cpu;
	__u64 time;           // CLOCK_MONOTONIC, nanoseconds
	__u64 ip, sp, bp, r10; // user registers
	struct frame callee;  // what rdi would be as a JSFunction: the callee in a prologue
	__u64 work, job;      // of a thread of libuv's pool: the object that it works on, and the asynchronous operation; 0 = none
	__u16 n_kernel, n_stack, n_frames, n_context;
	__u8 vm_state;        // V8's; 0xff = the thread has no isolate
	__u8 gc_state;        // V8's Heap::HeapState
	__u8 stop;            // enum stop
	__u8 kernel_mode;     // the sample hit in the kernel
	__u16 skipped;        // frames found that are not in the record, after the first KEPT_LEAF; the others are a ring then
	__u8 resumed;         // there was a FRAME_GAP
	__u8 pad;
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
	CONTEXT_BOOLEAN,      // u8
	CONTEXT_BYTES,        // of an array
	CONTEXT_MORE_ONE,     // Latin-1 characters that belong to the record before
	CONTEXT_MORE_TWO,     // UTF-16 that belongs to the record before
	CONTEXT_CUT,          // the string before is longer than MAX_STRING bytes
	CONTEXT_LEARN_SHAPE,  // u64 object, u64 hidden class: not known yet; label = node
	CONTEXT_LEARN_KEY,    // u64 object with a large table, u64 isolate: a key's hash is not known yet; label = name
	CONTEXT_LEARN_STORE,  // u64 AsyncLocalStorage, u64 identity hash
	CONTEXT_UNREADABLE,   // a read failed, or a limit was reached
	CONTEXT_PRESENT,      // there is an AsyncContextFrame, or a resource, with stores
	CONTEXT_RECORD,       // a record of OTEP 4947, as it is in memory, up to MAX_ATTRIBUTES; label = enum published_kind
	CONTEXT_LOCAL_NODE,   // key and value of a label of PUBLISHED_NODE_LABELS; label = bytes of the key
	CONTEXT_LOCAL_THREAD, // the same of PUBLISHED_LABELS
	CONTEXT_OVER_LIMIT,   // something published is larger than what is read
	CONTEXT_AGAIN,        // what follows is the same, read once more, since a collection was running
	CONTEXT_LEARN_ISOLATE,  // u64 isolate, u64 context of its JavaScript code or 0: where its async_hooks are
	CONTEXT_LEARN_RESOURCE, // u64 object, u64 hidden class
	CONTEXT_LEARN_SYMBOL,   // u64 symbol, u64 hash: the key of a resource's property
	CONTEXT_LEARN_KEPT,     // u64 pc, 0: where the function there keeps pool.reg
	CONTEXT_LEARN_WORK,     // u64 object, u64 its vtable; label = enum work_kind
};

struct context_record {
	__u8 type;
	__u8 label;
	__u16 length;
};
