// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// How far the walk of a stack has come, and how it goes on to the caller.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"

// Moves the window to these bytes of the stack, and returns where in it they are: 0; -1 where that is not possible.
__noinline int move_window(struct scratch *s, __u64 at)
{
	if (!s || at & 7)
		return -1;
	s->window_at = 0;
	if (read_user(s->window, WINDOW, at)) // the memory ends there
		return -1;
	s->window_at = at;
	return 0;
}

// Reads words of the stack, by way of the window. `size` is a constant, at most V8_FRAME_SIZE.
static __always_inline long read_stack(struct scratch *s, void *to, __u32 size, __u64 at)
{
	__u64 offset = at - s->window_at;
	if (rarely(!s->window_at || offset > WINDOW - size || offset & 7)) {
		if (move_window(s, at))
			return read_unset(to, size, at);
		offset = 0;
	}
	asm volatile("" : "+r"(offset)); // keeps the mask, which tells the verifier the bound
	copy_words(to, &s->window[(offset >> 3) & (WINDOW / 8 - 1)], size);
	return 0;
}

// Adds a frame to the record. Those after the first KEPT_LEAF are a ring of KEPT_ROOT, which the agent puts into order.
static __always_inline struct frame *push_frame(struct scratch *s, __u32 kind)
{
	struct walk *w = &s->walk;
	__u32 n = w->n_frames++;
	if (!rarely(n >= MAX_FRAMES))
		s->end += sizeof(struct frame);
	else
		n = KEPT_LEAF + (n - KEPT_LEAF) % KEPT_ROOT;
	struct frame *f = (struct frame *)&s->buffer[(w->frames + n * sizeof(struct frame)) & (BUFFER_SIZE - 1)];
	__builtin_memset(f, 0, sizeof(*f));
	f->pc = w->pc;
	f->script = -1;
	f->offset = -1;
	f->kind = kind;
	f->exact = w->exact_pc;
	return f;
}

#define BAD_PC(pc) (!(pc) || (pc) >> 47)

// Moves to the caller, or to what a signal has interrupted: then pc is exact, and the stack may be another one, above
// or below.
static __always_inline void ascend(struct walk *w, __u64 pc, __u64 sp, __u64 bp, __u8 exact)
{
	if (rarely(sp <= w->sp && !exact)) {
		w->stop = STOP_NO_PROGRESS;
		return;
	}
	if (rarely(BAD_PC(pc) && !w->typed)) {
		w->stop = STOP_BAD_PC;
		return;
	}
	w->pc = pc;
	w->sp = sp;
	w->bp = bp;
	if (exact || w->n_frames > 1)
		w->leaf = 0; // what a rule behind a call asks for, the callee keeps: OpenSSL's aesni_gcm_encrypt
	w->exact_pc = exact;
}
