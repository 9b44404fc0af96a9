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
#include "names.h"
#include "process.h"
#include "rules.h"
#include "scratch.h"
#include "shape.h"
#include "table.h"
#include "value.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 8192);
	__type(key, struct shape_key);
	__type(value, struct resource);
} resources SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2048);
	__type(key, struct symbol_key);
	__type(value, __u32); // enum symbol_kind
} symbols SEC(".maps");

#define MAX_HOPS 3            // from the resource on the stack to the object that has its stores
#define MAX_DICTIONARY 1024   // entries that a dictionary has room for

// The reading of one resource, beside what scratch->resource has of it.
struct resource_reader {
	struct reader *reader;
	const struct process *process;
	struct scratch *scratch;
	struct resource *fields; // what its hidden class has
};

// Whether a word is an object of JavaScript, or one that C++ made for it: not the hole, undefined, a string.
static __always_inline int is_js_object(const struct process *p, struct scratch *s, __u64 object)
{
	return HEAP_OBJECT(object) && read_typed(p, s, object, s->ref_head, 8) >= p->v8.first_js_object;
}

// What is known of the hidden class of the resource; 0 where nothing is. The resource's head is in
// scratch->object_head, the hidden class's in scratch->ref_head.
static __always_inline struct resource *find_resource(struct resource_reader *f)
{
	const struct process *p = f->process;
	struct scratch *s = f->scratch;
	struct shape_key key = key_of_shape(s, p->id, s->object_head[0]);
	struct resource *found = is_kept(&key) ? bpf_map_lookup_elem(&resources, &key) : 0;
	if (found && is_class(&p->v8, s->ref_head, found->descriptors, found->own))
		return found;
	if (is_kept(&key) && !s->collecting) // then the class may be elsewhere when hotspan looks
		request_update(s, CONTEXT_LEARN_RESOURCE, NO_LABEL, key.hidden_class, key.mark_compacts);
	return 0;
}

// Adds a store, but none behind what could not be read: that may be a store, too, whose labels count.
static __always_inline void add_store(struct scratch *s, __u64 storage, __u64 value)
{
	__u32 n = s->n_stores;
	if (s->failed)
		return;
	if (n >= MAX_STORES) {
		unreadable(s);
		return;
	}
	s->stores[n] = (struct store){.storage = storage, .value = value};
	s->n_stores = n + 1;
}

// Moves the last store of an object in dictionary mode, by one place, before what the object got later.
static long move_forward(__u32 i, void *context)
{
	struct scratch *s = *(struct scratch **)context;
	__u32 n = s->n_stores - 1 - i;
	if (i >= s->n_stores || !n)
		return 1;
	struct store *last = &s->stores[n & (MAX_STORES - 1)], *before = &s->stores[(n - 1) & (MAX_STORES - 1)];
	struct store moved = *last;
	if (before->details <= moved.details)
		return 1;
	*last = *before;
	*before = moved;
	return 0;
}

// Adds a store of an object in dictionary mode, whose entries are in the order of hashes: details tell which the object
// got first. (src/objects/property-details.h, DictionaryStorageField)
static __always_inline void add_in_order(struct scratch *s, __u64 details, __u64 value)
{
	struct store *last = &s->stores[MAX_STORES - 1];
	if (s->n_stores < MAX_STORES)
		last = &s->stores[s->n_stores++ & (MAX_STORES - 1)];
	else
		s->resource.more = 1;
	if (s->resource.more && last->details <= details)
		return;
	*last = (struct store){.details = details, .value = value};
	bpf_loop(MAX_STORES, move_forward, &s, 0);
}

static long read_store(__u32 i, void *context)
{
	struct resource_reader *f = context;
	struct scratch *s = f->scratch;
	struct resource *fields = f->fields;
	__u64 value;
	if (!fields || i >= fields->n_stores)
		return 1;
	if (read_slot(f->process, s, s->resource.object, fields->stores[i & (MAX_STORES - 1)], &value))
		unreadable(s);
	else
		add_store(s, 0, value);
	return 0;
}

static __always_inline void read_by_slots(struct resource_reader *f)
{
	struct scratch *s = f->scratch;
	struct resource_state *r = &s->resource;
	__u32 public = f->fields->public_slot, context = f->fields->context_slot;
	if (public && read_slot(f->process, s, r->object, public, &r->public))
		unreadable(s);
	if (context && read_slot(f->process, s, r->object, context, &r->holder))
		unreadable(s);
	bpf_loop(MAX_STORES, read_store, f, 0);
}

// What the symbol in scratch->text is by its description; -1 where that cannot be read.
__noinline int compare_symbol(const struct process *p, struct scratch *s)
{
	if (!p || !s)
		return -1;
	struct key_text *text = &s->text;
	__u32 width = read_text(s, text->string, text->type, text->length);
	if (!width)
		return -1;
	for (int kind = SYMBOL_STORE; kind < NUM_SYMBOL_KINDS; kind++)
		if (is_name(s, &p->symbols[kind], text->length, width) && text->kinds & 1 << NAME_SYMBOL)
			return kind;
	return SYMBOL_OTHER;
}

// What the symbol is that is the key of a property; SYMBOL_OTHER for any other key. Places of a dictionary that are
// free have undefined as key.
__noinline int kind_of_key(const struct process *p, struct scratch *s, __u64 key)
{
	if (!p || !s || read_typed(p, s, key, s->ref_head, 16) != p->v8.type_symbol)
		return SYMBOL_OTHER;
	__u32 hash = half_at(s->ref_head, p->v8.name_hash);
	struct symbol_key id = {.process = p->id, .thread = s->thread, .hash = hash >> p->v8.hash_shift};
	__u32 *kind = id.thread ? bpf_map_lookup_elem(&symbols, &id) : 0;
	if (kind)
		return *kind;
	__s32 found = use_steps(s, 1) ? read_key(p, s, key) : -1;
	if (found > 0)
		found = compare_symbol(p, s);
	if (found < 0) {
		unreadable(s);
		return SYMBOL_OTHER;
	}
	if (id.thread && !s->collecting) // what is read twice then is compared
		bpf_map_update_elem(&symbols, &id, &found, BPF_ANY);
	return found;
}

static __always_inline void set_property(struct scratch *s, __u32 kind, __u64 value)
{
	if (kind == SYMBOL_STORE)
		add_store(s, 0, value);
	else if (kind == SYMBOL_PUBLIC)
		s->resource.public = value;
	else if (kind == SYMBOL_CONTEXT)
		s->resource.holder = value;
}

static long read_entry(__u32 i, void *context)
{
	struct resource_reader *f = context;
	__u64 *entry = table_entry(f->scratch, i);
	if (!entry)
		return 1;
	if (!HEAP_OBJECT(entry[0]) || entry[0] == entry[1]) // the hole, of one that was deleted, may not be readable
		return 0;
	__u64 value = entry[1], details = entry[2];
	__u32 kind = kind_of_key(f->process, f->scratch, entry[0]);
	if (kind == SYMBOL_STORE)
		add_in_order(f->scratch, details, value);
	else
		set_property(f->scratch, kind, value);
	return 0;
}

static long read_descriptor(__u32 i, void *context)
{
	struct resource_reader *f = context;
	struct scratch *s = f->scratch;
	__u64 value, *entry = table_entry(s, i);
	if (!entry)
		return 1;
	__u32 slot = HEAP_OBJECT(entry[0]) ? slot_of(s, entry[1]) : 0;
	__u32 kind = slot && slot != NO_SLOT ? kind_of_key(f->process, s, entry[0]) : SYMBOL_OTHER;
	if (kind == SYMBOL_OTHER)
		return 0;
	if (read_slot(f->process, s, s->resource.object, slot, &value))
		unreadable(s);
	else
		set_property(s, kind, value);
	return 0;
}

// Reads a resource of a hidden class that is not known yet, by the descriptors of that. Hidden classes of resources
// come and go with the collections: waiting for the agent to learn each would cost many samples.
static __always_inline void read_by_descriptors(struct resource_reader *f)
{
	if (open_descriptors(f->scratch))
		unreadable(f->scratch);
	else
		bpf_loop(MAX_DICTIONARY, read_descriptor, f, 0);
}

// An object in dictionary mode.
static __always_inline void read_dictionary(struct resource_reader *f)
{
	struct scratch *s = f->scratch;
	if (open_dictionary(word_at(s->object_head, s->v8.receiver_hash)) || s->table.n_entries > MAX_DICTIONARY) {
		unreadable(s);
		return;
	}
	s->resource.more = 0;
	bpf_loop(MAX_DICTIONARY, read_entry, f, 0);
	if (s->failed) // the key that could not be read may be that of any
		s->n_stores = 0;
	if (s->resource.more)
		unreadable(s);
}

// Reads the stores of the resource, or goes on to the object that has them.
static long read_resource(__u32 i, void *context)
{
	struct resource_reader *f = context;
	const struct process *p = f->process;
	struct scratch *s = f->scratch;
	struct resource_state *r = &s->resource;
	s->n_stores = 0;
	r->public = r->holder = 0;
	if (read_whole(r->object, s->object_head, 24) || read_user(s->ref_head, MAP_HEAD, s->object_head[0] - 1)) {
		unreadable(s);
		return 1;
	}
	if (half_at(s->ref_head, p->v8.map_bit_field3) & p->v8.dictionary_bit) {
		read_dictionary(f);
	} else {
		f->fields = find_resource(f);
		if (f->fields)
			read_by_slots(f);
		else
			read_by_descriptors(f);
	}
	if (is_js_object(p, s, r->public))
		r->object = r->public;
	else if (is_js_object(p, s, r->holder))
		r->object = r->holder;
	else
		return 1;
	return 0;
}
