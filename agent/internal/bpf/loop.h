// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The turn of the event loop that a thread is in: libuv counts them. (libuv: src/unix/core.c, uv_run; since 1.45)

#pragma once

#include <linux/types.h>
#include "event.h"
#include "learned.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"

// Addresses of the counts, see package uvloop.
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 2048);
	__type(key, struct environment_key);
	__type(value, __u64);
} loops SEC(".maps");

static __always_inline __u64 turn_of(const struct process *p, struct scratch *s, const struct sample *e)
{
	__u64 turn;
	if (s->turns.epoch != s->epoch) { // else it is the same thread's
		struct environment_key key = {.process = p->id, .tid = e->tid, .isolate = e->isolate};
		__u64 *at = bpf_map_lookup_elem(&loops, &key);
		if (!at)
			return 0;
		s->turns = (struct turns){*at, s->epoch};
	}
	return read_user(&turn, 8, s->turns.at) ? 0 : turn;
}
