// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// V8's frames: by frame pointer. The specification is v8/stack/walk*.go.

#pragma once

#include <linux/types.h>
#include "deoptimizer.h"
#include "event.h"
#include "kernel.h"
#include "known.h"
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

#define NO_SCRIPT -1
#define UNREADABLE_SCRIPT -2

// Script.id, or one of these: the object is none, or it cannot be told.
static __always_inline __s32 script_id(struct scratch *s, __u64 script)
{
	const struct v8_layout *v8 = &s->v8;
	__u64 *head = s->object_head;
	skip_debug_info(v8, head, &script);
	if (read_object(&script, head, SCRIPT_HEAD))
		return UNREADABLE_SCRIPT;
	__s32 type = instance_type(head[0]);
	if (type != v8->type_script)
		return type < 0 ? UNREADABLE_SCRIPT : NO_SCRIPT;
	__u64 id = word_at(head, v8->script_id);
	return IS_SMI(id) ? SMI(id) : UNREADABLE_SCRIPT;
}

// The same of a script that may be kept.
static __always_inline __s32 known_script_id(struct scratch *s, __u64 script)
{
	struct script *known = &s->scripts[PLACE_OF(script, MAX_SCRIPTS)];
	if (known->object == script && known->epoch == s->epoch)
		return known->id;
	__s32 id = script_id(s, script);
	if (id >= 0 && !s->guessed)
		*known = (struct script){.object = script, .epoch = s->epoch, .id = id};
	return id;
}

// How much of a SharedFunctionInfo is read: up to the function literal id, behind which it may end.
static __always_inline __u32 sfi_head(const struct v8_layout *v8)
{
	return (v8->sfi_literal + 4 + 7) & 0x78;
}

// Keeps the identity of a function or of what functions share.
static __always_inline void keep_identity(struct scratch *s, __u64 object, const struct frame *f)
{
	struct identity *kept = s->identities[place_near(object, MAX_IDENTITIES)];
	kept[1] = kept[0];
	kept[0] = (struct identity){KEY_OF(s, object), f->sfi, f->script, f->literal};
}

// Fills in the identity that is kept of one of these; 0 = none is.
static __always_inline int known_identity(const struct scratch *s, __u64 object, struct frame *f)
{
	const struct identity *kept = s->identities[place_near(object, MAX_IDENTITIES)];
	__u64 key = KEY_OF(s, object);
	if (kept->key != key && (++kept)->key != key)
		return 0;
	f->sfi = kept->shared;
	f->literal = kept->literal;
	f->script = kept->script;
	return 1;
}

// Reads what functions share. Returns whether it is sure, and may be kept.
static __always_inline int read_shared(struct scratch *s, __u64 shared, struct frame *f)
{
	const struct v8_layout *v8 = &s->v8;
	__u64 *head = s->object_head;
	if (read_object(&shared, head, sfi_head(v8)))
		return 0;
	f->sfi = shared;
	f->literal = half_at(head, v8->sfi_literal);
	__s32 script = known_script_id(s, word_at(head, v8->sfi_script));
	f->script = script < 0 ? -1 : script;
	return script != UNREADABLE_SCRIPT && !s->guessed;
}

// Reads the identity of a function that the collector cannot change: JSFunction → SharedFunctionInfo → Script.id and
// function literal id. A function without a script (a builtin) has script -1. A function keeps what it shares: that of
// one in the old space is kept under its own address, so that the next samples read nothing of it.
__noinline int identify(struct scratch *s, __u64 function, struct frame *f)
{
	if (!s || !f)
		return -1;
	if (known_identity(s, function, f))
		return 0;
	__u64 *head = s->object_head, at = function;
	if (read_object(&at, head, FUNCTION_HEAD))
		return -1;
	__u64 shared = word_at(head, s->v8.function_shared);
	int known = known_identity(s, shared, f);
	if (!known && !read_shared(s, shared, f))
		return 0;
	if (!s->guessed && is_old(s, function))
		keep_identity(s, function, f);
	else if (!known)
		keep_identity(s, shared, f);
	return 0;
}

__noinline int walk_v8(struct scratch *s, int generated)
{
	if (!s)
		return -1;
	struct walk *w = &s->walk;
	struct v8_frame *v = &s->slots;
	if (!w->v8_sp)
		w->v8_sp = w->sp;
	// in a prologue the frame has no function yet, but what was there before
	s->guessed = w->v8_sp == w->sp || w->unsure;
	v->end = 0;
	if (rarely(w->bp <= w->sp))
		find_deopt_frame(s);
	struct frame *f = push_frame(s, FRAME_JS);
	f->generated = generated;
	if (!rarely(v->end)) {
		v->end = w->bp + 16;
		if (rarely(w->bp & 7 || v->end <= w->sp || read_stack(s, v, V8_FRAME_SIZE, w->bp - 40))) {
			w->stop = STOP_UNREADABLE;
			return 0;
		}
	}
	if (!HEAP_OBJECT(v->context) || !HEAP_OBJECT(v->function)) {
		f->kind = FRAME_TYPED;
		f->sfi = v->context;
		f->bytecode = v->function;
		__u64 argument = v->arguments[s->v8.regexp_argument & 3];
		f->script = argument;
		f->literal = argument >> 32;
		w->typed = 1;
		w->builtin = w->pc;
	} else {
		w->context = v->context;
		f->bytecode = v->bytecode;
		if (IS_SMI(v->offset))
			f->offset = SMI(v->offset);
		if (rarely(!known_identity(s, v->function, f)))
			identify(s, v->function, f);
	}
	if (is_named(f))
		note_frame(s, f);
	ascend(w, v->pc, v->end, v->bp, 0);
	return 0;
}

// WebAssembly's code is in mappings of its own, which come with each module and may not be known yet. Its frames tell.
static __always_inline int in_wasm(struct scratch *s)
{
	const struct walk *w = &s->walk;
	__u64 word, marker = s->v8.wasm_marker << 1;
	return marker && !(w->bp & 7) && w->bp >= w->sp && !read_user(&word, 8, w->bp - 8) && word == marker;
}
