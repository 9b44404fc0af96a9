// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// What hotspan learns of a process while it is profiled, on request of the BPF program: keys and values of its maps.

#pragma once

#include <linux/types.h>
#include "limits.h"

struct shape_key {
	__u32 process; // process.id
	__u32 thread;  // that has the isolate: the class of a later one may be there
	__u64 hidden_class; // address of the Map, tagged
	__u64 mark_compacts; // as in struct scratch: after the next one another class may be there
};

// In the number of a slot: the word is of the property array.
enum slot {
	SLOT_OUT = 0x8000,
};

// What is known of a hidden class (V8's Map): where its objects keep the properties that rules name. A slot is 0 for
// none, else the number of a word of the object, or with SLOT_OUT set of its property array. V8 may change a hidden
// class in place: then descriptors or own differ.
struct shape {
	__u64 descriptors;
	__u32 own; // of bit_field3, under descriptors_mask
	__u32 guards; // two slots of 16 bits behind accessors, NO_SLOT if there are more; 0 = none: see is_moving
	__u16 slots[MAX_SLOTS];
};

// Where one isolate's Environment keeps the resources whose callbacks run: see nodejs.AsyncHooks.
struct async_hooks {
	__u64 fields;    // address of the counters, u32; 0 = there are none
	__u64 resources; // address of the Global of the JSArray of resources
	__u64 natives;   // address of the list of those that C++ pushed
	__u32 deque;     // the list is a std::deque of pointers to handles, else a std::vector of handles
	__u32 lost;      // there are some, but nobody knows where
	__u64 hook;      // address of the Global of a function of Node's; 0 = it is asked for where it is needed
	__u32 hook_context; // byte of the function where its context is; 0 = nobody knows the function
	__u16 top_level;    // word of the context: the resource while the stack is empty
	__u16 words;        // of the context
};

// The thread tells an isolate from a later one at the same address.
struct environment_key {
	__u32 process, tid; // process.id; thread
	__u64 isolate;
};

// Where resources of one hidden class keep stores, and the object that has them instead. descriptors, own and slots are
// as in struct shape.
struct resource {
	__u64 descriptors;
	__u32 own;
	__u16 public_slot, context_slot;
	__u16 n_stores;
	__u16 pad[3];
	__u16 stores[MAX_STORES];
};

struct symbol_key {
	__u32 process; // process.id
	__u32 thread;  // that has the isolate: with --random-seed the symbols of all have the same hashes
	__u32 hash;
};

// A place in the code of a file, whichever process has mapped it.
struct kept_key {
	__u16 table; // mapping.table
	__u16 reg;   // pool.reg
	__u32 at;    // from mapping.base
};

// Where a function keeps its caller's pool.reg while it is at one place, in units of 8 bytes from its CFA.
enum kept {
	KEPT_SAME = 0,       // still in the register
	KEPT_LOST = -0x8000, // not known
};

struct work_key {
	__u32 process; // process.id
	__u32 pad;
	__u64 class;   // vtable of a ThreadPoolWork that is no part of an AsyncWrap; 0 for AsyncWraps
};

// Where what Node has for a job keeps what it belongs to: see nodejs.OwnerLayout. realm 0 = that is not known.
struct work {
	__s32 resource, frame, realm, id;
	__u32 field, isolate;
};

struct publisher_key {
	__u32 process; // process.id
	__u32 number;  // in process.published
	__u64 isolate;
};

struct isolate_key {
	__u32 process; // process.id
	__u32 pad;
	__u64 isolate;
};

// The hashes of names in one isolate, by index into process.names. V8 hashes strings with a seed, and symbols by
// chance.
struct isolate_names {
	__u32 tid, pad;	       // the isolate's thread, which tells it from an earlier one at its address; 0 = not known
	__u32 hash[MAX_SLOTS]; // 0 = not known yet
	__u64 key[MAX_SLOTS];  // a key with the name, tagged, xor the epoch in which it stays where it is: see is_old
};
