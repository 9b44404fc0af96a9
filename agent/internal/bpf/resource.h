// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The stores of a resource of async_hooks: properties whose keys are symbols that are known by their hashes. They are
// in slots, which its hidden class lists, or in a dictionary.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "learned.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "rules.h"
#include "scratch.h"
#include "table.h"
#include "value.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct shape_key);
	__type(value, struct resource);
} resources SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct symbol_key);
	__type(value, __u32); // enum symbol_kind
} symbols SEC(".maps");

#define MAX_HOPS 3            // from the resource on the stack to the object that has its stores
#define TABLE_ENTRIES 8       // of a dictionary that are read at once
#define MAX_DICTIONARY 1024   // entries that a dictionary has room for

// The reading of one resource.
struct resource_reader {
	struct reader *reader;
	__u64 resource;          // the current one, tagged
	__u64 public, holder;    // what stands for it, and what has its stores
	__u64 entries;           // of its properties, and how many
	__u32 n_entries;
	__u32 present;           // a store was found
	struct resource *fields; // what its hidden class has
	__u8 start, inside;      // words before its first property, and properties in the object itself
};

// Whether a word is an object of JavaScript, or one that C++ made for it: not the hole, undefined, a string.
static __always_inline int is_js_object(struct reader *r, __u64 object)
{
	return HEAP_OBJECT(object) && read_typed(r, object, r->scratch->ref_head, 8) >= r->process->v8.first_js_object;
}

// What is known of the hidden class of the resource; 0 where nothing is. The resource's head is in
// scratch->object_head, the hidden class's in scratch->ref_head.
static __always_inline struct resource *find_resource(struct resource_reader *f)
{
	struct process *p = f->reader->process;
	struct scratch *s = f->reader->scratch;
	struct shape_key key = {.process = p->id, .hidden_class = s->object_head[0]};
	struct resource *found = bpf_map_lookup_elem(&resources, &key);
	if (found && is_class(&p->v8, s->ref_head, found->descriptors, found->own))
		return found;
	request_update(s, CONTEXT_LEARN_RESOURCE, NO_LABEL, f->resource, key.hidden_class);
	return 0;
}

static __always_inline void add_store(struct scratch *s, __u64 value)
{
	__u32 n = s->n_stores;
	if (n >= MAX_STORES) {
		unreadable(s);
		return;
	}
	s->stores[n] = value;
	s->n_stores = n + 1;
}

static long read_store(__u32 i, void *context)
{
	struct resource_reader *f = context;
	struct resource *fields = f->fields;
	__u64 value;
	if (!fields || i >= fields->n_stores)
		return 1;
	if (read_slot(f->reader, f->resource, fields->stores[i & (MAX_STORES - 1)], &value))
		unreadable(f->reader->scratch);
	else
		add_store(f->reader->scratch, value);
	return 0;
}

static __always_inline void read_by_slots(struct resource_reader *f)
{
	struct reader *r = f->reader;
	if (f->fields->public_slot && read_slot(r, f->resource, f->fields->public_slot, &f->public))
		unreadable(r->scratch);
	if (f->fields->context_slot && read_slot(r, f->resource, f->fields->context_slot, &f->holder))
		unreadable(r->scratch);
	bpf_loop(MAX_STORES, read_store, f, 0);
}

// What is known of the symbol that is the key of a property; SYMBOL_OTHER for any other key. Places of a dictionary
// that are free have undefined or the hole as key.
static __always_inline __u32 kind_of_key(struct reader *r, __u64 key)
{
	const struct v8_layout *v8 = &r->process->v8;
	__u64 *head = r->scratch->ref_head;
	if (read_typed(r, key, head, 16) != v8->type_symbol)
		return SYMBOL_OTHER;
	__u32 hash = half_at(head, v8->name_hash);
	struct symbol_key id = {.process = r->process->id, .hash = hash >> v8->hash_shift};
	__u32 *kind = bpf_map_lookup_elem(&symbols, &id);
	if (kind)
		return *kind;
	request_update(r->scratch, CONTEXT_LEARN_SYMBOL, NO_LABEL, key, id.hash);
	return SYMBOL_OTHER;
}

static __always_inline void set_property(struct resource_reader *f, __u32 kind, __u64 value)
{
	if (kind == SYMBOL_STORE)
		add_store(f->reader->scratch, value);
	else if (kind == SYMBOL_PUBLIC)
		f->public = value;
	else if (kind == SYMBOL_CONTEXT)
		f->holder = value;
}

// The entry with this number of what is walked: three words, {key, value, details} of a dictionary, {key, details,
// value} of descriptors. Some are read at once, into scratch->part. 0 = there is none.
static __always_inline __u64 *table_entry(struct resource_reader *f, __u32 i)
{
	__u64 *table = f->reader->scratch->part;
	__u32 n = i % TABLE_ENTRIES;
	if (i >= f->n_entries)
		return 0;
	if (!n) {
		__u64 size = (f->n_entries - i) * 24ULL;
		if (size > TABLE_ENTRIES * 24)
			size = TABLE_ENTRIES * 24;
		asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
		size &= 0xff;
		if (read_user(table, size, f->entries + i * 24ULL)) {
			unreadable(f->reader->scratch);
			return 0;
		}
	}
	return &table[3 * n];
}

static long read_entry(__u32 i, void *context)
{
	struct resource_reader *f = context;
	__u64 *entry = table_entry(f, i);
	if (!entry)
		return 1;
	if (HEAP_OBJECT(entry[0]))
		set_property(f, kind_of_key(f->reader, entry[0]), entry[1]);
	return 0;
}

// The slot that a descriptor's details tell; 0 for an accessor. (src/objects/property-details.h)
static __always_inline __u32 slot_of(struct resource_reader *f, __u64 details)
{
	const struct v8_layout *v8 = &f->reader->process->v8;
	__u32 d = SMI(details);
	if (!IS_SMI(details) || d & 1 || d >> (v8->location_bit & 31) & 1)
		return 0;
	__u32 i = d >> (v8->field_shift & 31) & 0x3ff;
	return i < f->inside ? f->start + i : SLOT_OUT | (i - f->inside);
}

static long read_descriptor(__u32 i, void *context)
{
	struct resource_reader *f = context;
	__u64 value, *entry = table_entry(f, i);
	if (!entry)
		return 1;
	__u32 slot = HEAP_OBJECT(entry[0]) ? slot_of(f, entry[1]) : 0;
	__u32 kind = slot ? kind_of_key(f->reader, entry[0]) : SYMBOL_OTHER;
	if (kind == SYMBOL_OTHER)
		return 0;
	if (read_slot(f->reader, f->resource, slot, &value))
		unreadable(f->reader->scratch);
	else
		set_property(f, kind, value);
	return 0;
}

// Reads a resource of a hidden class that is not known yet, by the descriptors of that. Hidden classes of resources
// come and go with the collections: waiting for the agent to learn each would cost many samples.
static __always_inline void read_by_descriptors(struct resource_reader *f, __u32 bits)
{
	const struct v8_layout *v8 = &f->reader->process->v8;
	__u64 *class = f->reader->scratch->ref_head;
	__u64 descriptors = word_at(class, v8->map_descriptors);
	__u8 size = word_at(class, v8->instance_size) >> (v8->instance_size & 7) * 8;
	f->start = word_at(class, v8->object_start) >> (v8->object_start & 7) * 8;
	f->inside = size > f->start ? size - f->start : 0;
	f->n_entries = bits >> (v8->own_bit & 31) & 0x3ff;
	if (read_whole(descriptors, class, 16)) {
		unreadable(f->reader->scratch);
		return;
	}
	f->entries = descriptors - 1 + v8->descriptors_header;
	bpf_loop(MAX_DICTIONARY, read_descriptor, f, 0);
}

// An object in dictionary mode.
static __always_inline void read_dictionary(struct resource_reader *f)
{
	struct scratch *s = f->reader->scratch;
	if (open_dictionary(word_at(s->object_head, s->v8.receiver_hash)) || s->table.n_entries > MAX_DICTIONARY) {
		unreadable(s);
		return;
	}
	f->n_entries = s->table.n_entries;
	f->entries = s->table.entries;
	bpf_loop(MAX_DICTIONARY, read_entry, f, 0);
}

// Reads the stores of the resource, or goes on to the object that has them.
static long read_resource(__u32 i, void *context)
{
	struct resource_reader *f = context;
	struct reader *r = f->reader;
	struct scratch *s = r->scratch;
	s->n_stores = 0;
	f->public = f->holder = 0;
	if (read_whole(f->resource, s->object_head, 24) || read_user(s->ref_head, MAP_HEAD, s->object_head[0] - 1)) {
		unreadable(s);
		return 1;
	}
	__u32 bits = half_at(s->ref_head, r->process->v8.map_bit_field3);
	if (bits & r->process->v8.dictionary_bit) {
		read_dictionary(f);
	} else {
		f->fields = find_resource(f);
		if (f->fields)
			read_by_slots(f);
		else
			read_by_descriptors(f, bits);
	}
	if (is_js_object(r, f->public))
		f->resource = f->public;
	else if (is_js_object(r, f->holder))
		f->resource = f->holder;
	else
		return 1;
	return 0;
}
