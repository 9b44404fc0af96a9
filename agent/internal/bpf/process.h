// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// What hotspan tells the BPF program of one process when it begins to profile it.

#pragma once

#include <linux/types.h>
#include "limits.h"

enum mapping_kind {
	MAPPING_NATIVE = 1, // a file: unwind rules
	MAPPING_GENERATED,  // code that V8 generates at run time: frame pointers
	MAPPING_BUILTINS,   // V8's: frame pointers
	MAPPING_GONE,       // a file that was there: something else may be
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

struct node {
	__u8 kinds; // of its edges, a bit each: 1 << enum edge_kind; 0 = no edges
	__u8 n_edges;
	__u8 first; // edge
	__u8 store; // 1: its objects are stores
};

// What a label is made of, besides texts, numbers and booleans.
enum value_kind {
	VALUE_PLAIN,
	VALUE_BYTES, // an array of bytes
	VALUE_TIME,  // an array of seconds and nanoseconds since 1970
};

struct edge {
	__u8 kind;   // enum edge_kind
	__u8 to;     // node whose edges go on from the value; NO_NODE = none
	__u8 label;  // whose value it is; NO_LABEL = none
	__u8 unless; // label that makes the step needless once it has a value; NO_LABEL = none
	__u16 name;  // index into process.names and shape.slots; EDGE_ELEMENT: the element
	__u8 value;  // enum value_kind: of the label
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
	__u8 width; // bytes of a character; 0 = there is no such name, and none behind it
	__u16 length; // characters
	__u32 pad;
	__u64 chars[MAX_NAME / 8];
};

// What a symbol is as the key of a resource's property: see nodejs.SymbolKind.
enum symbol_kind {
	SYMBOL_OTHER,
	SYMBOL_STORE,
	SYMBOL_PUBLIC,
	SYMBOL_CONTEXT,
	NUM_SYMBOL_KINDS,
};

// Where V8 keeps things in one process. Offsets are in bytes from untagged objects, or from the isolate.
struct v8_layout {
	__s64 isolate_tls; // from the thread's fs_base; 0 = no V8
	__u32 vm_state, c_entry_fp, cped, heap, gc_state; // from the isolate; 0 = none
	__u16 ms_count; // from gc_state, within HEAP_STATE bytes; 0 = not known
	__u16 deoptimizer_from, deoptimizer_input;  // 0 = frames that it removes from the stack are not found
	__u16 frame_content;
	__u16 exit_rest; // from inside a deopt exit's call to its end
	__u16 function_shared, sfi_script, sfi_literal, script_id;
	__u16 map_type, map_bit_field3, map_descriptors;
	__u16 receiver_hash, property_array_data, hash_shift;
	__u16 jsmap_table, table_data, dictionary_prefix;
	__u16 name_hash, symbol_flags, symbol_description, symbol_registered, symbol_private;
	__u16 object_elements, array_length, oddball_kind, oddball_true, oddball_false, oddball_hole;
	__u16 string_length, string_chars, sliced_parent, sliced_offset, cons_first, cons_second;
	__u16 thin_actual, external_data;
	__u16 string_mask, one_byte_bit, uncached_bit, first_non_string;
	__u16 tag_seq, tag_cons, tag_sliced, tag_thin, tag_external;
	__u16 heap_number_value;
	__u16 wasm_marker;     // type marker of WebAssembly's frames; 0 = none
	__u16 regexp_argument; // of a regular expression's code: which word of the arguments on the stack is the object
	__u16 type_debug_info, debug_info_script; // 0 = a function refers to its Script itself
	__u16 type_script, type_map, type_heap_number, type_property_array;
	__u16 type_symbol, type_oddball, type_array, type_fixed_array, type_weak_ref; // 0 = unknown
	__u32 descriptors_mask; // of bit_field3: the number of own descriptors
	__u32 dictionary_bit;   // of bit_field3, a mask: properties are in a dictionary
	__u16 internal_field; // of an object that C++ made
	__u16 first_js_object; // 0 = the resources of async_hooks are not read
	__u16 descriptors_header;
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

// A context that the application publishes in a thread-local variable.
struct published {
	__u32 kind; // enum published_kind of thread_context.h
	// PUBLISHED_NODE: offset of the record's address in what the internal field points to; -1 = that is the record.
	__s32 wrapped;
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

// Where the threads of libuv's pool have their work. Offsets are in bytes; package pool has their sources.
struct uv_pool {
	__u64 call;      // return address of the call of a work's function, in worker(); 0 = not known
	__u64 node_work; // function of the uv_work_t in a ThreadPoolWork of Node's
	__u32 reg;       // DWARF number of the callee-saved register that leads to the struct uv__work during the call
	__s32 offset;    // of the struct, from the register's value
	__u64 functions[NUM_WORK_KINDS];
	__s32 requests[NUM_WORK_KINDS]; // how far before the struct uv__work the request begins
	__u32 function; // of the function, in struct uv__work
	__u32 data;     // of uv_req_t.data, in a request
	__u32 work_cb;  // of uv_work_t.work_cb
	__u32 work_req; // of the uv_work_t in a ThreadPoolWork
};

struct process {
	struct v8_layout v8;
	__u32 id; // of this process and no other, ever: a later one may have the same pid
	__u32 n_mappings;
	__u8 n_roots;
	__u8 store_label;   // label of any store itself; NO_LABEL = none
	__u16 storage_name; // index into names: of the field that has the name of an AsyncLocalStorage
	__u32 n_published;
	__u32 generation; // of the mappings: no other process has it, nor this one with others; 0 = rules are not kept
	__u32 pad2;
	__u64 since; // when it was told of, CLOCK_MONOTONIC, nanoseconds
	__u64 read;  // when its mappings had begun to be read, likewise
	__u64 name_lengths; // of names and symbols in characters: a bit for each, of 64 the first
	struct uv_pool pool;
	struct published published[MAX_PUBLISHED];
	struct node nodes[MAX_NODES];
	__u64 behind[MAX_NODES]; // labels that objects of a node lead to, a bit each
	struct edge edges[MAX_EDGES];
	struct name names[MAX_SLOTS];
	struct name symbols[NUM_SYMBOL_KINDS]; // that are keys of resources' properties
	struct edge roots[MAX_NODES]; // to the store of an AsyncLocalStorage, by the name of that
	struct mapping mappings[MAX_MAPPINGS]; // sorted by start
};
