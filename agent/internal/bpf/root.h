// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The frames of native code below V8's, from the one that entered JavaScript to the thread's first. They are the same
// in most samples of a thread. How they lead to each other is kept: where nothing of that has changed on the stack, a
// walk would find the same again.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"
#include "walk_state.h"

// Where the roots of stacks that begin at a place are kept.
static __always_inline struct root *root_at(struct scratch *s, __u64 pc, __u64 sp)
{
	return &s->roots[(__u32)(pc ^ sp >> 4) * 0x9e3779b1 >> 24 & (MAX_ROOTS - 1)];
}

// Begins to keep the root that follows.
static __always_inline void begin_root(struct scratch *s, struct root *root)
{
	struct walk *w = &s->walk;
	root->generation = 0;
	root->pc = w->pc;
	root->sp = w->sp;
	root->bp = w->bp;
	root->n = 0;
	w->root = root - s->roots;
	w->root_frames = w->n_frames;
	w->in_root = 1;
}

// Notes how a frame has led to its caller: by the return address at a place, and the caller's frame pointer at another
// one; 0 = it is not on the stack.
static __always_inline void link_root(struct scratch *s, __u64 at, __u64 pc, __u64 bp_at, __u64 bp)
{
	struct root *root = &s->roots[s->walk.root & (MAX_ROOTS - 1)];
	if (s->walk.in_root && root->n < MAX_ROOT_LINKS)
		root->links[root->n++] = (struct root_link){at, pc, bp_at, bp};
}

// Keeps the root if the walk has come to the thread's first frame, and all frames were linked.
static __always_inline void end_root(const struct process *p, struct scratch *s)
{
	const struct walk *w = &s->walk;
	struct root *root = &s->roots[w->root & (MAX_ROOTS - 1)];
	if (w->in_root && w->stop == STOP_ROOT && w->n_frames == w->root_frames + root->n + 1)
		root->generation = p->generation;
}

// Whether the words that a link is made of are still on the stack.
static __always_inline int holds(struct scratch *s, const struct root_link *l)
{
	__u64 v[2];
	if (l->bp_at == l->at - 8)
		return !read_stack(s, v, sizeof(v), l->bp_at) && v[0] == l->bp && v[1] == l->pc;
	if (read_stack(s, v, 8, l->at) || v[0] != l->pc)
		return 0;
	return !l->bp_at || (!read_stack(s, v, 8, l->bp_at) && v[0] == l->bp);
}

// How far the frames of a root have been added.
struct adding {
	struct scratch *scratch;
	const struct root *root;
	__u64 pc; // of the next frame
	__u32 at; // where in the buffer it goes
	__u32 added;
};

static long add_next(__u32 i, void *context)
{
	struct adding *a = context;
	struct frame *f = (struct frame *)&a->scratch->buffer[a->at & (BUFFER_SIZE - 1)];
	*f = (struct frame){.pc = a->pc, .script = -1, .offset = -1, .kind = FRAME_NATIVE};
	a->at += sizeof(*f);
	a->added = i + 1;
	if (i >= a->root->n || i >= MAX_ROOT_LINKS)
		return 1;
	asm volatile("" : "+r"(i)); // keeps the mask, which tells the verifier the bound
	const struct root_link *l = &a->root->links[i & (MAX_ROOT_LINKS - 1)];
	a->pc = l->pc;
	return !holds(a->scratch, l);
}

// Adds the frames of a root to the record. Returns 0 where it does not hold any more.
static __always_inline int add_root(struct scratch *s, const struct root *root)
{
	struct adding a = {.scratch = s, .root = root, .pc = root->pc, .at = s->end};
	bpf_loop(MAX_ROOT_LINKS + 1, add_next, &a, 0);
	if (a.added != root->n + 1)
		return 0;
	s->end = a.at;
	s->walk.n_frames += a.added;
	return 1;
}

// Ends the walk by a root that is kept, or begins to keep the one that follows. The frame is one of native code, and
// its callee V8's entry to JavaScript. Return addresses that uretprobes have replaced are not kept.
__noinline int find_root(const struct process *p, struct scratch *s)
{
	if (!p || !s)
		return 0;
	struct walk *w = &s->walk;
	struct root *root = root_at(s, w->pc, w->sp);
	w->in_root = 0;
	if (s->trampoline || !w->isolate || !p->generation || w->n_frames > KEPT_LEAF - MAX_ROOT_LINKS - 1)
		return 0;
	if (root->generation == p->generation && root->pc == w->pc && root->sp == w->sp && root->bp == w->bp &&
	    add_root(s, root)) {
		w->stop = STOP_ROOT;
		return 1;
	}
	begin_root(s, root);
	return 0;
}
