// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// What rules read of an AsyncContextFrame and its stores. It is noted where it was, with a hash, by which the next
// sample sees whether all is as it was.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "memory.h"
#include "scratch.h"

// The next state of a hash. The shift brings what differs in the upper half of a word, as in Smis, to the lower one.
// (The multiplier: Steele and Vigna, "Computationally easy, spectrally good multipliers")
static __always_inline __u64 hash_next(__u64 hash, __u64 word)
{
	hash = (hash + word) * 0xf1357aea2e62a9c5ULL;
	return hash ^ hash >> 32;
}

static __always_inline void note(struct scratch *s, __u64 from, __u32 size, __u64 hash)
{
	__u32 n = s->n_noted;
	if (n >= MAX_NOTED_READS || from & 7) {
		s->apart = 1;
		return;
	}
	s->noted[n] = (struct noted_read){from, hash, size};
	s->n_noted = n + 1;
}

// Notes a read of a constant number of bytes, a multiple of 8.
static __always_inline void note_read(struct scratch *s, const __u64 *words, __u32 size, __u64 from)
{
	__u64 hash = size;
#pragma clang loop unroll_count(4)
	for (__u32 i = 0; i < size / 8; i++)
		hash = hash_next(hash, words[i]);
	note(s, from, size, hash);
}

// Reads the head of an object of which more is wanted: what follows it may not be mapped. Returns how many bytes.
static __always_inline __u32 read_more(struct scratch *s, __u64 object, __u64 *to, __u32 most, __u32 least)
{
	if (!rarely(read_whole(object, to, most))) {
		note_read(s, to, most, object - 1);
		return most;
	}
	return read_whole_apart(s, object, to, least) ? 0 : least;
}

// Reads some words, a constant number.
static __always_inline long read_words(struct scratch *s, void *to, __u32 size, __u64 from)
{
	clear_words(to, size); // see read_unset
	if (read_user(to, size, from)) {
		s->apart = 1;
		return -1;
	}
	note_read(s, to, size, from);
	return 0;
}

// Reads a word into scratch->word.
__noinline int find_word(struct scratch *s, __u64 from) { return s ? read_words(s, &s->word, 8, from) : -1; }

static __always_inline long read_word(struct scratch *s, __u64 *to, __u64 from)
{
	long failed = find_word(s, from);
	*to = s->word;
	return failed;
}

#define FEW 128 // bytes

// Reads at most FEW bytes of whole words into scratch->ref_head.
__noinline int read_few(struct scratch *s, __u32 size, __u64 from)
{
	if (!s || size > FEW || size & 7)
		return -1;
	asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
	size &= 2 * FEW - 1;
	if (size > FEW || read_user(s->ref_head, size, from))
		return -1;
	__u64 hash = size;
	for (__u32 i = 0; i < FEW / 8 && i * 8 < size; i++)
		hash = hash_next(hash, s->ref_head[i]);
	note(s, from, size, hash);
	return 0;
}

// The bytes around a read that are read with it again: what a request has lies near each other.
#define WINDOW_BEFORE (NOTED_WINDOW / 2)

// Whether a noted read, which is in scratch->again from a byte on, is as it was.
__noinline int same_read(struct scratch *s, __u32 i, __u32 at)
{
	if (!s || i >= MAX_NOTED_READS)
		return 0;
	const struct noted_read *noted = &s->noted[i];
	__u64 hash = noted->size;
	at &= NOTED_WINDOW - 8;
	const __u64 *words = &s->again[at / 8];
	for (__u32 w = 0; w < MAX_NOTED_SIZE / 8 && w * 8 < noted->size; w++)
		hash = hash_next(hash, words[w]);
	return hash == noted->hash;
}

// Whether a noted read, and those behind it that are near, are as they were: these have a bit in scratch->same then.
__noinline int same_reads(struct scratch *s, __u32 first)
{
	if (!s || first >= MAX_NOTED_READS)
		return 0;
	__u64 at = s->noted[first].at, in_page = at & (HEAP_PAGE - 1);
	__u64 from = (at - (in_page < WINDOW_BEFORE ? in_page : WINDOW_BEFORE)) & ~7ULL;
	if (read_user(s->again, NOTED_WINDOW, from))
		return 0;
	// From 0 on: the verifier of Linux 6.1 sees no end of a loop that begins anywhere.
	for (__u32 i = 0; i < MAX_NOTED_READS && i < s->n_noted; i++) {
		if (i < first || s->noted[i].at - from > NOTED_WINDOW - s->noted[i].size)
			continue;
		if (!same_read(s, i, s->noted[i].at - from))
			return 0;
		s->same |= 1ULL << (i & 63);
	}
	return 1;
}
