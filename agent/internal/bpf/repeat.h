// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// What a sample says of a request is kept for the next one. If that runs in the same AsyncContextFrame, and all words
// that were read are what they were, it says the same: rules know nothing but these words, and what does not change in
// an epoch.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "noted.h"
#include "scratch.h"
#include "value.h"

static __always_inline void forget_request(struct scratch *s)
{
	s->request.frame = 0;
	s->n_noted = s->apart = 0;
}

// The AsyncContextFrame that is known to be current, if what is read of it may be kept: it may not where the isolate's
// objects move, or where another thread may run it.
static __always_inline __u64 repeatable_frame(const struct scratch *s, __u64 isolate)
{
	if (s->collecting || s->guessed || s->owner.isolate || s->frame_of != isolate)
		return 0;
	return s->frame;
}

// Adds what the last sample has said, and returns whether this one says the same.
__noinline int repeat_request(struct scratch *s, __u64 frame)
{
	if (!s)
		return 0;
	const struct kept_request *kept = &s->request;
	__u32 size = kept->size;
	if (!frame || kept->frame != frame || kept->epoch != s->epoch || s->end > BUFFER_SIZE - MAX_KEPT)
		return 0;
	s->same = 0;
	s->n_noted = kept->n_noted; // not what was read of published contexts meanwhile
	for (__u32 i = 0; i < MAX_NOTED_READS && i < s->n_noted; i++)
		if (!(s->same >> (i & 63) & 1) && !same_reads(s, i))
			return 0;
	asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
	size &= 2 * MAX_KEPT - 1;
	if (size > MAX_KEPT || bpf_probe_read_kernel(record_at(s, s->end), size, kept->records))
		return 0;
	s->end += size;
	return 1;
}

// Keeps what a sample says, from a place in the record on, unless something was read that the next one cannot compare.
__noinline int keep_request(struct scratch *s, __u64 frame, __u32 from)
{
	if (!s)
		return 0;
	__u32 size = s->end - from;
	if (!frame || s->apart || s->full || s->urgent || size > MAX_KEPT)
		return 0;
	asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
	size &= 2 * MAX_KEPT - 1;
	if (bpf_probe_read_kernel(s->request.records, size, record_at(s, from)))
		return 0;
	s->request.frame = frame;
	s->request.epoch = s->epoch;
	s->request.size = size;
	s->request.n_noted = s->n_noted;
	return 0;
}
