// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The rules for the store of one AsyncLocalStorage, which is known by its name: the private field #name, since Node 24.
// (node: lib/internal/async_local_storage/async_context_frame.js)

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "rules.h"
#include "scratch.h"
#include "shape.h"
#include "table.h"
#include "value.h"

static __always_inline long read_name_slot(struct reader *r, __u32 slot, __u64 *name)
{
	return !slot ? 0 : read_property(r->process, r->scratch, r->object, slot, name) ? -1 : 1;
}

// Reads the field that has the name of the current object, whose head was read: 1; 0 where it has none; -1 where that
// cannot be told. A dictionary has few entries, or is not searched.
static __always_inline long read_name_field(struct reader *r, __u32 type, __u64 *name)
{
	struct process *p = r->process;
	struct scratch *s = r->scratch;
	__u32 field = p->storage_name & (MAX_SLOTS - 1);
	const struct plan *plan = find_plan(s, s->object_head[0], NO_NODE);
	if (plan)
		return read_name_slot(r, plan->steps[0].slot, name);
	if (!open_properties(p, s, NO_NODE, type))
		return 0;
	if (s->by_slot)
		return read_name_slot(r, s->shape.slots[field], name);
	s->search.known = 0;
	s->search.name = p->names[field];
	s->search.id = field;
	search(0);
	*name = s->search.entry.value;
	return s->search.found ? 1 : s->search.ended && !s->search.doubt ? 0 : -1;
}

// The name of an AsyncLocalStorage, tagged. 0 = it has none, or it cannot be read, which is counted.
static __always_inline __u64 name_of(struct reader *r, __u64 storage)
{
	const struct v8_layout *v8 = &r->process->v8;
	__u64 name = 0;
	if (!HEAP_OBJECT(storage))
		return 0;
	r->object = storage;
	read_head(r->scratch, storage, 0);
	__s32 type = type_of_head(r->scratch, NO_NODE);
	if (type < v8->first_non_string || type == v8->type_oddball)
		return 0;
	long found = read_name_field(r, type, &name);
	if (found < 0)
		unreadable(r->scratch);
	return found > 0 && HEAP_OBJECT(name) ? name : 0;
}

// Reads the text of a name into scratch->key, padded with zeros. It may be in any form, also in parts that were put
// together, so it is written into the record as a label is, and taken out again. Returns the bytes of a character; 0
// where no rule has the name, or it cannot be read, which is counted.
static __always_inline __u32 read_storage_name(const struct process *p, struct scratch *s, __u64 name, __u32 *length)
{
	__u32 at = s->end, place = s->n_values & (MAX_VALUES - 1);
	if (!add_value(NO_LABEL, VALUE_PLAIN, name) || s->values[place].type >= p->v8.first_non_string)
		return 0; // undefined, of one without a name
	*length = string_length(&s->v8, s->values[place].head);
	if (*length > MAX_NAME || !(p->name_lengths >> (*length & 63) & 1))
		return 0;
	append_value(place);
	struct context_record *record = record_at(s, at);
	__u32 type = record->type, size = record->length;
	if (s->end == at || (type != CONTEXT_ONE_BYTE && type != CONTEXT_TWO_BYTE))
		return 0;
	int whole = s->end == at + sizeof(*record) + size && size <= MAX_NAME;
	s->end = at;
	if (!whole) { // Latin-1 and other characters are in records of their own
		unreadable(s);
		return 0;
	}
	asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
	size &= 2 * MAX_NAME - 1;
	__builtin_memset(s->key, 0, MAX_NAME);
	bpf_probe_read_kernel(s->key, size, record + 1);
	return type == CONTEXT_ONE_BYTE ? 1 : narrow_key(s);
}

// A store whose AsyncLocalStorage has the name in scratch->key.
struct named_store {
	struct reader *reader;
	__u64 value;
	__u32 length, width; // of the name
};

static long follow_if_named(__u32 i, void *context)
{
	struct named_store *n = context;
	const struct process *p = n->reader->process;
	if (i >= p->n_roots)
		return 1;
	const struct edge *root = &p->roots[i & (MAX_NODES - 1)];
	if (!is_name(n->reader->scratch, &p->names[root->name & (MAX_SLOTS - 1)], n->length, n->width))
		return 0;
	follow(n->reader->scratch, root->to, root->label, root->value, n->value);
	return 1;
}

// Follows the rules for the store of this AsyncLocalStorage only.
static __always_inline void follow_named(struct reader *r, const struct store *store)
{
	struct named_store n = {.reader = r, .value = store->value};
	__u64 name = name_of(r, store->storage);
	if (name)
		n.width = read_storage_name(r->process, r->scratch, name, &n.length);
	if (n.width)
		bpf_loop(MAX_NODES, follow_if_named, &n, 0);
}
