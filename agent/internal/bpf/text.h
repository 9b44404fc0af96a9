// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Strings of V8's heap as values of labels. V8 keeps them in several forms, some as parts of others.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "limits.h"
#include "memory.h"
#include "part.h"
#include "process.h"
#include "scratch.h"
#include "value.h"

#define ALL_CHARS (~0U) // as many as there are

// Begins to write characters of one width. Those of another width go into a record of their own.
static __always_inline long set_width(struct scratch *s, __u32 width)
{
	struct text *t = &s->value_text;
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

#define COPY_LOOP 128 // bytes; V8 copies more than that by memcpy, which keeps the target in rax

// Whether the thread was stopped while it copied a string to this address, or was about to: until that is done the
// memory holds its former contents, which may resemble any string. The target is in a register meanwhile. A register
// may also refer to what was copied long before; then the string is missing, which is why functions are not checked
// like this.
__noinline int being_copied(__u64 address)
{
	struct scratch *s = own_scratch();
	if (!s || !s->collecting)
		return 0;
	for (int i = 0; i < 16; i++)
		if (s->registers[i] - address <= COPY_LOOP)
			return 1;
	return 0;
}

// Reads the head of a string, 16 bytes, and returns its instance type; -1 if it cannot be told. A collection may
// forward a string that stands for another one to that one, which is of another type: then *string becomes it.
// (src/heap/scavenger.cc, EvacuateShortcutCandidate and EvacuateThinString) The hidden class at the new place may be of
// what was there before. So a forwarded string is only believed to be flat if its copy is made, and not to be external,
// where nothing tells a pointer; copy_piece checks the parts of others.
static __always_inline __s32 read_string(struct scratch *s, __u64 *string, __u64 *to)
{
	const struct v8_layout *v8 = &s->v8;
	__u64 moved, old, new[2], next;
	if (!HEAP_OBJECT(*string) || read_words(s, to, 16, *string - 1))
		return -1;
	moved = to[0];
	if (!(moved & 1) && (read_apart(s, to, 8, moved) || !(to[0] & 1)))
		return -1;
	if (being_copied(moved & 1 ? *string - 1 : moved))
		return -1;
	__s32 type = instance_type(to[0]);
	if (moved & 1 || type < 0)
		return type;
	if (type >= v8->first_non_string)
		return class_of_copy(*string - 1, moved) ? type : -1;
	if ((type & v8->string_mask) == v8->tag_external)
		return -1;
	if ((type & v8->string_mask) != v8->tag_seq)
		return type;
	if (read_apart(s, &old, 8, *string - 1 + v8->string_chars) || read_apart(s, &new[0], 8, moved + 8) ||
	    read_apart(s, &new[1], 8, moved + v8->string_chars))
		return -1;
	if (old == new[1] && to[1] == new[0])
		return type;
	// A part of another representation begins where characters do; or the copy is not made yet.
	if (!HEAP_OBJECT(old) || read_apart(s, &next, 8, old - 1) || (old - 1 != moved && next != moved))
		return -1;
	if (read_whole_apart(s, old, to, 16))
		return -1;
	*string = old;
	return instance_type(to[0]);
}

static __always_inline long read_chars(struct scratch *s, void *to, __u32 size, __u64 chars)
{
	__u32 before = chars & 7;
	int at = find_part(s, chars - before, (before + size + 7) & ~7U);
	if (at < 0)
		return read_apart(s, to, size, chars);
	return bpf_probe_read_kernel(to, size, (const __u8 *)part_at(s, at) + before);
}

// Copies the characters of a flat string; in_head says that `chars` is no address, but where they are among those that
// were read with its head.
__noinline int copy_flat(struct scratch *s, __u64 chars, __u32 in_head, __u32 width, __u32 length)
{
	if (!s || !length)
		return 0;
	struct text *t = &s->value_text;
	t->left -= length;
	if (set_width(s, width))
		return -1;
	__u64 size = (__u64)length * width;
	__u32 room = MAX_STRING - t->size;
	if (size > room) {
		size = room & ~1;
		t->cut = 1;
	}
	size &= 2 * MAX_STRING - 1;
	asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
	if (s->end >= BUFFER_SIZE - MAX_STRING - 64)
		return -1;
	if (in_head)
		copy_words(record_at(s, s->end), (__u8 *)&s->object_head[STRING_HEAD / 8] + (chars & 63), SHORT_STRING);
	else if (read_chars(s, record_at(s, s->end), size, chars))
		return -1;
	t->size += size;
	s->end += size;
	struct context_record *record = record_at(s, t->record);
	record->length = s->end - t->start;
	return 0;
}

static __always_inline void push_piece(struct scratch *s, __u64 string, __u32 skip, __u32 length)
{
	struct piece *p = &s->pieces[s->value_text.n_pieces++ & (MAX_PIECES - 1)];
	p->string = string;
	p->skip = skip;
	p->length = length;
}

// Reads the head of a piece into scratch->object_head, with what follows it if no collection runs; `size` becomes how
// many bytes. Returns its instance type, or -1.
static __always_inline __s32 read_piece(struct scratch *s, struct piece *p, __u32 *size)
{
	struct text *t = &s->value_text;
	*size = STRING_HEAD;
	if (s->collecting)
		return read_string(s, &p->string, s->object_head);
	if (t->known) {
		*size = t->known;
		t->known = 0;
		return t->type;
	}
	*size = read_more(s, p->string, s->object_head, STRING_HEAD + SHORT_STRING, STRING_HEAD);
	return *size ? instance_type(s->object_head[0]) : -1;
}

// The word at an offset of a piece, of which so many bytes were read.
static __always_inline long piece_word(struct scratch *s, __u32 size, __u32 at, __u64 *to)
{
	if (at >= size)
		return read_word(s, to, s->piece.string - 1 + at);
	*to = word_at(s->object_head, at);
	return 0;
}

// Whether V8 is making scratch->piece, a flat string of which so many bytes were read, a reference to another one.
__noinline int becomes_thin(struct scratch *s, __u32 size, __u32 type)
{
	__u64 chars;
	return s && !piece_word(s, size, s->v8.string_chars, &chars) &&
	       is_reference(s, chars, string_length(&s->v8, s->object_head), type & s->v8.one_byte_bit ? 1 : 2);
}

// Copies so many characters of scratch->piece, a flat string of which `size` bytes were read.
static __always_inline long copy_seq(struct scratch *s, __s32 type, __u32 size, __u32 length)
{
	const struct v8_layout *v8 = &s->v8;
	__u32 width = type & v8->one_byte_bit ? 1 : 2;
	__u64 at = (__u64)s->piece.skip * width, end = v8->string_chars + at + (__u64)length * width;
	if (end <= size)
		return copy_flat(s, at, 1, width, length);
	return copy_flat(s, s->piece.string - 1 + v8->string_chars + at, 0, width, length);
}

// Pops the topmost piece: copies it, or pushes what it stands for. (src/objects/string.h)
static __always_inline long copy_piece(struct scratch *s)
{
	struct text *t = &s->value_text;
	const struct v8_layout *v8 = &s->v8;
	struct piece *p = &s->piece; // the stack is short
	__u32 size;
	*p = s->pieces[--t->n_pieces & (MAX_PIECES - 1)];
	if (!use_steps(s, 1))
		return -1;
	__s32 type = read_piece(s, p, &size);
	if (type < 0 || type >= v8->first_non_string)
		return -1;
	__u32 length = string_length(v8, s->object_head);
	if (length < p->skip)
		return -1;
	length -= p->skip;
	if (length > p->length)
		length = p->length;
	if (t->left == ALL_CHARS)
		t->left = length;
	// V8 flattens a string of two parts, or makes it a key, by one store after the other. In between its first part
	// is all of it, and the second still what it was. (src/objects/string.cc, String::SlowFlatten and MakeThin)
	if (length > t->left)
		length = t->left;
	__u32 tag = type & v8->string_mask;
	if (tag == v8->tag_seq && length && becomes_thin(s, size, type))
		tag = v8->tag_thin;
	if (tag == v8->tag_seq)
		return copy_seq(s, type, size, length);
	__u64 first; // words are read one after the other: the stack is short
	if (tag == v8->tag_external && !(type & v8->uncached_bit)) {
		__u32 width = type & v8->one_byte_bit ? 1 : 2;
		if (piece_word(s, size, v8->external_data, &first))
			return -1;
		return copy_flat(s, first + (__u64)p->skip * width, 0, width, length);
	}
	if (tag == v8->tag_thin) {
		if (piece_word(s, size, v8->thin_actual, &first))
			return -1;
		push_piece(s, first, p->skip, length);
	} else if (tag == v8->tag_sliced) {
		if (piece_word(s, size, v8->sliced_parent, &first) ||
		    piece_word(s, size, v8->sliced_offset, &p->string) || !IS_SMI(p->string))
			return -1;
		push_piece(s, first, p->skip + SMI(p->string), length);
	} else if (tag == v8->tag_cons && !p->skip && t->n_pieces < MAX_PIECES - 2) {
		if (piece_word(s, size, v8->cons_second, &first))
			return -1;
		push_piece(s, first, 0, ALL_CHARS);
		if (piece_word(s, size, v8->cons_first, &first))
			return -1;
		push_piece(s, first, 0, ALL_CHARS);
	} else {
		return -1;
	}
	return 0;
}

static long copy_next_piece(__u32 i, void *context)
{
	struct scratch *s = *(struct scratch **)context;
	struct text *t = &s->value_text;
	if (!t->n_pieces || !t->left || t->cut)
		return 1;
	if (!copy_piece(s))
		return 0;
	t->bad = 1;
	return 1;
}

// Whether a string of this type, of which so many bytes are in scratch->ref_head, is flat, of Latin-1 characters, and
// whole there.
static __always_inline int is_short(const struct scratch *s, __u32 type, __u32 size)
{
	const struct v8_layout *v8 = &s->v8;
	return !s->collecting && type < v8->first_non_string && size > STRING_HEAD &&
	       (type & (v8->string_mask | v8->one_byte_bit)) == (v8->tag_seq | v8->one_byte_bit) &&
	       string_length(v8, s->ref_head) <= SHORT_STRING &&
	       !resembles_reference(s->ref_head[STRING_HEAD / 8], string_length(v8, s->ref_head));
}

// Appends such a string.
static __always_inline void append_short(struct scratch *s, __u32 label)
{
	void *to = append(s, CONTEXT_ONE_BYTE, label, string_length(&s->v8, s->ref_head));
	if (to)
		copy_words(to, &s->ref_head[STRING_HEAD / 8], SHORT_STRING); // what is behind them is written over
}

static __always_inline void append_string(struct scratch *s, const struct label_value *f)
{
	__u32 at = s->end;
	struct text *t = &s->value_text;
	if (!append(s, CONTEXT_UNREADABLE, f->label, 0))
		return;
	*t = (struct text){.label = f->label, .record = at, .start = s->end, .left = ALL_CHARS,
			  .known = f->size, .type = f->type};
	copy_words(s->object_head, f->head, sizeof(f->head));
	push_piece(s, f->value, 0, ALL_CHARS);
	bpf_loop(MAX_PIECES_TOTAL, copy_next_piece, &s, 0);
	if (t->cut) {
		append(s, CONTEXT_CUT, f->label, 0);
	} else if (t->bad || t->left) { // nothing of it: a part would be another value
		s->end = at;
		unreadable(s);
	} else if (!t->width) {
		s->end = at; // an empty string says nothing
	}
}
