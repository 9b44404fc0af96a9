// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Optimised frames that V8's deoptimiser has removed from the stack: deopt frames. The specification is
// v8/stack/walk_deopt.go.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"
#include "walk_state.h"

// What is known of the deoptimiser at work.
struct deoptimizer {
	__u64 object; // of C++
	__u64 end;    // of the frame that it removed from the stack
	__u64 copied; // where the copy of the frame ends by now; 0 = it is complete
};

static __always_inline int is_deoptimizer(const struct walk *w, __u64 object)
{
	__u64 isolate;
	return object && w->isolate && !read_user(&isolate, 8, object) && isolate == w->isolate;
}

// Finds it. A call of C++ has the stack pointer from before its alignment on top, and that points to the object's
// address, which was pushed where the frame was. Else they are in registers.
static __always_inline int find_deoptimizer(struct scratch *s, struct deoptimizer *d)
{
	const struct walk *w = &s->walk;
	const __u64 *registers = s->registers;
	__u64 top[3];
	if (w->exact_pc) {
		if (!w->leaf)
			return 0; // a signal's: they are not known
		d->object = registers[0]; // rax
		if (!is_deoptimizer(w, d->object))
			d->object = registers[5]; // rdi: the call's argument
		d->end = registers[2];	  // rcx
		d->copied = registers[1]; // rdx
	} else {
		if (read_user(top, sizeof(top), w->sp) || (top[0] != w->sp + 8 && top[0] != w->sp + 16))
			return 0;
		d->object = top[0] == w->sp + 8 ? top[1] : top[2];
		d->end = top[0] + 8;
		d->copied = 0;
	}
	return is_deoptimizer(w, d->object);
}

// Reads the frame from the copy. The return address is that of the call of the deoptimiser.
static __always_inline long read_deopt_frame(struct scratch *s, const struct deoptimizer *d, __u64 *from)
{
	const struct v8_layout *v8 = &s->v8;
	struct v8_frame *v = &s->slots;
	__u64 size, *head = s->ref_head;
	if (!v8->deoptimizer_from || read_user(head, 40, d->object + v8->deoptimizer_from))
		return -1;
	__u64 description = word_at(head, v8->deoptimizer_input - v8->deoptimizer_from);
	__u64 content = description + v8->frame_content;
	__u64 below = (__u32)head[1]; // the frame pointer
	if (read_user(&size, 8, description) || below < 16 || below + 16 > size || d->end - size + below != s->walk.bp)
		return -1;
	if (d->copied && d->copied - content < below + 16)
		return -1;
	*from = head[0];
	v->offset = 1; // no Smi: the code is optimised
	v->bytecode = 0;
	return read_user(&v->function, 32, content + below - 16);
}

// Finds the deopt frame, adds the builtin's to the record, and moves to it.
static __always_inline void find_deopt_frame(struct scratch *s)
{
	struct walk *w = &s->walk;
	struct deoptimizer d;
	__u64 from;
	if (!find_deoptimizer(s, &d) || read_deopt_frame(s, &d, &from))
		return;
	struct frame *f = push_frame(s, FRAME_TYPED); // the builtin has none of its own
	f->script = 0;
	// Inside the deopt exit that the code jumped to: a return address there is what follows the call.
	w->pc = from - s->v8.exit_rest;
	w->exact_pc = 0;
	s->slots.end = d.end;
	__builtin_memset(s->slots.arguments, 0, sizeof(s->slots.arguments));
}
