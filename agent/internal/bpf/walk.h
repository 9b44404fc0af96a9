// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The walk over one thread's user stack: V8's frames by frame pointer, native frames by unwind rules. The specification
// is Go: v8/stack/walk*.go, and Step of package unwind for the rules. Tests compare the two on recorded memory.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "known.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "root.h"
#include "scratch.h"
#include "unwind.h"
#include "walk_native.h"
#include "walk_state.h"
#include "walk_v8.h"

// Native frames that cannot be walked hide the rest of the stack, but V8 keeps the address of its youngest exit frame:
// from there on the stack is sound. (src/execution/thread-local-top.h, c_entry_fp_) A helper thread of V8 may be in the
// isolate of another thread, whose exit frame is farther away: at least as far as a stack is large.
static __always_inline void resume(struct scratch *s)
{
	struct walk *w = &s->walk;
	__u64 fp, v[2], at = s->v8.c_entry_fp;
	if (w->resumed || !at || !w->isolate || read_user(&fp, 8, w->isolate + at))
		return;
	if (fp <= w->sp || fp - w->sp > MAX_GAP || fp & 7 || read_user(v, sizeof(v), fp))
		return;
	w->resumed = 1;
	w->stop = 0;
	w->typed = 0;
	push_frame(s, FRAME_GAP);
	ascend(w, v[1], fp + 16, v[0], 0);
}

// Keeps the frames of a thread that runs no JavaScript, up to the function of its work, for find_kept (uvpool.h).
static __always_inline void keep_call(struct process *p, struct scratch *s, __u64 pc)
{
	const struct uv_pool *pool = &p->pool;
	struct walk *w = &s->walk;
	if (!rarely(!w->isolate && pool->call && !w->in_pool))
		return;
	s->calls[w->n_calls++ & (MAX_CALLS - 1)] = (struct call){pc, w->sp};
	if (w->pc == pool->call)
		w->in_pool = w->n_calls;
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
	w->word_above = w->unsure = 1;
	w->value = w->pc;
	w->pc = above;
	return 1;
}

// Accepts the word above as return address if it is in V8's code, or goes on with the builtin where a value of V8's is
// below it.
static __always_inline int accept_word_above(struct walk *w, int v8)
{
	__u64 value = w->value;
	if (v8) {
		w->sp += 8;
		return 1;
	}
	w->pc = w->builtin;
	if (IS_SMI(value) || HEAP_OBJECT(value))
		return 1;
	w->pc = value;
	return 0;
}

// A frame of native code, or of none that is known.
__noinline int walk_other(struct process *p, struct scratch *s, __u64 place, __u64 pc)
{
	if (!p || !s)
		return -1;
	struct walk *w = &s->walk;
	if (rarely(BAD_PC(w->pc) && !w->exact_pc)) {
		w->stop = STOP_BAD_PC;
		return 0;
	}
	struct frame *f = push_frame(s, place & NO_MAPPING ? FRAME_UNKNOWN : FRAME_NATIVE);
	if (rarely(place & NO_MAPPING)) {
		f->generated = 1;
		note_frame(s, f);
	}
	struct row row = {.cfa = place, .rbp = place >> 8, .off = place >> 16};
	if (rarely(place & NO_RULE))
		walk_frame_pointer(p, s);
	else
		walk_row(p, s, &row);
	keep_call(p, s, pc);
	return 0;
}

// Whose stack is walked.
struct walking {
	struct process *process;
	struct scratch *scratch;
};

static long walk_step(__u32 i, void *context)
{
	const struct walking *of = context;
	struct process *p = of->process;
	struct scratch *s = of->scratch;
	struct walk *w = &s->walk;
	__u64 pc = w->exact_pc ? w->pc : w->pc - 1;
	__u64 place = find_place(p, s, pc);
	int v8 = rarely(place & NO_MAPPING) ? in_wasm(s) : (place & (IN_GENERATED | IN_BUILTINS)) != 0;
	__u8 word_above = w->word_above, typed = w->typed;
	w->word_above = w->typed = 0;
	if (rarely(word_above)) {
		v8 = accept_word_above(w, v8);
		place = NO_MAPPING | NO_RULE;
	}
	if (v8)
		walk_v8(s, !(place & IN_BUILTINS));
	else if (rarely(place & NO_MAPPING) && typed && try_word_above(w))
		return 0;
	else if (!typed || place & NO_MAPPING || w->exact_pc || !find_root(p, s))
		walk_other(p, s, place, pc);
	if (rarely(w->stop && w->stop != STOP_ROOT))
		resume(s);
	return w->stop != 0;
}

// Walks from these registers to the thread's first frame, or until the walk cannot go on.
static __always_inline void walk_stack(struct process *p, struct scratch *s, const struct sample *e)
{
	struct walking of = {p, s};
	s->window_at = 0;
	s->walk = (struct walk){.pc = e->ip, .sp = e->sp, .bp = e->bp, .isolate = e->isolate, .frames = s->end,
				.leaf = 1, .exact_pc = 1};
	bpf_loop(MAX_STEPS, walk_step, &of, 0);
	if (!s->walk.stop)
		s->walk.stop = STOP_DEPTH;
	end_root(p, s);
}
