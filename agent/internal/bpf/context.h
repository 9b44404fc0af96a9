// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Which request runs: the stores of V8's AsyncContextFrame, or of the resource on Node's async_hooks stack, read by
// what the agent has learned of the process.

#pragma once

#include <linux/types.h>
#include "async_hooks.h"
#include "event.h"
#include "kernel.h"
#include "label_value.h"
#include "limits.h"
#include "memory.h"
#include "named_store.h"
#include "process.h"
#include "repeat.h"
#include "resource.h"
#include "rules.h"
#include "scratch.h"
#include "table.h"
#include "value.h"

// Whether a store has ended: its AsyncLocalStorage has undefined then, or null. Most of many are the same one.
__noinline int has_ended(struct scratch *s, __u64 value)
{
	if (!s || !HEAP_OBJECT(value))
		return 0;
	if (value == s->ended)
		return 1;
	if (read_whole_apart(s, value, s->key, 16) || read_instance_type(s->key[0]) != s->v8.type_oddball ||
	    boolean(s, value) >= 0)
		return 0;
	s->ended = value;
	return 1;
}

// Whether what is both key and value of an entry is an AsyncLocalStorage that is its own store: of an entry that was
// deleted it is the hole, which may lie in a page that cannot be read.
__noinline int is_own_store(struct scratch *s, __u64 value)
{
	if (!s || !HEAP_OBJECT(value) || read_whole_apart(s, value, s->key, 8))
		return 0;
	__s32 type = read_instance_type(s->key[0]);
	return s->v8.first_js_object && type >= s->v8.first_js_object;
}

// Keeps an entry of the AsyncContextFrame: reading what it refers to takes the place of the table in scratch memory.
// Only where there are more than there is room for, those that have ended are looked for.
static long add_next_store(__u32 i, void *context)
{
	struct reader *r = context;
	if (!use_steps(r->scratch, 1)) {
		unreadable(r->scratch);
		return 1;
	}
	__u64 *entry = table_entry(r->scratch, i);
	if (!entry)
		return 1;
	__u64 storage = entry[0], value = entry[1];
	if (storage == value && !is_own_store(r->scratch, value)) // it was deleted
		return 0;
	if (r->scratch->table.n_entries <= MAX_STORES || !has_ended(r->scratch, value))
		add_store(r->scratch, storage, value);
	return 0;
}

static long enter_next(__u32 i, void *context)
{
	struct reader *r = context;
	struct store store = r->scratch->stores[i & (MAX_STORES - 1)];
	enter_store(r, store.value);
	if (r->process->n_roots)
		follow_named(r, &store);
	return 0;
}

static __always_inline void begin_rules(struct scratch *s)
{
	s->n_parts = s->apart = 0;
	s->present = 0;
	s->n_visits = s->n_values = 0;
	s->labels_set = s->labels_kept = s->labels_missed = s->labels_lost = 0;
	s->failed = 0;
	s->context_steps = MAX_CONTEXT_STEPS;
	s->full = 0;
}

// Follows the rules from the stores that were entered, and appends what they lead to. It is a function of its own for
// the verifier, which would look at all of it for each way in which they are entered.
__noinline int follow_rules(struct process *p, struct scratch *s, __u64 isolate)
{
	struct reader r = {.process = p, .scratch = s, .isolate = isolate};
	if (!p || !s)
		return 0;
	s->n_entered = s->n_visits;
	s->next_entered = 0;
	s->visited = s->failed = s->next_kind = 0;
	bpf_loop(2 * MAX_VISITS, visit_next, &r, 0);
	if (s->next_kind || next_visit(s))
		unreadable(s);
	s->labels_lost = 0;
	bpf_loop(s->n_values, append_next, 0, 0);
	if (s->full && s->end < BUFFER_SIZE - sizeof(struct context_record)) { // there was no room for some record
		struct context_record *record = record_at(s, s->end);
		record->type = CONTEXT_UNREADABLE;
		record->label = NO_LABEL;
		record->length = 0;
		s->end += sizeof(*record);
	}
	return 0;
}

// The AsyncContextFrame of the code that the isolate runs, or undefined; 0 = there is none.
static __always_inline __u64 current_frame(struct reader *r)
{
	const struct v8_layout *v8 = &r->process->v8;
	__u64 frame;
	if (!v8->cped)
		return 0;
	if (r->scratch->frame_of == r->isolate && !r->scratch->collecting)
		return r->scratch->frame;
	if (read_user(&frame, 8, r->isolate + v8->cped)) {
		unreadable(r->scratch);
		return 0;
	}
	return frame;
}

// Reads what may be an AsyncContextFrame into scratch->words. Returns its instance type; -1 if it cannot be read.
__noinline int read_frame(struct scratch *s, __u64 frame)
{
	return s && read_ahead(s, frame) ? read_instance_type(s->words[0]) : -1;
}

// The stores of an AsyncContextFrame. Returns whether it is one.
static __always_inline int enter_frame(struct reader *r, __u64 frame)
{
	struct scratch *s = r->scratch;
	if (!frame)
		return 0;
	__s32 type = read_frame(s, frame);
	if (type >= 0 && type != r->process->v8.type_map)
		return 0; // undefined: no request
	if (type < 0 || open_map(word_at(s->words, r->process->v8.jsmap_table))) {
		unreadable(s);
		return 0;
	}
	s->n_stores = 0;
	s->ended = 0;
	bpf_loop(s->table.n_entries, add_next_store, r, 0);
	bpf_loop(s->n_stores, enter_next, r, 0);
	return 1;
}

// Enters the stores of the request, kept in one of two ways: a resource has no stores in a process that has
// AsyncContextFrames. The AsyncContextFrame does not tell what resource is current, so nothing is repeated then.
static __always_inline int enter_request(struct reader *r, __u64 context)
{
	const struct owner *owner = &r->scratch->owner;
	if (enter_frame(r, owner->isolate ? owner->frame : current_frame(r)))
		return 1;
	r->scratch->apart = 1;
	return enter_resource(r, owner->isolate ? owner->resource : current_resource(r, context));
}

static __always_inline int has_rules(const struct process *p)
{
	return p->nodes[0].kinds || p->n_roots || p->store_label != NO_LABEL;
}

// Enters the stores of the request, and returns whether there may be any. context is one of the thread's JavaScript
// code, or 0.
__noinline int enter_stores(struct process *p, struct scratch *s, __u64 isolate, __u64 context)
{
	struct reader r = {.process = p, .scratch = s, .isolate = isolate};
	if (!p || !s || !has_rules(p))
		return 0;
	begin_rules(s);
	return enter_request(&r, context);
}

static __always_inline void read_context(struct process *p, struct scratch *s, __u64 isolate, __u64 context)
{
	__u32 from = s->end;
	__u64 frame = has_rules(p) ? repeatable_frame(s, isolate) : 0;
	if (repeat_request(s, frame))
		return;
	if (enter_stores(p, s, isolate, context))
		follow_rules(p, s, isolate);
	keep_request(s, frame, from);
}
