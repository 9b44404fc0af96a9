// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Parts of V8's heap. The objects that say which request runs lie near each other, since V8 makes and moves them
// together: what is around the first one is read with it. What was read shows the next sample whether all is as it was.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "memory.h"
#include "scratch.h"

// Reads a part that has these bytes, and what is before and behind them. It becomes number i.
static __always_inline int add_part(struct scratch *s, __u32 i, __u64 at)
{
	__u64 in_page = at & (HEAP_PAGE - 1), from = at - (in_page < PART / 2 ? in_page : PART / 2);
	if (i >= MAX_PARTS || read_user(&s->part_words[i * PART / 8], PART, from))
		return -1;
	s->parts[i] = (struct part){.at = from, .first = PART};
	s->n_parts = i + 1;
	return 0;
}

// Returns where in scratch->part_words these bytes are; -1 if they are in no part.
static __always_inline int part_of(struct scratch *s, __u64 at, __u32 size)
{
	__u32 i, from;
	if (!s->in_parts || at & 7 || size - 1 >= PART / 2)
		return -1;
#pragma clang loop unroll(disable)
	for (i = 0; i < MAX_PARTS && i < s->n_parts; i++)
		if (at - s->parts[i].at <= PART - size)
			break;
	s->found_part = i;
	asm volatile("" : : : "memory"); // it is read again: what follows is verified once, not for each i
	i = s->found_part;
	if (i >= s->n_parts && add_part(s, i, at))
		return -1;
	struct part *part = &s->parts[i & (MAX_PARTS - 1)];
	from = at - part->at;
	if (from < part->first)
		part->first = from & -LINE;
	if (from + size > part->end)
		part->end = (from + size + LINE - 1) & -LINE;
	return (i * PART + from) / 8;
}

__noinline int find_part(struct scratch *s, __u64 at, __u32 size) { return s ? part_of(s, at, size) : -1; }

static __always_inline const __u64 *part_at(const struct scratch *s, int at)
{
	asm volatile("" : "+r"(at)); // keeps the mask, which tells the verifier the bound
	return &s->part_words[at & (MAX_PARTS * PART / 8 - 1)];
}

// Reads the head of an object of which more is wanted: what follows it may not be mapped. Returns how many bytes.
static __always_inline __u32 read_more(struct scratch *s, __u64 object, __u64 *to, __u32 most, __u32 least)
{
	int at = s->in_parts && HEAP_OBJECT(object) ? find_part(s, object - 1, most) : -1;
	if (at >= 0) {
		copy_words(to, part_at(s, at), most);
		if (to[0] & 1)
			return most;
	}
	if (!rarely(read_whole_apart(s, object, to, most)))
		return most;
	return read_whole_apart(s, object, to, least) ? 0 : least;
}

// Reads some words, a constant number.
static __always_inline long read_words(struct scratch *s, void *to, __u32 size, __u64 from)
{
	int at = find_part(s, from, size);
	if (at < 0) {
		clear_words(to, size);
		return read_apart(s, to, size, from);
	}
	copy_words(to, part_at(s, at), size);
	return 0;
}

// Reads a word into scratch->word. It calls no other function: the calls are deep.
__noinline int find_word(struct scratch *s, __u64 from)
{
	int at = s ? part_of(s, from, 8) : -1;
	if (at < 0)
		return s ? read_apart(s, &s->word, 8, from) : -1;
	s->word = *part_at(s, at);
	return 0;
}

static __always_inline long read_word(struct scratch *s, __u64 *to, __u64 from)
{
	long failed = find_word(s, from);
	*to = s->word;
	return failed;
}

// Whether what was asked for of a part is in the memory still.
__noinline int same_part(struct scratch *s, __u32 i)
{
	if (!s || i >= MAX_PARTS)
		return 0;
	const struct part *part = &s->parts[i];
	__u32 first = part->first & (PART - 1), size = part->end - first;
	const __u64 *before = part_at(s, (i * PART + first) / 8), *now = s->again;
	__u64 difference = 0;
	asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
	size &= 2 * PART - 1;
	if (size > PART || read_user(s->again, size, part->at + first))
		return 0;
	for (__u32 line = 0; line < PART && line < size; line += LINE, before += LINE / 8, now += LINE / 8)
#pragma unroll
		for (__u32 w = 0; w < LINE / 8; w++)
			difference |= now[w] ^ before[w];
	return !difference;
}
