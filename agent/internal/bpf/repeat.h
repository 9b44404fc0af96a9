// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// What a sample says of a request is kept for the next one. If that runs in the same AsyncContextFrame, and all words
// that were read are what they were, it says the same: rules know nothing but these words, and what does not change in
// an epoch.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "part.h"
#include "scratch.h"
#include "value.h"

// Whether the last sample was of this AsyncContextFrame.
static __always_inline int is_again(const struct scratch *s, __u64 frame)
{
	return frame && s->request.frame == frame && s->request.epoch == s->epoch;
}

// The AsyncContextFrame that is known to be current, if what is read of it may be kept: it may not where the isolate's
// objects move, or where another thread may run it.
static __always_inline __u64 repeatable_frame(const struct scratch *s, __u64 isolate)
{
	if (s->collecting || s->guessed || s->owner.isolate || s->frame_of != isolate)
		return 0;
	return s->frame;
}

// Adds what the last sample has said, and returns whether this one says the same. Where it is of the same request, but
// is to be read again, parts of the heap are kept meanwhile: most requests are too short for it to be worth it.
__noinline int repeat_request(struct scratch *s, __u64 frame)
{
	if (!s)
		return 0;
	const struct kept_request *kept = &s->request;
	__u32 size = kept->size;
	s->in_parts = is_again(s, frame) && kept->state != REQUEST_UNFIT;
	if (!s->in_parts || kept->state != REQUEST_KEPT || s->end > BUFFER_SIZE - MAX_KEPT)
		return 0;
	for (__u32 i = 0; i < MAX_PARTS && i < s->n_parts; i++)
		if (!same_part(s, i))
			return 0;
	asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
	size &= 2 * MAX_KEPT - 1;
	if (size > MAX_KEPT || bpf_probe_read_kernel(record_at(s, s->end), size, kept->records))
		return 0;
	s->end += size;
	s->in_parts = 0;
	return 1;
}

// Keeps what a sample says, from a place in the record on, unless something was read that the next one cannot compare.
__noinline int keep_request(struct scratch *s, __u64 frame, __u32 from)
{
	if (!s)
		return 0;
	struct kept_request *kept = &s->request;
	__u32 size = s->end - from, in_parts = s->in_parts;
	s->in_parts = 0;
	if (!is_again(s, frame)) {
		kept->frame = frame;
		kept->epoch = s->epoch;
		kept->state = REQUEST_MET;
		return 0;
	}
	kept->state = REQUEST_UNFIT;
	if (!in_parts || s->apart || s->full || s->urgent || size > MAX_KEPT)
		return 0;
	asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
	size &= 2 * MAX_KEPT - 1;
	if (bpf_probe_read_kernel(kept->records, size, record_at(s, from)))
		return 0;
	kept->size = size;
	kept->state = REQUEST_KEPT;
	return 0;
}
