// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Scratch memory: what does not fit on the BPF stack.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "limits.h"
#include "learned.h"
#include "process.h"

#define BUFFER_SIZE 0x10000
#define MAX_PIECES 128       // of a string, at one time; a power of two
#define MAX_PIECES_TOTAL 256 // of a string, in all
#define MAX_VALUES 64        // values of labels; a power of two
#define STRING_HEAD 16
#define SHORT_STRING 48      // bytes of characters of a string that are read with its head

struct visit {
	__u64 object; // tagged
	__u32 node;
	__u32 pad;
};

struct label_value {
	__u64 value; // tagged: a Smi, a string, a HeapNumber or an array; of an Oddball its kind
	__u8 label, kind;  // number; enum value_kind
	__u16 type;        // instance type
	__u32 size;        // bytes of head that were read of the object
	__u64 head[(STRING_HEAD + SHORT_STRING) / 8];
};

// A table of {key, value, word}: an OrderedHashMap, a NameDictionary, or the descriptors of a hidden class.
struct table {
	__u64 buckets, entries; // addresses; a dictionary has no buckets
	__u32 n_buckets;        // or the dictionary's capacity: a power of two
	__u32 n_entries;        // all of them, empty and deleted ones too
	__u32 whole;            // all of it was read, into scratch->words
	__u32 first;            // and where its entries begin there
	__u8 of_class;          // they are {key, details, value} of descriptors
	__u8 noted;             // scratch->shape.slots has numbers of entries
	__u8 doubt;             // which names some key is cannot be told, or not all keys were compared
	__u32 skipped;          // entries before number 1 that were not compared
	__u32 deleted;          // how many entries of a JavaScript Map were
};

#define WHOLE_TABLE 512 // bytes; a power of two

// An object that may be a JavaScript Map is read together with what is behind it, which is most often its table: V8
// makes one after the other.
struct ahead {
	__u64 object; // tagged, whose first bytes are in scratch->words; 0 = none's
	__u32 size;   // how many
	__u32 pad;
};

// An object that was forwarded, and its copy: its hidden class, how many words it has, and one of them.
struct copied {
	__u64 from, to; // addresses
	__u64 class;
	__u64 old, new; // the word where the object was, and where it is
	__u64 now;      // where the object is to which the word referred
	__u8 words;
	__u8 pad[7];
};

// A table entry: src/objects/ordered-hash-table.h, src/objects/dictionary.h.
struct table_entry {
	__u64 key, value;
	__u64 word; // of a Map the next entry of the bucket, of a dictionary the property's details
};

// The search of a table for a name.
struct search {
	struct name name;
	__u32 id;     // its number
	__u32 symbol; // the key that was compared last is one
	struct table_entry entry;
	__u64 known;     // the key that had the name before, tagged; 0 = none is known
	__u32 hash;      // sought; 0 = not known: all entries are compared
	__u32 index;     // of the entry that is next
	__u32 seen_hash; // of the key that was compared last
	__u8 found;      // `entry` is it
	__u8 ended;      // no further entry can be it
	__u8 doubt;      // whether some key matches cannot be told
	__u8 pad;
};

// The text of a key.
struct key_text {
	__u64 string; // tagged
	__u32 kinds;  // of names that the key may be: a bit for each enum name_kind
	__u32 length; // in characters
	__u32 type;   // instance type of the string
	__u32 width;  // bytes of a character; 0 = it was not read
	__u32 slot;   // of what has this key
	__u32 pad;
};

// A part of a string that is put together: `length` characters of `string` after the first `skip`.
struct piece {
	__u64 string; // tagged
	__u32 skip, length;
};

// A label value that is being put together.
struct text {
	__u32 label;
	__u32 record, start; // offsets in the buffer: of the record that is being written, and of its characters
	__u32 size;          // bytes of all records of the value
	__u32 left;          // characters that are still to come
	__u32 width;         // bytes of a character; 0 = none yet
	__u32 n_pieces;      // still to be copied, the next on top
	__u32 known;         // bytes in object_head of the next one; 0 = it is to be read
	__u16 type;          // and its instance type
	__u8 bad, cut;
};

// What is kept from one sample to the next, since it is read again and again: objects that live, and do not move in the
// epoch in which they were read. The numbers are powers of two.
#define MAX_SCRIPTS 64
#define MAX_PLANS 64      // pairs
#define MAX_CLASSES 64    // pairs
#define MAX_IDENTITIES 256 // pairs

// What an object is kept by, while it is where it was read. Epochs are as good as random: no two pairs of an object and
// an epoch have the same key.
#define KEY_OF(s, object) ((object) ^ (s)->epoch)

struct script {
	__u64 object, epoch; // tagged
	__s32 id;
	__u32 pad;
};

struct hidden_class {
	__u64 key; // KEY_OF
	__u64 type;
};

// One step of a rule: where an object has the property, and what becomes of its value, as in struct edge.
struct step {
	__u16 slot; // as in struct shape
	__u8 to, label, unless, value;
};

// The steps from the objects of a node that have one hidden class. V8's own code relies on it as long as there is the
// hidden class: its inline caches know a property by the hidden class alone. (src/ic/handler-configuration.h)
#define MAX_PLANNED 8
struct plan {
	__u64 key;  // see plan_key
	__u16 type; // instance type
	__u8 n;
	__u8 start; // words before the first property
	__u32 guards; // of the shape
	struct step steps[MAX_PLANNED];
};

// A page of V8's heap: whether what is on it moves in collections that are no mark-compacts.
struct heap_page {
	__u64 at, epoch;
	__u64 old; // it does not
};
#define MAX_PAGES 32

// A function, or what functions share (a SharedFunctionInfo), and what that tells functions apart by.
struct identity {
	__u64 key;    // KEY_OF
	__u64 shared; // tagged
	__s32 script; // -1 = none
	__u32 literal;
};

// A stack of which all frames are known: see known.h.
struct known_stack {
	__u64 fingerprint;
	__u64 forgotten; // how often hotspan had removed one before
};
#define MAX_STACKS 256

// The unwind rule of an address in native code. A search for one takes several lines of memory, none of which the CPU
// has in its caches when samples are far apart; the frames near the root are the same in most of them.
struct known_rule {
	__u64 pc;
	__u32 generation; // process.generation
	__u32 rule;       // as pack_rule makes it
};
#define KNOWN_RULES 256 // a power of two

// How a frame of native code leads to its caller.
struct root_link {
	__u64 at, pc;    // where the return address is, and what it was
	__u64 bp_at, bp; // where the caller's frame pointer is, and what it was; bp_at 0 = not on the stack
};

// The native frames below V8's: see root.h. The numbers are powers of two.
#define MAX_ROOT_LINKS 64
#define MAX_ROOTS 8

struct root {
	__u64 pc, sp, bp; // of its first frame
	__u32 generation; // process.generation; 0 = it is not complete
	__u32 n;
	struct root_link links[MAX_ROOT_LINKS];
};

// Where a thread's event loop counts its turns.
struct turns {
	__u64 at, epoch;
};

// A key of a Map that had a name in an epoch.
struct known_key {
	__u64 name; // its number and the epoch, added
	__u64 key;  // tagged
};
#define KNOWN_KEYS 32 // a power of two
#define OTHER_KEYS 64 // a power of two

// The store of an AsyncLocalStorage. All are tagged.
struct store {
	union {
		__u64 storage; // of an AsyncContextFrame: the AsyncLocalStorage
		__u64 details; // of an object in dictionary mode: of the property
	};
	__u64 value;
};

// How far the reading of a resource of async_hooks has come.
struct resource_state {
	__u64 object;         // the current one, tagged
	__u64 public, holder; // what stands for it, and what has its stores
	__u32 more, pad;      // it has more stores than there is room for
};

// How far a walk has come. On the BPF stack the verifier would follow all combinations of their values.
struct walk {
	__u64 pc, sp, bp;
	__u64 isolate;
	__u64 v8_sp;    // stack pointer of the first frame in V8's code
	__u64 context;  // of the outermost JavaScript frame; 0 = there is none
	__u32 n_frames; // that were found; the record keeps MAX_FRAMES of them
	__u32 frames;   // where in the buffer they begin
	__u8 stop;      // enum stop; 0 = it goes on
	__u8 leaf;      // the frame is the leaf or its caller: all registers that its rule asks for are known
	__u8 exact_pc;  // pc is an instruction to run next, not a return address
	__u8 resumed;   // the walk has jumped to V8's exit frame
	__u32 n_calls;  // that were kept
	__u32 in_pool;  // how many of them until libuv's worker() was reached; 0 = it was not
	__u8 typed;     // the last frame has a type marker
	__u8 word_above; // pc is the word above what its return address should be: `value`
	__u8 unsure;     // how a caller was found has no rule
	__u8 in_root;    // of the frames that follow it is noted how they lead to their callers
	__u8 root;       // where
	__u16 root_frames; // frames that were found before these
	__u64 stack;    // fingerprint of the frames that have names
	__u64 builtin;  // pc of that frame
	__u64 value;
};

// A frame of native code, and where its caller's begins.
struct call {
	__u64 pc; // in the instruction that it is at
	__u64 cfa;
};

// For which request another thread than that of its JavaScript works.
struct owner {
	__u64 isolate;  // 0 = for none, or for its own
	__u64 frame;    // the AsyncContextFrame, or undefined, tagged; 0 = none
	__u64 resource; // tagged; 0 = none
};

// Slots below V8's frame pointer (src/execution/frame-constants.h), then what every frame has above it, then arguments.
struct v8_frame {
	__u64 offset, bytecode, argc, function, context;
	__u64 bp, pc;
	__u64 arguments[4];
	__u64 end; // no slot: where the frame ends
};
#define V8_FRAME_SIZE __builtin_offsetof(struct v8_frame, end)

// Bytes of the stack that are read at once. A read costs as much as copying some hundred bytes that follow each other.
#define WINDOW 2048

// A part of the heap that was read: see part.h.
#define PART 1024    // bytes
#define LINE 64      // bytes of it that are compared at once
#define MAX_PARTS 16 // a power of two
struct part {
	__u64 at;
	__u32 first, end; // bytes of it that were asked for, whole lines
};

// What the last sample has said of a request: the parts are those that it was read of.
enum request_state {
	REQUEST_MET,   // nothing is kept of it
	REQUEST_KEPT,
	REQUEST_UNFIT, // not all that it is read of can be in parts
};
#define MAX_KEPT 1024 // bytes; a power of two
struct kept_request {
	__u64 frame; // the AsyncContextFrame, tagged; 0 = it was of none
	__u64 epoch;
	__u32 size;  // bytes of records
	__u32 state; // enum request_state
	__u8 records[2 * MAX_KEPT]; // the slack lets the verifier see that they stay inside
};

// What does not fit on the BPF stack: one for each CPU. A timer runs the BPF program with interrupts off, never twice
// on a CPU; hits of probes take turns (probe.h).
struct scratch {
	__u64 registers[16]; // of the leaf, by DWARF number
	__u64 object_head[16]; // first words of the heap object that is read
	__u64 ref_head[16];    // and of one that it refers to, such as its hidden class
	__u64 key[MAX_NAME / 8]; // head or characters of a key
	__u32 object_words; // in object_head of the object whose properties are read
	__u32 by_slot;      // these are where shape says; else in table, or they are entries or elements
	struct v8_layout v8; // of the process
	struct table table;
	struct ahead ahead;
	struct copied copied;
	__u64 words[WHOLE_TABLE / 8 + 4]; // of the table; the slack lets the verifier see that entries stay inside
	struct search search;
	struct key_text text;
	struct shape shape; // being read; its slots also have the numbers of a table's entries, by name
	__u32 accessor; // the descriptor before the next one is an accessor's
	__u32 start, inside; // words before the first property of an object, and properties in the object itself
	__u64 elements; // of an array: address of the first, and how many
	__u32 n_elements, n_read; // the first n_read are in `part`, behind two words
	__u64 epoch;   // see epoch_of
	__u64 frame, frame_of; // the AsyncContextFrame that was read of an isolate; 0 = of none
	__u64 heap;    // address of the isolate's Heap; 0 = not known
	__u32 thread;  // that has the isolate whose objects are read; 0 = not known, as of an owner
	__u64 mark_compacts; // that it has begun, and one; 0 = not known
	__u32 guessed; // what is read may be no object any more, and its place another one's soon: it is not kept
	struct script scripts[MAX_SCRIPTS]; // each where its address says; not of one sample
	struct hidden_class classes[MAX_CLASSES][2]; // likewise, the later one first
	struct plan plans[MAX_PLANS][2];             // likewise
	struct heap_page pages[MAX_PAGES];        // likewise
	struct identity identities[MAX_IDENTITIES][2]; // likewise, the later one first
	struct known_stack stacks[MAX_STACKS]; // likewise
	struct known_key keys[KNOWN_KEYS]; // likewise
	__u64 others[OTHER_KEYS]; // likewise: keys that are not some name (other_key)
	struct turns turns; // likewise
	struct root roots[MAX_ROOTS]; // likewise
	__u32 n_visits, n_values;
	__u32 n_entered, next_entered; // of the visits are of stores, and the next of them
	__u64 visited; // object whose head is in object_head; 0 = of none
	__u32 node;      // that it is visited for
	__u32 next_kind; // kind of the edges from the object that was visited last which come next; 0 = none
	__u32 context_steps; // that are left of MAX_CONTEXT_STEPS
	__u32 full;  // the buffer has had no room for a record
	__u32 present; // a store is current
	__u32 failed;  // something could not be read
	__u64 labels_set;    // labels that have a value, a bit each
	__u64 labels_kept;   // that have one which is not appended yet
	__u64 labels_missed; // of which the store that is read may have one that could not be read
	__u64 labels_lost;   // of which one before it may have: a later value is not the first
	struct visit visits[MAX_VISITS];
	struct label_value values[MAX_VALUES];
	struct piece pieces[MAX_PIECES], piece; // piece: the one that is copied
	struct text value_text;
	struct store stores[MAX_STORES]; // of the current AsyncContextFrame or resource
	__u64 part[32];           // a part of its dictionary, and before that of what leads to it
	struct resource_state resource;
	__u64 ended; // the value of stores that have ended, undefined or null; 0 = not known
	__u32 n_stores;
	__u32 collecting; // the thread is in a collection, or reads objects of one that may begin one
	struct isolate_names no_names; // zeros
	struct walk walk;
	struct call calls[MAX_CALLS]; // the last ones
	__u64 window_at; // address of the part of the stack that is in window; 0 = none is
	__u64 window[(WINDOW + V8_FRAME_SIZE) / 8]; // the slack lets the verifier see that frames stay inside
	__u32 v8_mappings[2]; // numbers of those that V8's code was in last; not of one sample
	struct known_rule rules[KNOWN_RULES]; // each where its address says; not of one sample
	struct part parts[MAX_PARTS];
	__u64 part_words[(MAX_PARTS + 1) * PART / 8]; // of these; slack shows the verifier that objects stay inside
	__u64 word; // that was read last
	__u64 again[2 * PART / 8]; // a part that is read again; with slack
	__u32 n_parts, found_part;
	__u32 in_parts; // what is read of a request is to be in parts
	__u32 apart; // something of it was read that is not, or could not be read
	struct kept_request request; // not of one sample
	struct owner owner;
	struct v8_frame slots; // of the current frame
	__u32 end; // bytes of buffer in use
	__u32 is_new; // naming the sample needs something that hotspan has not read
	__u64 isolate; // fingerprint of the thread's
	__u32 urgent; // the record has a request to the agent, whose answer the next samples need
	__u32 users;  // hits of probes and waits that are being sampled, or want to be
	__u64 trampoline; // what stands on the stack for return addresses that are replaced; 0 = nothing
	__u64 pending;    // the kernel's list of those calls, from the next one on
	__u8 buffer[BUFFER_SIZE + 8192]; // the record; the slack lets the verifier see that appends stay inside
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); // the loader sets the number of CPUs
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

// Which one a BPF program uses.
#ifndef SCRATCH
#define SCRATCH bpf_get_smp_processor_id()
#endif

// The functions that are not static are verified once, not for each call and each way that leads to one. They can be
// given numbers, and structs without pointers, which they must check not to be 0.
static __always_inline struct scratch *own_scratch(void)
{
	__u32 number = SCRATCH;
	return bpf_map_lookup_elem(&scratches, &number);
}
