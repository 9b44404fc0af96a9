// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// What hotspan has read already, and when it is woken. Most samples refer to nothing new: they wait in the ring buffer,
// and hotspan reads them some time later. What is new may be gone in milliseconds, so such a sample wakes it at once.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"

// A hash table of fingerprints, a few with each hash. Where there is no room for one, another makes room, which costs a
// wakeup. hotspan writes them: package sampler has the same functions.
struct known_set {
	__u64 fingerprints[KNOWN_WAYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, KNOWN_SETS);
	__type(key, __u32);
	__type(value, struct known_set);
} known SEC(".maps");

// It has one element.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct consumer);
} consumers SEC(".maps");

static __always_inline struct consumer *consumer(void)
{
	__u32 first = 0;
	return bpf_map_lookup_elem(&consumers, &first);
}

// (Vigna, "Further scramblings of Marsaglia's xorshift generators"; the finalizer of splitmix64)
static __always_inline __u64 fingerprint(__u64 a, __u64 b, __u64 c)
{
	__u64 h = a + 0x9e3779b97f4a7c15ULL;
	h = (h ^ h >> 30 ^ b) * 0xbf58476d1ce4e5b9ULL;
	h = (h ^ h >> 27 ^ c) * 0x94d049bb133111ebULL;
	return h ^ h >> 31;
}

static __always_inline int is_known(__u64 fingerprint)
{
	__u32 i = fingerprint & (KNOWN_SETS - 1);
	struct known_set *set = bpf_map_lookup_elem(&known, &i);
	int found = 0;
	for (int way = 0; set && way < KNOWN_WAYS; way++)
		found |= set->fingerprints[way] == fingerprint;
	return found;
}

// The isolate of a thread: the numbers of its scripts are others than those of another isolate.
static __always_inline __u64 isolate_fingerprint(const struct process *p, const struct sample *e)
{
	return fingerprint(p->id, e->isolate, e->tid);
}

// What naming a frame needs: the function and, of code that is generated at run time, the place.
static __always_inline __u64 frame_fingerprint(__u64 isolate, const struct frame *f)
{
	__u64 function = f->kind == FRAME_JS ? (__u64)(__u32)f->script << 32 | (__u32)f->literal : f->kind;
	__u64 place = f->generated ? f->pc >> CODE_BITS : 0;
	return fingerprint(isolate ^ (f->kind == FRAME_JS ? f->sfi : 0), function, place);
}

// Whether naming a frame may need anything: native code is known by its file.
static __always_inline int is_named(const struct frame *f) { return f->kind == FRAME_JS || f->generated; }

// Adds a frame of the walk, the youngest one, to the fingerprint of the stack.
static __always_inline void note_frame(struct scratch *s, const struct frame *f)
{
	if (s->walk.n_frames <= KEPT_LEAF)
		s->walk.stack = fingerprint(s->walk.stack, frame_fingerprint(s->isolate, f), 0);
}

static long look_up_frame(__u32 i, void *context)
{
	struct scratch *s = *(struct scratch **)context;
	__u32 at = s->walk.frames + i * sizeof(struct frame);
	const struct frame *f = (const struct frame *)&s->buffer[at & (BUFFER_SIZE - 1)];
	if (is_named(f) && !is_known(frame_fingerprint(s->isolate, f)))
		s->is_new = 1;
	return s->is_new != 0;
}

// Looks whether naming the frames of a stack, or the callee that it may have, needs anything new. The same functions
// are met again and again: that all of a stack is known is kept as long as hotspan forgets nothing.
__noinline int look_up_stack(struct scratch *s)
{
	if (!s)
		return 0;
	const struct frame *callee = &((const struct sample *)s->buffer)->callee;
	__u32 n = s->walk.n_frames < KEPT_LEAF ? s->walk.n_frames : KEPT_LEAF;
	struct consumer *r = consumer();
	if (!r)
		return 0;
	__u64 before = r->forgotten, of_callee = 0;
	if (callee->script >= 0)
		of_callee = frame_fingerprint(s->isolate, callee);
	__u64 stack = fingerprint(s->walk.stack, of_callee, 0);
	struct known_stack *known = &s->stacks[stack & (MAX_STACKS - 1)];
	if (known->fingerprint == stack && known->forgotten == before)
		return 0;
	if (of_callee && !is_known(of_callee))
		s->is_new = 1;
	bpf_loop(n, look_up_frame, &s, 0);
	if (!s->is_new)
		*known = (struct known_stack){stack, before};
	return 0;
}

// How to wake hotspan after a sample: at once for what is new, or if it has read nothing for a while, or if the ring
// buffer fills up. A mark-compact frees code and moves it: what waits is read before the next code has its place. A
// wakeup takes an interrupt, which costs more than the walk.
static __always_inline __u64 wakeup(void *ring, const struct scratch *s, const struct consumer *r)
{
	const struct sample *e = (const struct sample *)s->buffer;
	__s64 limit = e->gc_state == GC_MARK_COMPACT ? READ_IN_GC : (__s64)r->read_every;
	if (s->urgent || s->is_new || (__s64)(e->time - r->read_at) > limit)
		return BPF_RB_FORCE_WAKEUP;
	__u64 used = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA), size = bpf_ringbuf_query(ring, BPF_RB_RING_SIZE);
	return used > size / 2 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}
