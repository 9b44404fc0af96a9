// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Probes of which only each N-th hit has a sample, on average: how many hits a sample stands for.

#pragma once

#include <linux/types.h>
#include "kernel.h"

// What has passed a probe on a CPU, hits or their values, and which of it has a sample. A sample stands for what has
// passed since the one before it. What is in `passed` only rises, atomically; the rest changes where one thread at a
// time is let in.
struct stride {
	__u64 passed;
	__u64 stood; // of that, what had its sample, or was to have it but for the limit
	__u64 next;  // distance from there to the next sample; 0 = not drawn yet
};

// Draws a distance to the next sample: of so many hits on average, in the unit of a sum over `hits` hits. With one that
// is always the same, or a multiple of something, a loop that makes the same calls each time would be sampled at the
// same ones. 0 = the sum is 0.
static __always_inline __u64 draw(__u32 every, __u64 sum, __u64 hits)
{
	if (!sum || !hits)
		return 0;
	__u64 n = 2 * every, random = bpf_get_prandom_u32();
	__u64 most = n * (sum / hits) + n * (sum % hits) / hits;
	most = most ? most - 1 : 0;
	return (most >> 32) * random + ((__u32)most * random >> 32) + 1; // 1 to most
}

#define MAX_ENDS 8 // distances that end in one hit, because of its value, and are drawn

// Returns what a sample of the hit that has just passed would stand for, 0 if it has none, and counts that as done. Of
// values the hit in which a distance ends has the sample: each is as likely as its value is large, so that samples
// share the sum as the hits do. What of its value is beyond the last such end counts to the next sample.
static __always_inline __u64 due(struct stride *s, __u32 every, __u64 hits)
{
	__u64 passed = s->passed, since = passed - s->stood;
	if (!s->next)
		s->next = draw(every, passed, hits);
	if (!s->next || since < s->next)
		return 0;
	__u64 beyond = since - s->next, next = draw(every, passed, hits);
	for (int i = 0; i < MAX_ENDS && beyond >= next; i++) {
		beyond -= next;
		next = draw(every, passed, hits);
	}
	since -= beyond % next;
	s->stood += since;
	s->next = next;
	return since;
}
