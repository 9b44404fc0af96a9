// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The walk over one thread's user stack: V8's frames by frame pointer, native frames by unwind rules. The specification
// is Go: v8/stack/walk*.go, and Step of package unwind for the rules. Tests compare the two on recorded memory.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"
#include "unwind.h"
#include "walk_native.h"
#include "walk_state.h"
#include "walk_v8.h"

// Native frames that cannot be walked hide the rest of the stack, but V8 keeps the address of its youngest exit frame:
// from there on the stack is sound. (src/execution/thread-local-top.h, c_entry_fp_) A helper thread of V8 may be in the
// isolate of another thread, whose exit frame is farther away: at least as far as a stack is large.
static __always_inline void resume(struct walk *w)
{
	__u64 fp, v[2], at = w->process->v8.c_entry_fp;
	if (w->state->resumed || !at || !w->isolate || read_user(&fp, 8, w->isolate + at))
		return;
	if (fp <= w->sp || fp - w->sp > MAX_GAP || fp & 7 || read_user(v, sizeof(v), fp))
		return;
	w->state->resumed = 1;
	w->state->stop = 0;
	w->state->typed = 0;
	push_frame(w, FRAME_GAP);
	ascend(w, v[1], fp + 16, v[0], 0);
}

// Keeps the frames of a thread that runs no JavaScript, up to the function of its work, for find_kept (uvpool.h).
static __always_inline void keep_call(struct walk *w, __u64 pc)
{
	const struct uv_pool *pool = &w->process->pool;
	struct walk_state *state = w->state;
	if (w->isolate || !pool->call || state->in_pool)
		return;
	w->scratch->calls[state->n_calls++ & (MAX_CALLS - 1)] = (struct call){pc, w->sp};
	if (w->pc == pool->call)
		state->in_pool = state->n_calls;
}

// Builtins that go from an interpreted frame to its baseline code push the accumulator before they set up a frame in
// which C++ finds out where to. Then the accumulator is where the return address should be. The return address of the
// OSR builtin is the word above, and its accumulator any word, of no more use; the others were not called, and work on
// the frame of the function that they go on with.
// (src/builtins/x64/builtins-x64.cc, Generate_BaselineOrInterpreterEntry)
static __always_inline int try_word_above(struct walk *w)
{
	__u64 above, slots[2];
	if (read_user(&above, 8, w->sp) || read_user(slots, sizeof(slots), w->bp - 16) || !HEAP_OBJECT(slots[0]) ||
	    !HEAP_OBJECT(slots[1]))
		return 0;
	w->state->word_above = w->state->unsure = 1;
	w->state->value = w->pc;
	w->pc = above;
	return 1;
}

// Accepts the word above as return address if it is in V8's code, or goes on with the builtin where a value of V8's is
// below it.
static __always_inline int accept_word_above(struct walk *w, int v8)
{
	__u64 value = w->state->value;
	if (v8) {
		w->sp += 8;
		return 1;
	}
	w->pc = w->state->builtin;
	if (IS_SMI(value) || HEAP_OBJECT(value))
		return 1;
	w->pc = value;
	return 0;
}

static __always_inline void walk_other(struct walk *w, __u64 place, __u64 pc)
{
	if (BAD_PC(w->pc) && !w->state->exact_pc) {
		w->state->stop = STOP_BAD_PC;
		return;
	}
	struct frame *f = push_frame(w, place & NO_MAPPING ? FRAME_UNKNOWN : FRAME_NATIVE);
	if (place & NO_MAPPING)
		f->generated = 1;
	struct row row = {.cfa = place, .rbp = place >> 8, .off = place >> 16};
	if (place & NO_RULE)
		walk_frame_pointer(w);
	else
		walk_row(w, &row);
	keep_call(w, pc);
}

static long walk_step(__u32 i, void *context)
{
	struct walk *w = context;
	__u64 pc = w->state->exact_pc ? w->pc : w->pc - 1;
	__u64 place = find_place(w->process, w->scratch, pc);
	int v8 = place & NO_MAPPING ? in_wasm(w) : (place & (IN_GENERATED | IN_BUILTINS)) != 0;
	__u8 word_above = w->state->word_above, typed = w->state->typed;
	w->state->word_above = w->state->typed = 0;
	if (word_above) {
		v8 = accept_word_above(w, v8);
		place = NO_MAPPING | NO_RULE;
	}
	if (v8)
		walk_v8(w, !(place & IN_BUILTINS));
	else if (place & NO_MAPPING && typed && try_word_above(w))
		return 0;
	else
		walk_other(w, place, pc);
	if (w->state->stop && w->state->stop != STOP_ROOT)
		resume(w);
	return w->state->stop != 0;
}

// Walks to the thread's first frame, or until the walk cannot go on.
static __always_inline void walk_stack(struct walk *w)
{
	w->scratch->window_at = 0;
	*w->state = (struct walk_state){.frames = w->scratch->end, .leaf = 1, .exact_pc = 1};
	bpf_loop(MAX_STEPS, walk_step, w, 0);
	if (!w->state->stop)
		w->state->stop = STOP_DEPTH;
}
