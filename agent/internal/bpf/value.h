// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Context records: what the BPF program says of a request.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"

// Begins a context record of `length` bytes and returns where they go.
static __always_inline void *append(struct scratch *s, __u32 type, __u32 label, __u32 length)
{
	__u32 end = s->end;
	if (rarely(end >= BUFFER_SIZE - MAX_STRING - 64 || length > MAX_STRING)) {
		s->full = 1;
		return 0;
	}
	struct context_record *r = (void *)&s->buffer[end & (BUFFER_SIZE - 1)];
	r->type = type;
	r->label = label;
	r->length = length;
	s->end = end + sizeof(*r) + length;
	return r + 1;
}

// Asks the agent to learn something and to update a map of learned.h.
__noinline int request_update(struct scratch *s, __u32 type, __u32 label, __u64 a, __u64 b)
{
	if (!s)
		return 0;
	s->urgent = 1;
	__u64 *to = append(s, type, label, 2 * sizeof(*to));
	if (to) {
		to[0] = a;
		to[1] = b;
	}
	return 0;
}

__noinline int unreadable(struct scratch *s)
{
	if (!s)
		return 0;
	s->apart = s->failed = 1;
	append(s, CONTEXT_UNREADABLE, NO_LABEL, 0);
	return 0;
}

// What a field of doubles has that V8 has added to an object, and not written yet. No number of JavaScript has these
// bits. (src/objects/js-objects.cc, MigrateFastToFast; src/common/globals.h, kHoleNanInt64)
#define HOLE_NAN 0xfff7fffffff7ffffULL

// Whether the thread whose objects are read was in code of V8's that is no C++: of some changes that take several
// stores it does none.
static __always_inline int in_v8_code(struct scratch *s)
{
	const struct frame *leaf = (const struct frame *)&s->buffer[s->walk.frames & (BUFFER_SIZE - 1)];
	return !s->owner.isolate && s->walk.n_frames && (leaf->kind == FRAME_JS || leaf->kind == FRAME_TYPED);
}

static __always_inline __u32 string_length(const struct v8_layout *v8, const __u64 *head)
{
	return half_at(head, v8->string_length);
}

// V8 makes a string that becomes a key a reference to that key. In a flat one it writes the reference over the first
// characters, and the hidden class last. (src/objects/string.cc, String::MakeThin) Whether these, eight bytes of so
// many, may be the reference: no text has zeros there. What is behind a shorter one may be anything.
static __always_inline int resembles_reference(__u64 chars, __u32 bytes)
{
	return bytes >= 8 && HEAP_OBJECT(chars) && !(chars >> 48);
}

// Whether they are: then it is a string as long.
static __always_inline int is_reference(struct scratch *s, __u64 chars, __u32 length, __u32 width)
{
	return resembles_reference(chars, length * width) && !read_apart(s, &s->word, 8, chars - 1 + 8) &&
	       half_at(&s->word, s->v8.string_length & 4) == length;
}

// Uses n of the steps that reading a sample's context may have; 0 = fewer are left.
static __always_inline long use_steps(struct scratch *s, __u32 n)
{
	if (s->context_steps < n)
		return 0;
	s->context_steps -= n;
	return 1;
}

static __always_inline void *record_at(struct scratch *s, __u32 at)
{
	return &s->buffer[at & (BUFFER_SIZE - 1)];
}

static __always_inline void append_word(struct scratch *s, __u32 type, __u32 label, __u64 bits)
{
	__u64 *to = append(s, type, label, sizeof(bits));
	if (to)
		*to = bits;
}
