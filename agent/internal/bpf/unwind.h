// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The unwind rules of native code, by file. The specification is Go: package unwind makes the rules; Step follows them.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "limits.h"
#include "process.h"
#include "scratch.h"

// One unwind rule, as package unwind writes it.
struct row {
	__u32 pc; // from the mapping's base
	__u8 cfa; // enum cfa_rule
	__s8 rbp; // enum rbp_rule
	__s16 off;
};

// How a row finds the canonical frame address (CFA): see package unwind, which has the same numbers.
enum cfa_rule {
	CFA_RBP = 6,
	CFA_RSP = 7,
	CFA_REGISTERS = 16, // rules below are DWARF register numbers
	CFA_DEREF = 16,
	CFA_DEREF_RBP,
	CFA_PLT,
	CFA_SIGNAL,
	CFA_END,
	CFA_NONE,
	CFA_DEREF_R9,
	CFA_DEREF_FP,
};

// Where the caller's rbp is: in units of 8 bytes from the CFA, or one of these.
enum rbp_rule {
	RBP_SAME = 0,
	RBP_NEXT = -2, // next to the return address
	RBP_AT_RBP = -127,
	RBP_LOST = -128,
};

// A table of unwind rules is an array of 8-byte elements. The first ones are an index: the lower half of element i is
// the number of rows of the file that begin before page i of its code, for each page and the end; the bits above say in
// which granules of the page the frame pointer's rule holds. The rows follow.
struct rows {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_INNER_MAP); // files differ in size
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct row));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MAX_TABLES);
	__type(key, __u32);
	__array(values, struct rows);
} tables SEC(".maps");

static __always_inline int is_in(const struct mapping *m, __u64 pc)
{
	return pc >= m->start && pc < m->end;
}

// The search for a mapping: its number is at least `low`, and at most `high`.
struct mapping_search {
	const struct process *process;
	__u64 pc;
	__u32 low, high;
};

static long halve_mappings(__u32 i, void *context)
{
	struct mapping_search *x = context;
	if (x->low >= x->high)
		return 1;
	__u32 middle = (x->low + x->high) / 2 & (MAX_MAPPINGS - 1);
	if (x->process->mappings[middle].end <= x->pc)
		x->low = middle + 1;
	else
		x->high = middle;
	return 0;
}

// The number of the mapping with pc; -1 = none is known.
__noinline int find_mapping(const struct process *p, __u64 pc)
{
	if (!p)
		return -1;
	struct mapping_search x = {.process = p, .pc = pc, .high = p->n_mappings};
	bpf_loop(10, halve_mappings, &x, 0);
	const struct mapping *m = &p->mappings[x.low & (MAX_MAPPINGS - 1)];
	if (x.low >= p->n_mappings || !is_in(m, pc) || m->kind == MAPPING_GONE)
		return -1;
	return x.low;
}

struct index {
	__u32 rows;
	__u32 frame_pointer; // a bit for each granule
};

// What is known of an address: the rule of native code, in 32 bits, or one of these.
#define NO_RULE (1ULL << 32)
#define NO_MAPPING (1ULL << 33)
#define IN_GENERATED (1ULL << 34)
#define IN_BUILTINS (1ULL << 35)

// A row's rule as a number, which is what a function that is verified once can return.
static __always_inline __u64 pack_rule(const struct row *row)
{
	return row->cfa | (__u8)row->rbp << 8 | (__u32)(__u16)row->off << 16;
}

// Finds the rule at an address: that of the last row that begins at or before it, which is in its page or is the last
// one before the page. Most code keeps a frame pointer: then the index says all.
__noinline __u64 find_rule(const struct process *p, __u32 mapping, __u64 address)
{
	if (!p)
		return NO_RULE;
	const struct mapping *m = &p->mappings[mapping & (MAX_MAPPINGS - 1)];
	__u32 table = m->table, page, low, high;
	__u32 pc = address - m->base;
	void *rows = bpf_map_lookup_elem(&tables, &table);
	if (!rows || address < m->base || (address - m->base) >> PAGE_BITS >= m->pages)
		return NO_RULE;
	page = pc >> PAGE_BITS;
	struct index *first = bpf_map_lookup_elem(rows, &page);
	page++;
	struct index *end = bpf_map_lookup_elem(rows, &page);
	if (!first || !end || !end->rows)
		return NO_RULE;
	if (first->frame_pointer >> (pc >> GRANULE_BITS & ((1 << (PAGE_BITS - GRANULE_BITS)) - 1)) & 1) {
		struct row keeps = {.cfa = CFA_RBP, .off = 2, .rbp = RBP_NEXT};
		return pack_rule(&keeps);
	}
	low = m->pages + 1 + (first->rows ? first->rows - 1 : 0);
	high = m->pages + 1 + end->rows;
	__u64 found = NO_RULE;
	for (int i = 0; i < PAGE_BITS + 2 && low < high; i++) {
		__u32 middle = low + (high - low) / 2;
		struct row *row = bpf_map_lookup_elem(rows, &middle);
		if (!row)
			return NO_RULE;
		if (row->pc <= pc) {
			found = pack_rule(row);
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return found;
}

static __always_inline int in_v8(const struct mapping *m)
{
	return m->kind == MAPPING_GENERATED || m->kind == MAPPING_BUILTINS;
}

static __always_inline __u64 v8_place(const struct mapping *m)
{
	return m->kind == MAPPING_BUILTINS ? IN_BUILTINS : IN_GENERATED;
}

// What is known of an address that is in none of the mappings that V8's code was in last. Its rule may have been found
// for another sample on this CPU.
__noinline __u64 search_place(const struct process *p, struct scratch *s, __u64 pc)
{
	if (!p || !s)
		return NO_MAPPING | NO_RULE;
	struct known_rule *known = &s->rules[(__u32)pc * 0x9e3779b1 >> 24 & (KNOWN_RULES - 1)];
	if (known->pc == pc && known->generation == p->generation && p->generation)
		return known->rule;
	int mapping = find_mapping(p, pc);
	if (mapping < 0)
		return NO_MAPPING | NO_RULE;
	const struct mapping *m = &p->mappings[mapping & (MAX_MAPPINGS - 1)];
	if (in_v8(m)) {
		s->v8_mappings[1] = s->v8_mappings[0];
		s->v8_mappings[0] = mapping;
		return v8_place(m);
	}
	__u64 rule = find_rule(p, mapping, pc);
	if (!(rule & NO_RULE))
		*known = (struct known_rule){.pc = pc, .generation = p->generation, .rule = rule};
	return rule;
}

// What V8's code is known to be at an address in this mapping, which may not be there any more; 0 = nothing.
static __always_inline __u64 known_v8_place(const struct process *p, __u32 mapping, __u64 pc)
{
	const struct mapping *m = &p->mappings[mapping & (MAX_MAPPINGS - 1)];
	return is_in(m, pc) && in_v8(m) && mapping < p->n_mappings ? v8_place(m) : 0;
}

// What is known of an address: NO_MAPPING, whose code of V8's it is in, or of native code the rule, or NO_RULE.
static __always_inline __u64 find_place(const struct process *p, struct scratch *s, __u64 pc)
{
	__u64 place = known_v8_place(p, s->v8_mappings[0], pc);
	if (!place)
		place = known_v8_place(p, s->v8_mappings[1], pc);
	return place ? place : search_place(p, s, pc);
}
