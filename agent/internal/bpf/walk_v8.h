// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// V8's frames: by frame pointer. The specification is v8/stack/walk*.go.

#pragma once

#include <linux/types.h>
#include "deoptimizer.h"
#include "event.h"
#include "kernel.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"
#include "walk_state.h"

// Until V8 11 a function that a debugger has inspected has a DebugInfo in place of its Script, which that refers to.
static __always_inline void skip_debug_info(const struct v8_layout *v8, __u64 *head, __u64 *script)
{
	if (v8->debug_info_script && !read_object(script, head, DEBUG_INFO_HEAD) &&
	    instance_type(head[0]) == v8->type_debug_info)
		*script = word_at(head, v8->debug_info_script);
}

// Script.id; -1 if the object is no Script.
static __always_inline __s32 script_id(struct walk *w, __u64 script)
{
	const struct v8_layout *v8 = &w->process->v8;
	__u64 *head = w->scratch->object_head;
	skip_debug_info(v8, head, &script);
	if (read_object(&script, head, SCRIPT_HEAD))
		return -1;
	if (instance_type(head[0]) != v8->type_script)
		return -1;
	__u64 id = word_at(head, v8->script_id);
	return IS_SMI(id) ? SMI(id) : -1;
}

// The same of a script that may be kept.
static __always_inline __s32 known_script_id(struct walk *w, __u64 script)
{
	struct script *known = &w->scratch->scripts[PLACE_OF(script, MAX_SCRIPTS)];
	if (known->object == script && known->epoch == w->scratch->epoch)
		return known->id;
	__s32 id = script_id(w, script);
	if (id >= 0 && !w->scratch->guessed)
		*known = (struct script){.object = script, .epoch = w->scratch->epoch, .id = id};
	return id;
}

// How much of a SharedFunctionInfo is read: up to the function literal id, behind which it may end.
static __always_inline __u32 sfi_head(const struct v8_layout *v8)
{
	return (v8->sfi_literal + 4 + 7) & 0x78;
}

// Reads the identity of a function that the collector cannot change: JSFunction → SharedFunctionInfo → Script.id and
// function literal id. A function without a script (a builtin) has script -1.
static __noinline void identify(struct walk *w, __u64 function, struct frame *f)
{
	const struct v8_layout *v8 = &w->process->v8;
	__u64 *head = w->scratch->object_head;
	if (read_object(&function, head, FUNCTION_HEAD))
		return;
	__u64 sfi = word_at(head, v8->function_shared);
	struct shared *kept = &w->scratch->shared[PLACE_OF(sfi, MAX_SHARED)];
	if (kept->object == sfi && kept->epoch == w->scratch->epoch) {
		f->sfi = sfi;
		f->literal = kept->literal;
		f->script = kept->script;
		return;
	}
	if (read_object(&sfi, head, sfi_head(v8)))
		return;
	f->sfi = sfi;
	f->literal = half_at(head, v8->sfi_literal);
	f->script = known_script_id(w, word_at(head, v8->sfi_script));
	if (f->script >= 0 && !w->scratch->guessed)
		*kept = (struct shared){sfi, w->scratch->epoch, f->script, f->literal};
}

static __always_inline void walk_v8(struct walk *w, int generated)
{
	struct v8_frame *v = &w->scratch->slots;
	if (!w->v8_sp)
		w->v8_sp = w->sp;
	// in a prologue the frame has no function yet, but what was there before
	w->scratch->guessed = w->v8_sp == w->sp || w->state->unsure;
	v->end = 0;
	if (w->bp <= w->sp)
		find_deopt_frame(w);
	struct frame *f = push_frame(w, FRAME_JS);
	f->generated = generated;
	if (!v->end) {
		v->end = w->bp + 16;
		if (w->bp & 7 || v->end <= w->sp || read_stack(w->scratch, v, V8_FRAME_SIZE, w->bp - 40)) {
			w->state->stop = STOP_UNREADABLE;
			return;
		}
	}
	if (!HEAP_OBJECT(v->context) || !HEAP_OBJECT(v->function)) {
		f->kind = FRAME_TYPED;
		f->sfi = v->context;
		f->bytecode = v->function;
		__u64 argument = v->arguments[w->process->v8.regexp_argument & 3];
		f->script = argument;
		f->literal = argument >> 32;
		w->state->typed = 1;
		w->state->builtin = w->pc;
	} else {
		w->context = v->context;
		f->bytecode = v->bytecode;
		if (IS_SMI(v->offset))
			f->offset = SMI(v->offset);
		identify(w, v->function, f);
	}
	ascend(w, v->pc, v->end, v->bp, 0);
}

// WebAssembly's code is in mappings of its own, which come with each module and may not be known yet. Its frames tell.
static __always_inline int in_wasm(struct walk *w)
{
	__u64 word, marker = w->process->v8.wasm_marker << 1;
	return marker && !(w->bp & 7) && w->bp >= w->sp && !read_user(&word, 8, w->bp - 8) && word == marker;
}
