// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Where objects keep the properties that rules name: found in the descriptors of their hidden class, and kept.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "learned.h"
#include "limits.h"
#include "memory.h"
#include "part.h"
#include "names.h"
#include "plan.h"
#include "process.h"
#include "scratch.h"
#include "table.h"
#include "value.h"

// Kept of all isolates, also in collections, when a CPU keeps nothing (struct plan).
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2048);
	__type(key, struct shape_key);
	__type(value, struct shape);
} shapes SEC(".maps");

#define ARRAY_LENGTH 0x3ff // in the word of a property array that has its hash, too

struct reader {
	struct process *process;
	struct scratch *scratch;
	__u64 isolate;
	__u64 object; // the current one
};

// The word of a property that an object keeps out of it, in this property array, unless it is just becoming a
// dictionary: it becomes scratch->word. (src/objects/property-array.h)
__noinline int read_out(const struct process *p, struct scratch *s, __u64 array, __u32 slot)
{
	if (!p || !s)
		return -1;
	__u32 size = read_more(s, array, s->ref_head, ELEMENTS, ELEMENTS_HEAD);
	if (!size || instance_type(s->ref_head[0]) != p->v8.type_property_array ||
	    (slot & 0x7fff) >= ((__u32)SMI(s->ref_head[1]) & ARRAY_LENGTH))
		return -1;
	__u32 at = p->v8.property_array_data + (slot & 0x7fff) * 8;
	if (at >= size)
		return find_word(s, array - 1 + at);
	s->word = word_at(s->ref_head, at);
	return 0;
}

// The word of a property. Objects keep the first properties in themselves, the others in a property array.
static __always_inline int read_slot(const struct process *p, struct scratch *s, __u64 object, __u32 slot,
				     __u64 *value)
{
	__u64 array;
	if (!(slot & SLOT_OUT))
		return read_apart(s, value, 8, object - 1 + slot * 8);
	if (read_apart(s, &array, 8, object - 1 + p->v8.receiver_hash))
		return -1;
	int failed = read_out(p, s, array, slot);
	*value = s->word;
	return failed;
}

// Reads an object whose properties or entries are asked for into scratch->object_head.
static __always_inline void read_head(struct scratch *s, __u64 object, int may_be_map)
{
	__u64 *head = s->object_head;
	s->object_words = may_be_map ? (__u32)read_ahead(s, object) / 8 : 0;
	if (s->object_words) {
		if (s->object_words > OBJECT_WORDS)
			s->object_words = OBJECT_WORDS;
		__builtin_memcpy(head, s->words, OBJECT_WORDS * 8);
	} else {
		s->object_words = read_more(s, object, head, OBJECT_WORDS * 8, OBJECT_HEAD) / 8;
	}
}

// The instance type of that object, which is of a node; -1 where it could not be read, which is counted.
static __always_inline int type_of_head(struct scratch *s, __u32 node)
{
	__s32 type = -1;
	if (s->object_words) {
		const struct plan *plan = find_plan(s, s->object_head[0], node);
		type = plan ? plan->type : instance_type(s->object_head[0]);
	}
	if (type < 0)
		unreadable(s);
	return type;
}

// The word of a property of that object becomes scratch->word.
static __always_inline int find_property(const struct process *p, struct scratch *s, __u64 object, __u32 slot)
{
	if (slot & SLOT_OUT)
		return read_out(p, s, word_at(s->object_head, p->v8.receiver_hash), slot);
	if (slot >= s->object_words)
		return find_word(s, object - 1 + slot * 8);
	s->word = s->object_head[slot & 15];
	return 0;
}

// Whether scratch->word, which was read from a slot of that object, is none of its values: V8 writes a filler over the
// properties in an object that becomes a dictionary, and its hidden class later. Of a filler the second word is a Smi,
// until V8 10 all others. (src/objects/js-objects.cc, MigrateFastToSlow)
static __always_inline int is_filler(struct scratch *s, __u32 start, __u32 slot)
{
	return rarely(IS_SMI(s->word) && !(slot & SLOT_OUT) && slot > start && start < s->object_words &&
		      is_hidden_class(s->object_head[start & 15]));
}

static __always_inline int read_property(const struct process *p, struct scratch *s, __u64 object, __u32 slot,
					 __u64 *value)
{
	int failed = find_property(p, s, object, slot);
	*value = s->word;
	return failed;
}

// Whether a hidden class whose head this is still is the one that was learned.
static __always_inline int is_class(const struct v8_layout *v8, const __u64 *head, __u64 descriptors, __u32 own)
{
	return word_at(head, v8->map_descriptors) == descriptors &&
	       (half_at(head, v8->map_bit_field3) & v8->descriptors_mask) == own;
}

#define MAX_DESCRIPTORS 1020 // of a hidden class (src/objects/property-details.h, kMaxNumberOfDescriptors)
#define DESCRIPTORS_HEAD 16
#define HEADER_WORDS 3 // that an object has before its properties (src/objects/js-objects.h)

// How many descriptors there are in an array of them, a part of which belongs to each of the hidden classes that share
// it: in a word with the number of those that it has room for. (src/objects/descriptor-array.tq)
#define N_DESCRIPTORS(word) ((__u32)((word) >> 16 & 0xffff))

// Opens the descriptors {key, details, value} of a hidden class whose head is in scratch->ref_head, as a table.
static __always_inline int open_descriptors(struct scratch *s)
{
	const struct v8_layout *v8 = &s->v8;
	__u64 *head = s->ref_head, descriptors = word_at(head, v8->map_descriptors);
	__u8 size = word_at(head, v8->instance_size) >> (v8->instance_size & 7) * 8;
	__u8 start = word_at(head, v8->object_start) >> (v8->object_start & 7) * 8;
	__u32 own = half_at(head, v8->map_bit_field3) >> (v8->own_bit & 31) & 0x3ff;
	if (read_whole_apart(s, descriptors, head, DESCRIPTORS_HEAD))
		return -1;
	__u32 all = N_DESCRIPTORS(head[1]);
	if (own > all || (own && start < HEADER_WORDS) || (!own && all)) // it is no hidden class, or no array
		return -1;
	s->start = start;
	s->inside = size > start ? size - start : 0;
	s->table.of_class = 1;
	s->table.whole = s->table.doubt = 0;
	s->table.n_entries = own;
	s->table.entries = descriptors - 1 + v8->descriptors_header;
	return 0;
}

#define NO_SLOT 0xffff // where a property is cannot be told: no property array has as many

// The slot that a descriptor's details tell; 0 for an accessor or a value that is in the descriptor.
// (src/objects/property-details.h)
static __always_inline __u32 slot_of(const struct scratch *s, __u64 details)
{
	__u32 d = SMI(details);
	if (!IS_SMI(details))
		return NO_SLOT;
	if (d & 1 || d >> (s->v8.location_bit & 31) & 1)
		return 0;
	__u32 i = d >> (s->v8.field_shift & 31) & 0x3ff;
	return i < s->inside ? s->start + i : SLOT_OUT | (i - s->inside);
}

#define GUARD_BITS 16 // of one of the two slots in the number of guards

// Notes the first slot behind an accessor, which has none.
static __always_inline void note_accessor(struct scratch *s, __u32 slot)
{
	if (slot && s->accessor) {
		if (s->shape.guards >> GUARD_BITS)
			slot = NO_SLOT; // there is no room for a third one
		s->shape.guards = s->shape.guards << GUARD_BITS | slot;
	}
	s->accessor = !slot;
}

#define DOUBLE_ONE 0x3ff0000000000000ULL
#define DOUBLE_NAN 0x7ff

// Whether scratch->word is what V8 writes into a slot that has no value yet.
__noinline int is_unset(struct scratch *s)
{
	__u64 class, number;
	if (!s || IS_SMI(s->word))
		return 0;
	if (!HEAP_OBJECT(s->word) || read_apart(s, &class, 8, s->word - 1))
		return 1;
	__s32 type = instance_type(class);
	if (type == s->v8.type_heap_number)
		return read_apart(s, &number, 8, s->word - 1 + s->v8.heap_number_value) || number == HOLE_NAN;
	// What undefined, null, true and false are as numbers; V8's own Oddballs are none of these.
	if (type == s->v8.type_oddball)
		return read_apart(s, &number, 8, s->word - 1 + 8) ||
		       (number && number != DOUBLE_ONE && number >> 52 != DOUBLE_NAN);
	return type >= s->v8.first_non_string && type < s->v8.first_js_object && type != s->v8.type_symbol;
}

// Whether V8 may be moving the properties of the current object: one that becomes a value where it was an accessor has
// a slot then, and those behind it are in the next ones. V8 writes them, in C++, before the hidden class says so. Into
// the new slot, where the first of them was, it writes what no property has: an Oddball of its own, or a number that is
// none. (src/objects/js-objects.cc, MigrateFastToFast)
static __always_inline int is_moving(const struct process *p, struct scratch *s, __u64 object, __u32 guards)
{
	if (!guards || in_v8_code(s))
		return 0;
#pragma clang loop unroll(disable)
	for (int i = 0; i < 2 && guards; i++) {
		__u32 slot = guards & ((1 << GUARD_BITS) - 1);
		guards >>= GUARD_BITS;
		if (slot == NO_SLOT || find_property(p, s, object, slot) || is_unset(s))
			return 1;
	}
	return 0;
}

__noinline int clear_slots(struct scratch *s)
{
	if (s)
		__builtin_memset(s->shape.slots, 0, sizeof(s->shape.slots));
	return 0;
}

// Notes which names the key of an entry of scratch->table is: of a hidden class their slots, else the number of the
// entry, from 1 on. A program has few functions that call each other, and little stack: `nested` calls none for names.
static __always_inline long note_keys(const struct process *p, struct scratch *s, __u32 i, int nested)
{
	if (i >= s->table.n_entries)
		return 1;
	__u64 *entry = i % 4 || use_steps(s, 1) ? table_entry(s, i) : 0;
	if (!entry) {
		s->table.doubt = 1;
		return 1;
	}
	__u64 key = entry[0];
	int of_class = s->table.of_class, deleted = !of_class && key == entry[1];
	__u32 slot = of_class ? slot_of(s, entry[1]) : i + 1;
	if (of_class)
		note_accessor(s, slot);
	if (!of_class && !HEAP_OBJECT(key))
		return 0;
	long may = read_key(p, s, key);
	if (may > 0)
		may = nested ? compare_names(p, s, slot) : note_key(p, s, slot);
	if (slot == NO_SLOT || (may < 0 && !deleted)) // whose key, the hole, may lie in a page that cannot be read
		s->table.doubt = 1;
	return 0;
}

static long note_entry(__u32 i, void *context)
{
	struct noting *n = context;
	return note_keys(n->process, n->scratch, i, 0);
}

static __always_inline struct shape_key key_of_shape(const struct scratch *s, __u32 process, __u64 hidden_class)
{
	return (struct shape_key){process, s->thread, hidden_class, s->mark_compacts};
}

// Whether what is learned of a hidden class may be kept: not where nothing tells it from a later one at its address.
static __always_inline int is_kept(const struct shape_key *key) { return key->thread && key->mark_compacts; }

static __always_inline struct shape *kept_shape(const struct scratch *s, __u32 process, __u64 hidden_class)
{
	struct shape_key key = key_of_shape(s, process, hidden_class);
	return is_kept(&key) ? bpf_map_lookup_elem(&shapes, &key) : 0;
}

// Keeps scratch->shape.
__noinline int keep_shape(__u32 process, __u64 hidden_class)
{
	struct scratch *s = own_scratch();
	if (!s || s->collecting)
		return 0;
	struct shape_key key = key_of_shape(s, process, hidden_class);
	if (is_kept(&key))
		bpf_map_update_elem(&shapes, &key, &s->shape, BPF_ANY);
	return 0;
}

// Reads the shape of the current object into scratch->shape. Returns -1 where that cannot be done, or in part only.
static __always_inline int read_shape(struct process *p, struct scratch *s)
{
	const struct v8_layout *v8 = &p->v8;
	struct noting n = {.process = p, .scratch = s};
	s->shape.descriptors = word_at(s->ref_head, v8->map_descriptors);
	s->shape.guards = s->accessor = 0;
	s->shape.own = half_at(s->ref_head, v8->map_bit_field3) & v8->descriptors_mask;
	clear_slots(s);
	if (open_descriptors(s))
		return -1;
	bpf_loop(MAX_DESCRIPTORS, note_entry, &n, 0);
	if (s->table.doubt)
		return -1;
	keep_shape(p->id, s->object_head[0]);
	return 0;
}

// The shape of the current object in scratch->shape, whose head is in scratch->object_head, and that of its hidden
// class in scratch->ref_head. Returns -1 where a part of it is not known.
__noinline int find_shape(struct process *p, struct scratch *s, int of_store)
{
	if (!p || !s)
		return -1;
	__u64 class = s->object_head[0];
	struct shape *kept = kept_shape(s, p->id, class);
	if (kept && is_class(&p->v8, s->ref_head, kept->descriptors, kept->own)) {
		__builtin_memcpy(s->shape.slots, kept->slots, sizeof(s->shape.slots));
		s->shape.guards = kept->guards;
		return 0;
	}
	if (of_store && !s->collecting) // what is read twice then is compared
		request_update(s, CONTEXT_LEARN_NAMES, NO_LABEL, class, 0);
	return read_shape(p, s);
}
