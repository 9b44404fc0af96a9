// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The label rules: which properties and map entries of a store become labels. A tree of them is walked breadth first.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "learned.h"
#include "limits.h"
#include "memory.h"
#include "part.h"
#include "plan.h"
#include "process.h"
#include "scratch.h"
#include "shape.h"
#include "table.h"
#include "text.h"
#include "value.h"

// Hashes of names, by isolate. The BPF program learns them itself.
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 512);
	__type(key, struct isolate_key);
	__type(value, struct isolate_names);
} isolates SEC(".maps");

// Reads the first `size` bytes of an object and returns its instance type; -1 where it cannot be read, which is
// counted.
static __always_inline __s32 read_typed(const struct process *p, struct scratch *s, __u64 object, __u64 *to,
					__u32 size)
{
	__s32 type = read_whole_apart(s, object, to, size) ? -1 : instance_type(to[0]);
	if (type < 0)
		unreadable(s);
	return type;
}

static __always_inline void push_visit(struct scratch *s, __u64 object, __u32 node)
{
	__u32 n = s->n_visits;
	if (n >= MAX_VISITS) {
		unreadable(s);
		return;
	}
	s->visits[n].object = object;
	s->visits[n].node = node;
	s->n_visits = n + 1;
}

static __always_inline int is_needless(const struct scratch *s, __u32 unless)
{
	return unless != NO_LABEL && s->labels_set & 1ULL << (unless & (MAX_LABELS - 1));
}

// The kind of an Oddball if it is true or false, else -1.
static __always_inline long boolean(struct scratch *s, __u64 oddball)
{
	const struct v8_layout *v8 = &s->v8;
	__u64 kind;
	if (read_word(s, &kind, oddball - 1 + v8->oddball_kind) || !IS_SMI(kind))
		return -1;
	return SMI(kind) == v8->oddball_true ? 1 : SMI(kind) == v8->oddball_false ? 0 : -1;
}

// Adds the value of a label. Objects are none, and neither are undefined and null. That of no label is only read, to
// where the next one will be. Returns whether it is a value.
__noinline int add_value(__u32 label, __u32 kind, __u64 value)
{
	struct scratch *s = own_scratch();
	if (!s)
		return 0;
	__u32 n = s->n_values;
	if (n >= MAX_VALUES) {
		unreadable(s);
		return 0;
	}
	const struct v8_layout *v8 = &s->v8;
	__s32 type = 0;
	__u32 size = 0;
	s->ref_head[1] = 0;
	if (!IS_SMI(value)) {
		if (!HEAP_OBJECT(value))
			return 0;
		size = read_more(s, value, s->ref_head, STRING_HEAD + SHORT_STRING, STRING_HEAD);
		if (!size) {
			unreadable(s);
			return 0;
		}
		type = instance_type(s->ref_head[0]);
		if (type < 0) {
			unreadable(s);
			return 0;
		}
		if (type == v8->type_oddball) {
			long is = boolean(s, value);
			if (is < 0)
				return 0;
			value = is;
		} else if (type >= v8->first_non_string && type != v8->type_heap_number &&
			   !(kind != VALUE_PLAIN && type == v8->type_array)) {
			return 0;
		}
	}
	s->values[n].value = value;
	s->values[n].label = label;
	s->values[n].kind = kind;
	s->values[n].type = type;
	s->values[n].length = string_length(v8, s->ref_head);
	s->values[n].size = size;
	s->values[n].whole = size > STRING_HEAD && s->values[n].length <= SHORT_STRING;
	__builtin_memcpy(s->values[n].chars, &s->ref_head[STRING_HEAD / 8], SHORT_STRING);
	if (label == NO_LABEL)
		return 1;
	s->n_values = n + 1;
	s->labels_set |= 1ULL << (label & (MAX_LABELS - 1));
	return 1;
}

// Follows an edge to its value, which is an object of node `to`, or the value of a label.
static __always_inline void follow(struct scratch *s, __u32 to, __u32 label, __u32 kind, __u64 value)
{
	if (to != NO_NODE && HEAP_OBJECT(value))
		push_visit(s, value, to);
	if (label != NO_LABEL)
		add_value(label, kind, value);
}

// Follows the rules for any store.
static __always_inline void follow_store(struct reader *r, __u64 value)
{
	follow(r->scratch, 0, r->process->store_label, VALUE_PLAIN, value);
}

// The hashes of names in this isolate; 0 if there is no room for them, or if they may be those of an earlier isolate.
static __noinline struct isolate_names *names_of(struct reader *r)
{
	struct isolate_key key = {.process = r->process->id, .isolate = r->isolate};
	struct isolate_names *names = bpf_map_lookup_elem(&isolates, &key);
	// looked up again: before Linux 6.2 the verifier takes nothing that a function was given as the value of a map
	struct scratch *s = own_scratch();
	if (!s)
		return NULL;
	__u32 tid = ((struct sample *)s->buffer)->tid;
	if (s->owner.isolate) // a thread of libuv's pool
		tid = names ? names->tid : 0;
	if (names && names->tid == tid)
		return names;
	if (s->guessed && !s->owner.isolate)
		return NULL; // it may be no thread of the isolate's
	if (bpf_map_update_elem(&isolates, &key, &s->no_names, BPF_ANY))
		return NULL;
	names = bpf_map_lookup_elem(&isolates, &key);
	if (names)
		names->tid = tid;
	return names;
}

// Keeps the key that was found, and its hash if none was known, or that of an earlier isolate.
static __always_inline void keep_key(struct reader *r, __u32 id, __u32 hash)
{
	struct scratch *s = r->scratch;
	__u64 key = s->search.entry.key;
	if (!r->names || key == s->search.known)
		return;
	if (hash != s->search.seen_hash)
		r->names->hash[id] = s->search.seen_hash;
	if (!s->guessed && is_old(s, key))
		r->names->key[id] = key ^ s->epoch;
}

static long note_nested(__u32 i, void *context)
{
	struct noting *n = context;
	return note_keys(n->process, n->scratch, i, 1);
}

#define MAX_NOTED 256 // entries of a table whose keys are compared with all names

// Compares the keys of the table with all names, once for the table. Of a table that is too large this is its
// beginning, or in every second sample another part: the key that is found has a hash, by which it is found from then
// on. It is a function that is verified once: the verifier would look at its loop for each state of its caller.
__noinline int note_entries(const struct process *p, struct scratch *s)
{
	if (!p || !s || s->table.noted)
		return 0;
	struct noting keys = {.process = p, .scratch = s};
	__u64 entries = s->table.entries;
	__u32 random = bpf_get_prandom_u32(), n = s->table.n_entries;
	__u32 skipped = n > MAX_NOTED && random & 1 ? (random >> 1) % (n - MAX_NOTED) : 0;
	clear_slots(s);
	s->table.entries += skipped * 24ULL;
	s->table.n_entries -= skipped;
	s->table.doubt = 0;
	bpf_loop(MAX_NOTED, note_nested, &keys, 0);
	s->table.entries = entries;
	s->table.n_entries = n;
	s->table.skipped = skipped;
	s->table.doubt |= n > MAX_NOTED;
	s->table.noted = 1;
	return 0;
}

// Finds the entry of the name that is sought, whose hash is not known, by what is noted for it; 0 = nothing is.
__noinline int pick_entry(__u32 noted)
{
	struct scratch *s = own_scratch();
	if (!s)
		return 0;
	struct search *x = &s->search;
	x->hash = 0;
	x->ended = 1;
	x->doubt = s->table.doubt;
	if (!noted)
		return 0;
	x->found = !read_table_entry(s, s->table.skipped + noted - 1, &x->entry) && is_key(s) == 1;
	x->doubt = !x->found;
	return 0;
}

// Finds the entry of a name in the table: 1 = it is scratch->search.entry, 0 = there is none, -1 = it cannot be told.
static __always_inline long find_entry(struct reader *r, __u32 id)
{
	struct scratch *s = r->scratch;
	id &= MAX_SLOTS - 1;
	struct known_key *kept = &s->keys[id & (KNOWN_KEYS - 1)];
	s->search.known = kept->name == s->epoch + id ? kept->key : 0;
	if (!s->search.known && !r->names)
		r->names = names_of(r);
	if (!s->search.known && r->names && r->names->key[id])
		s->search.known = r->names->key[id] ^ s->epoch;
	if (s->table.whole && find_known(s)) {
		*kept = (struct known_key){s->epoch + id, s->search.known};
		return 1;
	}
	if (!r->names)
		r->names = names_of(r);
	s->search.name = r->process->names[id];
	s->search.id = id;
	s->search.found = 0;
	__u32 kind = s->search.name.kind, hash = r->names && kind != NAME_PRIVATE ? r->names->hash[id] : 0;
	// Several symbols may have one description: a comparison of all keys finds another one. A thread of libuv's
	// pool cannot tell the isolate from an earlier one, whose symbols had other hashes.
	int all = !hash || kind == NAME_SYMBOL || (kind == NAME_REGISTERED && s->owner.isolate);
	if (s->table.whole) // of all keys, most of which are known to be others
		search(all || !s->guessed ? 0 : hash);
	else if (hash)
		search(hash);
	if (!s->search.found && all && !s->table.whole) {
		note_entries(r->process, s);
		pick_entry(s->shape.slots[id]);
	}
	if (s->search.found) {
		keep_key(r, id, hash);
		return 1;
	}
	return s->search.ended && !s->search.doubt ? 0 : -1;
}

// The edges of one kind, from an object of a node.
struct node_edges {
	struct reader *reader;
	const struct node *node; // 0 = no node is of the object
	union {
		const __u16 *slots;      // of an object with fast properties
		const struct plan *plan; // or what is known of one
	};
	__u32 kind;
};

// The value of an edge: 1, 0 where there is none, -1 where it cannot be read.
static __always_inline long read_edge(struct node_edges *n, const struct edge *e, __u64 *value)
{
	struct reader *r = n->reader;
	struct scratch *s = r->scratch;
	if (n->slots) {
		__u32 slot = n->slots[e->name & (MAX_SLOTS - 1)];
		return !slot ? 0 : read_property(r->process, s, r->object, slot, value) ? -1 : 1;
	}
	if (e->kind == EDGE_ELEMENT)
		return e->name >= s->n_elements ? 0 : read_element(s, e->name, value) ? -1 : 1;
	long found = find_entry(r, e->name);
	*value = s->search.entry.value;
	if (found > 0 && e->kind == EDGE_PROPERTY && s->search.entry.word & 1ULL << 32)
		return 0; // an accessor (src/objects/property-details.h)
	return found;
}

static long follow_next_edge(__u32 i, void *context)
{
	struct node_edges *s = context;
	struct reader *r = s->reader;
	const struct edge *e = &r->process->edges[(s->node->first + i) & (MAX_EDGES - 1)];
	__u64 value = 0;
	if (e->kind != s->kind || is_needless(r->scratch, e->unless))
		return 0;
	long found = read_edge(s, e, &value);
	if (found < 0)
		unreadable(r->scratch);
	else if (found)
		follow(r->scratch, e->to, e->label, e->value, value);
	return 0;
}

// Follows a step from the current object, whose head is in scratch->object_head.
static long follow_next_step(__u32 i, void *context)
{
	struct node_edges *n = context;
	struct reader *r = n->reader;
	struct scratch *s = r->scratch;
	const struct step *step = &n->plan->steps[i & (MAX_PLANNED - 1)];
	__u64 value;
	if (is_needless(s, step->unless))
		return 0;
	if (read_property(r->process, s, r->object, step->slot, &value))
		unreadable(s);
	else
		follow(s, step->to, step->label, step->value, value);
	return 0;
}

// Opens the properties of the current object, for which there is no plan, and whose head is in scratch->object_head:
// finds their slots, or opens their dictionary. Returns whether there are any to be read.
static __always_inline int open_properties(struct node_edges *n, __u32 node, __u32 type)
{
	struct reader *r = n->reader;
	struct scratch *s = r->scratch;
	__u64 class = s->object_head[0];
	if (read_apart(s, s->ref_head, MAP_HEAD, class - 1)) {
		unreadable(s);
		return 0;
	}
	if (half_at(s->ref_head, s->v8.map_bit_field3) & s->v8.dictionary_bit) {
		if (!open_dictionary(word_at(s->object_head, s->v8.receiver_hash)))
			return 1;
		unreadable(s);
		return 0;
	}
	if (find_shape(r->process, s, n->node && n->node->store))
		unreadable(s);
	else
		keep_plan(r->process, s, class, node, type);
	n->slots = s->shape.slots;
	return 1;
}

static __always_inline void visit_properties(struct node_edges *s, __u32 node, __u32 type)
{
	struct reader *r = s->reader;
	const struct plan *plan = find_plan(r->scratch, r->scratch->object_head[0], node);
	if (plan) {
		s->plan = plan;
		bpf_loop(plan->n, follow_next_step, s, 0);
		return;
	}
	s->kind = EDGE_PROPERTY;
	s->slots = 0;
	if (open_properties(s, node, type))
		bpf_loop(s->node->n_edges, follow_next_edge, s, 0);
}

static __always_inline void visit_map(struct node_edges *s)
{
	s->kind = EDGE_MAP_ENTRY;
	s->slots = 0;
	struct reader *r = s->reader;
	__u64 table;
	if (read_property(r->process, r->scratch, r->object, r->process->v8.jsmap_table / 8, &table) || open_map(table))
		unreadable(r->scratch);
	else
		bpf_loop(s->node->n_edges, follow_next_edge, s, 0);
}

static __always_inline void visit_array(struct node_edges *s)
{
	s->kind = EDGE_ELEMENT;
	s->slots = 0;
	struct reader *r = s->reader;
	__u64 length;
	long is = read_property(r->process, r->scratch, r->object, r->process->v8.array_length / 8, &length);
	if (!is)
		is = open_elements(length);
	if (is < 0)
		unreadable(r->scratch);
	else if (is)
		bpf_loop(s->node->n_edges, follow_next_edge, s, 0);
}

static long visit_next(__u32 i, void *context)
{
	struct reader *r = context;
	struct scratch *s = r->scratch;
	if (i >= s->n_visits)
		return 1;
	r->object = s->visits[i & (MAX_VISITS - 1)].object;
	__u32 id = s->visits[i & (MAX_VISITS - 1)].node & (MAX_NODES - 1);
	struct node_edges edges = {.reader = r, .node = &r->process->nodes[id]};
	if (!use_steps(s, 1)) {
		unreadable(s);
		return 0;
	}
	__s32 type = read_properties(s, r->object, id, edges.node->kinds & 1 << EDGE_MAP_ENTRY);
	if (type < r->process->v8.first_non_string || type == r->process->v8.type_oddball)
		return 0; // it has no properties that rules ask for
	if (edges.node->kinds & 1 << EDGE_PROPERTY)
		visit_properties(&edges, id, type);
	if (edges.node->kinds & 1 << EDGE_MAP_ENTRY && type == r->process->v8.type_map)
		visit_map(&edges);
	if (edges.node->kinds & 1 << EDGE_ELEMENT && type == r->process->v8.type_array)
		visit_array(&edges);
	return 0;
}

// Opens the elements of an array whose head was read with its type, in most cases: 1; 0 where they are no tagged words;
// -1.
static __always_inline int open_array(struct scratch *s, const struct label_value *f)
{
	if (f->size >= ARRAY_HEAD)
		__builtin_memcpy(&s->object_head[STRING_HEAD / 8], f->chars, ARRAY_HEAD - STRING_HEAD);
	else if (read_whole_apart(s, f->value, s->object_head, ARRAY_HEAD))
		return -1;
	return open_elements(word_at(s->object_head, s->v8.array_length));
}

// Appends an array of bytes, which are Smis.
static __always_inline void append_bytes(struct scratch *s, const struct label_value *f)
{
	__u64 odd = 0;
	if (open_array(s, f) <= 0 || s->n_elements > MAX_BYTES) {
		unreadable(s);
		return;
	}
	__u32 n = s->n_elements & (2 * MAX_BYTES - 1);
	int at = find_part(s, s->elements, n * 8);
	if (at >= 0)
		copy_words(s->ref_head, part_at(s, at), MAX_BYTES * 8);
	else if (n > MAX_BYTES || read_apart(s, s->ref_head, n * 8, s->elements)) {
		unreadable(s);
		return;
	}
	for (__u32 i = 0; i < MAX_BYTES; i++)
		odd |= i < n ? s->ref_head[i] & ~(0xffULL << 32) : 0;
	if (odd) {
		unreadable(s);
		return;
	}
	__u8 *to = append(s, CONTEXT_BYTES, f->label, n);
	for (__u32 i = 0; to && i < MAX_BYTES; i++) // what is behind the n is written over
		to[i] = SMI(s->ref_head[i]);
}

// Appends an array of two Smis, seconds and nanoseconds. What is no such array is no time: nothing is lost.
static __always_inline void append_time(struct scratch *s, const struct label_value *f)
{
	__u64 first, second;
	int is = open_array(s, f);
	if (is < 0 || (is && s->n_elements == 2 && (read_element(s, 0, &first) || read_element(s, 1, &second)))) {
		unreadable(s);
		return;
	}
	if (!is || s->n_elements != 2 || !IS_SMI(first) || !IS_SMI(second))
		return;
	__s64 seconds = (__s32)SMI(first), rest = (__s32)SMI(second);
	if (seconds > 0 && rest >= 0 && rest < 1000000000)
		append_word(s, CONTEXT_TIME, f->label, seconds * 1000000000 + rest);
}

// Appends what was found as number i.
__noinline int append_value(__u32 i)
{
	struct scratch *s = own_scratch();
	if (!s)
		return 0;
	const struct v8_layout *v8 = &s->v8;
	struct label_value f = s->values[i & (MAX_VALUES - 1)];
	__u64 bits;
	if (f.type == v8->type_oddball)
		append_word(s, CONTEXT_BOOLEAN, f.label, f.value);
	else if (IS_SMI(f.value))
		append_word(s, CONTEXT_SMI, f.label, (__s64)SMI(f.value));
	else if (f.type < v8->first_non_string)
		append_string(s, &f);
	else if (f.type == v8->type_array && f.kind == VALUE_TIME)
		append_time(s, &f);
	else if (f.type == v8->type_array)
		append_bytes(s, &f);
	else if (read_word(s, &bits, f.value - 1 + v8->heap_number_value))
		unreadable(s);
	else
		append_word(s, CONTEXT_DOUBLE, f.label, bits);
	return 0;
}

static long append_next(__u32 i, void *context)
{
	append_value(i);
	return 0;
}
