// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Values of labels. A short string goes into the record at once; all else is kept until all rules were followed.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "limits.h"
#include "memory.h"
#include "part.h"
#include "scratch.h"
#include "table.h"
#include "text.h"
#include "value.h"

// A label among others. NO_LABEL is none.
static __always_inline __u64 label_bit(__u32 label)
{
	return label == NO_LABEL ? 0 : 1ULL << (label & (MAX_LABELS - 1));
}

// The kind of an Oddball if it is true or false, else -1.
static __always_inline long boolean(struct scratch *s, __u64 oddball)
{
	const struct v8_layout *v8 = &s->v8;
	__u64 kind;
	if (read_word(s, &kind, oddball - 1 + v8->oddball_kind) || !IS_SMI(kind))
		return -1;
	return SMI(kind) == v8->oddball_true ? 1 : SMI(kind) == v8->oddball_false ? 0 : -1;
}

// Keeps a value of a label, of which so many bytes are in scratch->ref_head. Objects are none, and neither are
// undefined and null. That of no label is only put to where the next one will be. Returns whether it is a value.
__noinline int keep_value(__u32 label, __u32 kind, __u64 value, __u32 size, __u32 type)
{
	struct scratch *s = own_scratch();
	if (!s)
		return 0;
	const struct v8_layout *v8 = &s->v8;
	__u32 n = s->n_values;
	if (n >= MAX_VALUES) {
		unreadable(s);
		return 0;
	}
	if (type == v8->type_oddball) {
		long is = boolean(s, value);
		if (is < 0)
			return 0;
		value = is;
	} else if (type >= v8->first_non_string && type != v8->type_heap_number &&
		   !(kind != VALUE_PLAIN && type == v8->type_array)) {
		if (is_hidden_class(value))
			unreadable(s);
		return 0;
	}
	struct label_value *to = &s->values[n];
	to->value = value;
	to->label = label;
	to->kind = kind;
	to->type = type;
	to->size = size;
	copy_words(to->head, s->ref_head, STRING_HEAD + SHORT_STRING);
	if (label == NO_LABEL)
		return 1;
	s->n_values = n + 1;
	s->labels_set |= label_bit(label);
	s->labels_kept |= label_bit(label);
	return 1;
}

// Whether the thread copies an object, so that its hidden class is not known: what is where it goes may be of anything.
__noinline int is_being_copied(struct scratch *s, __u64 object)
{
	__u64 word;
	return s && !read_apart(s, &word, 8, object - 1) && !(word & 1) && being_copied(word);
}

// Adds the value of a label, or keeps it, where it is more than a short string, or comes after one that is: of several
// stores the first one with a value counts. An empty string is no value.
static __always_inline int take_value(struct scratch *s, __u32 label, __u32 kind, __u64 value)
{
	__u32 size = 0;
	__s32 type = 0;
	if (s->labels_lost & label_bit(label))
		return 0;
	if (!IS_SMI(value)) {
		if (!HEAP_OBJECT(value))
			return 0;
		size = read_more(s, value, s->ref_head, STRING_HEAD + SHORT_STRING, STRING_HEAD);
		type = size ? instance_type(s->ref_head[0]) : -1;
		if (type < 0 || (rarely(s->collecting) && is_being_copied(s, value))) {
			unreadable(s);
			return 0;
		}
		if (type < s->v8.first_non_string && !string_length(&s->v8, s->ref_head))
			return 0;
		if (label_bit(label) & ~s->labels_kept && is_short(s, type, size)) {
			s->labels_set |= label_bit(label);
			append_short(s, label);
			return 1;
		}
	}
	return keep_value(label, kind, value, size, type);
}

// The same as a function that is verified once.
__noinline int add_value(__u32 label, __u32 kind, __u64 value)
{
	struct scratch *s = own_scratch();
	return s ? take_value(s, label, kind, value) : 0;
}

// Opens the elements of an array whose head was read with its type, in most cases: 1; 0 where they are no tagged words;
// -1.
static __always_inline int open_array(struct scratch *s, const struct label_value *f)
{
	if (f->size >= ARRAY_HEAD)
		copy_words(s->object_head, f->head, ARRAY_HEAD);
	else if (read_whole_apart(s, f->value, s->object_head, ARRAY_HEAD))
		return -1;
	return open_elements(word_at(s->object_head, s->v8.array_length));
}

// Appends an array of bytes, which are Smis.
static __always_inline void append_bytes(struct scratch *s, const struct label_value *f)
{
	__u64 odd = 0;
	if (open_array(s, f) <= 0 || s->n_elements > MAX_BYTES) {
		unreadable(s);
		return;
	}
	__u32 n = s->n_elements & (2 * MAX_BYTES - 1);
	int at = find_part(s, s->elements, n * 8);
	if (at >= 0)
		copy_words(s->ref_head, part_at(s, at), MAX_BYTES * 8);
	else if (n > MAX_BYTES || read_apart(s, s->ref_head, n * 8, s->elements)) {
		unreadable(s);
		return;
	}
	for (__u32 i = 0; i < MAX_BYTES; i++)
		odd |= i < n ? s->ref_head[i] & ~(0xffULL << 32) : 0;
	if (odd) {
		unreadable(s);
		return;
	}
	__u8 *to = append(s, CONTEXT_BYTES, f->label, n);
	for (__u32 i = 0; to && i < MAX_BYTES; i++) // what is behind the n is written over
		to[i] = SMI(s->ref_head[i]);
}

// Appends an array of two Smis, seconds and nanoseconds. What is no such array is no time: nothing is lost.
static __always_inline void append_time(struct scratch *s, const struct label_value *f)
{
	__u64 first, second;
	int is = open_array(s, f);
	if (is < 0 || (is && s->n_elements == 2 && (read_element(s, 0, &first) || read_element(s, 1, &second)))) {
		unreadable(s);
		return;
	}
	if (!is || s->n_elements != 2 || !IS_SMI(first) || !IS_SMI(second))
		return;
	__s64 seconds = (__s32)SMI(first), rest = (__s32)SMI(second);
	if (seconds > 0 && rest >= 0 && rest < 1000000000)
		append_word(s, CONTEXT_TIME, f->label, seconds * 1000000000 + rest);
}

// Appends what was found as number i.
__noinline int append_value(__u32 i)
{
	struct scratch *s = own_scratch();
	if (!s)
		return 0;
	const struct v8_layout *v8 = &s->v8;
	const struct label_value *f = &s->values[i & (MAX_VALUES - 1)];
	__u64 bits;
	s->failed = 0;
	if (s->labels_lost & label_bit(f->label))
		return 0;
	if (f->type == v8->type_oddball)
		append_word(s, CONTEXT_BOOLEAN, f->label, f->value);
	else if (IS_SMI(f->value))
		append_word(s, CONTEXT_SMI, f->label, (__s64)SMI(f->value));
	else if (f->type < v8->first_non_string)
		append_string(s, f);
	else if (f->type == v8->type_array && f->kind == VALUE_TIME)
		append_time(s, f);
	else if (f->type == v8->type_array)
		append_bytes(s, f);
	else if (read_word(s, &bits, f->value - 1 + v8->heap_number_value))
		unreadable(s);
	else if (bits != HOLE_NAN)
		append_word(s, CONTEXT_DOUBLE, f->label, bits);
	if (s->failed)
		s->labels_lost |= label_bit(f->label);
	return 0;
}

static long append_next(__u32 i, void *context)
{
	append_value(i);
	return 0;
}
