// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Context records: what the BPF program says of a request, and the strings and numbers in them.

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
	if (s)
		append(s, CONTEXT_UNREADABLE, NO_LABEL, 0);
	return 0;
}

static __always_inline __u32 string_length(const struct v8_layout *v8, const __u64 *head)
{
	return half_at(head, v8->string_length);
}

// Uses n of the steps that reading a sample's context may have; 0 = fewer are left.
static __always_inline long use_steps(struct scratch *s, __u32 n)
{
	if (s->context_steps < n)
		return 0;
	s->context_steps -= n;
	return 1;
}

// A label value that is being put together.
struct text {
	struct scratch *scratch;
	__u32 label;
	__u32 record, start; // offsets in the buffer: of the record that is being written, and of its characters
	__u32 size;          // bytes of all records of the value
	__u32 width;         // bytes of a character; 0 = none yet
	__u32 n_pieces;      // still to be copied, the next on top
	__u8 bad, cut;
};

static __always_inline void *record_at(struct scratch *s, __u32 at)
{
	return &s->buffer[at & (BUFFER_SIZE - 1)];
}

// Begins to write characters of one width. Those of another width go into a record of their own.
static __always_inline long set_width(struct text *t, __u32 width)
{
	struct scratch *s = t->scratch;
	if (t->width == width)
		return 0;
	if (!t->width) {
		struct context_record *first = record_at(s, t->record);
		first->type = width == 2 ? CONTEXT_TWO_BYTE : CONTEXT_ONE_BYTE;
	} else {
		t->record = s->end;
		if (!append(s, width == 2 ? CONTEXT_MORE_TWO : CONTEXT_MORE_ONE, t->label, 0))
			return -1;
	}
	t->width = width;
	t->start = s->end;
	return 0;
}

// Copies the characters of a flat string.
static __noinline long copy_flat(struct text *t, __u64 chars, __u32 width, __u32 length)
{
	struct scratch *s = t->scratch;
	if (!length)
		return 0;
	if (set_width(t, width))
		return -1;
	__u64 size = (__u64)length * width;
	__u32 room = MAX_STRING - t->size;
	if (size > room) {
		size = room & ~1;
		t->cut = 1;
	}
	size &= 2 * MAX_STRING - 1;
	asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
	if (s->end >= BUFFER_SIZE - MAX_STRING - 64 || read_user(record_at(s, s->end), size, chars))
		return -1;
	t->size += size;
	s->end += size;
	struct context_record *record = record_at(s, t->record);
	record->length = s->end - t->start;
	return 0;
}

static __always_inline void push_piece(struct text *t, __u64 string, __u32 skip, __u32 length)
{
	struct piece *p = &t->scratch->pieces[t->n_pieces++ & (MAX_PIECES - 1)];
	p->string = string;
	p->skip = skip;
	p->length = length;
}

// Pops the topmost piece: copies it, or pushes what it stands for. (src/objects/string.h)
static __always_inline long copy_piece(struct text *t)
{
	struct scratch *s = t->scratch;
	const struct v8_layout *v8 = &s->v8;
	struct piece p = s->pieces[--t->n_pieces & (MAX_PIECES - 1)];
	if (!use_steps(s, 1))
		return -1;
	__s32 type = read_string(v8, &p.string, s->object_head);
	if (type < 0 || type >= v8->first_non_string)
		return -1;
	__u32 length = string_length(v8, s->object_head);
	if (length < p.skip)
		return -1;
	length -= p.skip;
	if (length > p.length)
		length = p.length;
	__u32 tag = type & v8->string_mask;
	if (tag == v8->tag_seq) {
		__u32 width = type & v8->one_byte_bit ? 1 : 2;
		return copy_flat(t, p.string - 1 + v8->string_chars + (__u64)p.skip * width, width, length);
	}
	__u64 first; // words are read one after the other: the stack is short
	if (tag == v8->tag_external && !(type & v8->uncached_bit)) {
		__u32 width = type & v8->one_byte_bit ? 1 : 2;
		if (read_user(&first, 8, p.string - 1 + v8->external_data))
			return -1;
		return copy_flat(t, first + (__u64)p.skip * width, width, length);
	}
	if (tag == v8->tag_thin) {
		if (read_user(&first, 8, p.string - 1 + v8->thin_actual))
			return -1;
		push_piece(t, first, p.skip, length);
	} else if (tag == v8->tag_sliced) {
		if (read_user(&first, 8, p.string - 1 + v8->sliced_parent) ||
		    read_user(&p.string, 8, p.string - 1 + v8->sliced_offset) || !IS_SMI(p.string))
			return -1;
		push_piece(t, first, p.skip + SMI(p.string), length);
	} else if (tag == v8->tag_cons && !p.skip && t->n_pieces < MAX_PIECES - 2) {
		if (read_user(&first, 8, p.string - 1 + v8->cons_second))
			return -1;
		push_piece(t, first, 0, -1);
		if (read_user(&first, 8, p.string - 1 + v8->cons_first))
			return -1;
		push_piece(t, first, 0, -1);
	} else {
		return -1;
	}
	return 0;
}

static long copy_next_piece(__u32 i, void *context)
{
	struct text *t = context;
	if (!t->n_pieces || t->cut)
		return 1;
	if (!copy_piece(t))
		return 0;
	t->bad = 1;
	return 1;
}

// The type of flat strings of Latin-1 characters.
static __always_inline __u32 one_byte(const struct v8_layout *v8) { return v8->tag_seq | v8->one_byte_bit; }

// Appends a string whose characters were read with its head. An empty one says nothing.
static __always_inline void append_short(struct scratch *s, const struct label_value *f)
{
	void *to = f->length ? append(s, CONTEXT_ONE_BYTE, f->label, f->length) : 0;
	if (to)
		copy_words(to, f->chars, SHORT_STRING); // what is behind them is written over
}

static __always_inline void append_string(struct scratch *s, const struct label_value *f)
{
	__u32 at = s->end;
	if (f->whole && !s->collecting && (f->type & (s->v8.string_mask | s->v8.one_byte_bit)) == one_byte(&s->v8)) {
		append_short(s, f);
		return;
	}
	struct text t = {.scratch = s, .label = f->label, .record = at};
	if (!append(s, CONTEXT_UNREADABLE, f->label, 0))
		return;
	t.start = s->end;
	if (!s->collecting && (f->type & s->v8.string_mask) == s->v8.tag_seq) { // nothing moves it
		__u32 width = f->type & s->v8.one_byte_bit ? 1 : 2;
		t.bad = !use_steps(s, 1) || copy_flat(&t, f->value - 1 + s->v8.string_chars, width, f->length);
	} else {
		push_piece(&t, f->value, 0, -1);
		bpf_loop(MAX_PIECES_TOTAL, copy_next_piece, &t, 0);
	}
	if (t.cut) {
		append(s, CONTEXT_CUT, f->label, 0);
	} else if (t.bad || t.n_pieces) { // nothing of it: a part would be another value
		s->end = at;
		unreadable(s);
	} else if (!t.width) {
		s->end = at; // an empty string says nothing
	}
}

static __always_inline void append_word(struct scratch *s, __u32 type, __u32 label, __u64 bits)
{
	__u64 *to = append(s, type, label, sizeof(bits));
	if (to)
		*to = bits;
}
