// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The label rules: which properties and map entries of a store become labels. A tree of them is walked depth first, one
// store after the other.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "label_value.h"
#include "learned.h"
#include "limits.h"
#include "memory.h"
#include "part.h"
#include "plan.h"
#include "process.h"
#include "scratch.h"
#include "shape.h"
#include "table.h"
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

// Follows an edge to its value, which is an object of node `to`, or the value of a label.
static __always_inline void follow(struct scratch *s, __u32 to, __u32 label, __u32 kind, __u64 value)
{
	if (to != NO_NODE && HEAP_OBJECT(value))
		push_visit(s, value, to);
	if (label != NO_LABEL)
		add_value(label, kind, value);
}

// Notes that labels may have had values where something could not be read since the last call: that of an edge, and
// those behind it.
static __always_inline void note_missed(const struct process *p, struct scratch *s, __u32 to, __u32 label)
{
	if (!rarely(s->failed))
		return;
	s->failed = 0;
	s->labels_missed |= label_bit(label) | (to == NO_NODE ? 0 : p->behind[to & (MAX_NODES - 1)]);
}

// Follows the rules for any store.
static __always_inline void follow_store(struct reader *r, __u64 value)
{
	follow(r->scratch, 0, r->process->store_label, VALUE_PLAIN, value);
}

// Notes that a store is current.
static __always_inline void note_present(struct scratch *s)
{
	if (!s->present)
		append(s, CONTEXT_PRESENT, NO_LABEL, 0);
	s->present = 1;
}

// Follows the rules from a store. Whether an object is one is told when it is visited.
static __always_inline void enter_store(struct reader *r, __u64 value)
{
	if (!HEAP_OBJECT(value))
		note_present(r->scratch);
	follow_store(r, value);
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
static __always_inline void keep_key(struct scratch *s, struct isolate_names *names, __u32 id, __u32 hash)
{
	__u64 key = s->search.entry.key;
	if (!names || key == s->search.known)
		return;
	if (hash != s->search.seen_hash)
		names->hash[id] = s->search.seen_hash;
	if (!s->guessed && is_old(s, key))
		names->key[id] = key ^ s->epoch;
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
	__u32 random = bpf_get_prandom_u32(), n = s->table.n_entries, skipped = 0;
	if (n > MAX_NOTED && random & 1) {
		skipped = (random >> 1) % (n / MAX_NOTED + 1) * MAX_NOTED;
		if (skipped > n - MAX_NOTED)
			skipped = n - MAX_NOTED;
	}
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
	if (s->search.known && s->table.whole && find_known(s))
		return 1;
	struct isolate_names *names = names_of(r);
	if (!s->search.known && names && names->key[id]) {
		s->search.known = names->key[id] ^ s->epoch; // or what it was in an earlier epoch
		if (s->table.whole && find_known(s)) {
			*kept = (struct known_key){s->epoch + id, s->search.known};
			return 1;
		}
	}
	s->search.name = r->process->names[id];
	s->search.id = id;
	s->search.found = 0;
	__u32 kind = s->search.name.kind, hash = names && kind != NAME_PRIVATE ? names->hash[id] : 0;
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
		keep_key(s, names, id, hash);
		return 1;
	}
	return s->search.ended && !s->search.doubt && !may_be_rehashed(s) ? 0 : -1;
}

// The edges of one kind, from an object of a node.
struct node_edges {
	struct reader *reader;
	const struct node *node;
	__u32 kind;
};

// The value of an edge: 1, 0 where there is none, -1 where it cannot be read.
static __always_inline long read_edge(struct reader *r, const struct edge *e, __u64 *value)
{
	struct scratch *s = r->scratch;
	if (s->by_slot) {
		__u32 slot = s->shape.slots[e->name & (MAX_SLOTS - 1)];
		if (!slot)
			return 0;
		return read_property(r->process, s, r->object, slot, value) || is_filler(s, s->start, slot) ? -1 : 1;
	}
	if (e->kind == EDGE_ELEMENT) {
		__u64 before;
		if (e->name >= s->n_elements)
			return 0;
		if (read_element(s, e->name, value))
			return -1;
		if (!IS_SMI(*value) || !e->name)
			return 1;
		return read_element(s, e->name - 1, &before) || is_hidden_class(before) ? -1 : 1;
	}
	long found = find_entry(r, e->name);
	*value = s->search.entry.value;
	if (found > 0 && e->kind == EDGE_PROPERTY && s->search.entry.word & 1ULL << 32)
		return 0; // an accessor (src/objects/property-details.h)
	return found;
}

static long follow_next_edge(__u32 i, void *context)
{
	struct node_edges *n = context;
	struct reader *r = n->reader;
	const struct edge *e = &r->process->edges[(n->node->first + i) & (MAX_EDGES - 1)];
	__u64 value = 0;
	if (e->kind != n->kind || is_needless(r->scratch, e->unless))
		return 0;
	long found = read_edge(r, e, &value);
	if (found < 0)
		unreadable(r->scratch);
	else if (found)
		follow(r->scratch, e->to, e->label, e->value, value);
	note_missed(r->process, r->scratch, e->to, e->label);
	return 0;
}

// Follows the plan with this number from the object that is visited, whose head is in scratch->object_head. Its steps
// are few: a call for each would take as long as all that it does.
__noinline int follow_plan(const struct process *p, struct scratch *s, __u32 at)
{
	if (!p || !s)
		return 0;
	const struct plan *plan = &s->plans[0][at & (2 * MAX_PLANS - 1)];
	if (rarely(is_moving(p, s, s->visited, plan->guards))) {
		unreadable(s);
		return 0;
	}
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < MAX_PLANNED && i < plan->n; i++) {
		const struct step *step = &plan->steps[i];
		if (is_needless(s, step->unless))
			continue;
		if (find_property(p, s, s->visited, step->slot) || is_filler(s, plan->start, step->slot)) {
			unreadable(s);
			note_missed(p, s, step->to, step->label);
			continue;
		}
		if (step->to != NO_NODE && HEAP_OBJECT(s->word))
			push_visit(s, s->word, step->to);
		if (step->label != NO_LABEL)
			take_value(s, step->label, step->value, s->word);
		note_missed(p, s, step->to, step->label);
	}
	return 0;
}

// Opens the properties of the current object, for which there is no plan, and whose head is in scratch->object_head:
// finds their slots, or opens their dictionary. Returns whether there are any to be read.
static __always_inline int open_properties(struct process *p, struct scratch *s, __u32 node, __u32 type)
{
	__u64 class = s->object_head[0];
	s->by_slot = 0;
	if (read_apart(s, s->ref_head, MAP_HEAD, class - 1)) {
		unreadable(s);
		return 0;
	}
	s->start = (__u8)(word_at(s->ref_head, s->v8.object_start) >> (s->v8.object_start & 7) * 8);
	if (half_at(s->ref_head, s->v8.map_bit_field3) & s->v8.dictionary_bit) {
		if (!open_dictionary(word_at(s->object_head, s->v8.receiver_hash)))
			return 1;
		unreadable(s);
		return 0;
	}
	if (find_shape(p, s, node != NO_NODE && p->nodes[node & (MAX_NODES - 1)].store)) {
		unreadable(s);
		note_missed(p, s, node, NO_LABEL);
	} else {
		keep_plan(p, s, class, node, type);
	}
	s->by_slot = 1;
	return 1;
}

// Follows the rules for properties if there is a plan for them. Returns whether their edges are to be followed.
static __always_inline int visit_properties(struct reader *r, __u32 node, __u32 type)
{
	struct scratch *s = r->scratch;
	const struct plan *plan = find_plan(s, s->object_head[0], node);
	if (plan) {
		follow_plan(r->process, s, plan - s->plans[0]);
		return 0;
	}
	if (!open_properties(r->process, s, node, type))
		return 0;
	if (!s->by_slot || !is_moving(r->process, s, r->object, s->shape.guards))
		return 1;
	unreadable(s);
	return 0;
}

// Opens the entries of a JavaScript Map. Returns whether their edges are to be followed, as visit_array does.
static __always_inline int visit_map(struct reader *r)
{
	struct scratch *s = r->scratch;
	__u64 table;
	s->by_slot = 0;
	if (!read_property(r->process, s, r->object, r->process->v8.jsmap_table / 8, &table) && !open_map(table))
		return 1;
	unreadable(s);
	return 0;
}

static __always_inline int visit_array(struct reader *r)
{
	struct scratch *s = r->scratch;
	__u64 length;
	s->by_slot = 0;
	long is = read_property(r->process, s, r->object, r->process->v8.array_length / 8, &length);
	if (!is)
		is = open_elements(length);
	if (is < 0)
		unreadable(s);
	return is > 0;
}

// The next object to visit: the one that was found last, or the next store; 0 = there is none. So all that a store
// leads to comes before the next store, the first of which counts. And of two objects that one leads to the later comes
// first, with what it leads to: the span of the request is next to the current one, which often is the same.
static __always_inline const struct visit *next_visit(struct scratch *s)
{
	__u32 at;
	if (s->n_visits > s->n_entered) {
		at = --s->n_visits;
	} else if (s->next_entered < s->n_entered) {
		at = s->next_entered++;
		s->labels_lost |= s->labels_missed;
	} else {
		return 0;
	}
	return &s->visits[at & (MAX_VISITS - 1)];
}

// What a WeakRef refers to is visited in its place; undefined is where that has been collected.
// (src/objects/js-weak-refs.tq)
static __always_inline void visit_target(struct reader *r, __u32 node)
{
	struct scratch *s = r->scratch;
	if (find_property(r->process, s, r->object, HEADER_WORDS))
		unreadable(s);
	else if (HEAP_OBJECT(s->word))
		push_visit(s, s->word, node);
}

// Whether the object that was visited is a JavaScript Map or an array of which rules ask for entries or elements.
static __always_inline __u32 kind_inside(const struct process *p, __u32 kinds, __s32 type)
{
	if (kinds & 1 << EDGE_MAP_ENTRY && type == p->v8.type_map)
		return EDGE_MAP_ENTRY;
	return kinds & 1 << EDGE_ELEMENT && type == p->v8.type_array ? EDGE_ELEMENT : 0;
}

// Reads what an object is. Returns its type if rules may ask for something in it; -1 if not.
static __always_inline __s32 begin_visit(struct reader *r, __u32 id, int may_be_map)
{
	struct scratch *s = r->scratch;
	if (!use_steps(s, 1)) {
		note_present(s); // perhaps; and what is not known counts
		unreadable(s);
		return -1;
	}
	if (r->object != s->visited || may_be_map)
		read_head(s, r->object, may_be_map);
	s->visited = r->object;
	__s32 type = type_of_head(s, id);
	// An AsyncLocalStorage that has no store now has undefined, or null. The node is read again: else the verifier
	// looks at all that follows twice, for an id of 0 and for others.
	__u32 node = *(volatile const __u32 *)&s->node;
	if (node == 0 && (type != r->process->v8.type_oddball || boolean(s, r->object) >= 0))
		note_present(s);
	if (type < r->process->v8.first_non_string || type == r->process->v8.type_oddball)
		return -1; // it has no properties that rules ask for
	if (type != r->process->v8.type_weak_ref)
		return type;
	visit_target(r, id);
	return -1;
}

// Visits the current object: follows what rules ask for in it, its properties first. What they ask for inside a
// JavaScript Map or an array comes in a visit of its own then: the verifier looks at all edges once.
static __always_inline void visit_object(struct reader *r, __u32 id)
{
	struct scratch *s = r->scratch;
	__u32 kinds = r->process->nodes[id].kinds, kind = s->next_kind;
	__s32 type = 0;
	int open = 0;
	s->next_kind = 0;
	if (!kind) {
		type = begin_visit(r, id, kinds & 1 << EDGE_MAP_ENTRY);
		if (type < 0)
			return;
		kind = kind_inside(r->process, kinds, type);
		if (kinds & 1 << EDGE_PROPERTY) {
			s->next_kind = kind;
			kind = EDGE_PROPERTY;
		}
	}
	if (kind == EDGE_PROPERTY)
		open = visit_properties(r, id, type);
	else if (kind == EDGE_MAP_ENTRY)
		open = visit_map(r);
	else if (kind == EDGE_ELEMENT)
		open = visit_array(r);
	struct node_edges edges = {.reader = r, .node = &r->process->nodes[id], .kind = kind};
	if (open)
		bpf_loop(edges.node->n_edges, follow_next_edge, &edges, 0);
}

static long visit_next(__u32 i, void *context)
{
	struct reader *r = context;
	if (!r->scratch->next_kind) {
		const struct visit *v = next_visit(r->scratch);
		if (!v)
			return 1;
		r->object = v->object;
		r->scratch->node = v->node;
	}
	__u32 id = r->scratch->node & (MAX_NODES - 1);
	visit_object(r, id);
	note_missed(r->process, r->scratch, id, NO_LABEL);
	return 0;
}
