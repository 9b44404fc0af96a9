// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The names that rules ask for among the keys of a hidden class's descriptors, or of a table.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"
#include "table.h"
#include "value.h"

#define NO_HASH 1      // in Name.raw_hash_field: keys of tables and descriptors have a hash (src/objects/name.h)
#define MAX_ALIASES 3  // strings that stand for a key: a symbol's description may be a thin string

// Reads the string that a key is, or that describes the symbol which it is, into scratch->text: of the others only the
// length. Returns whether a name may have that many characters; -1 where it cannot be told.
__noinline int read_key(const struct process *p, struct scratch *s, __u64 key)
{
	if (!p || !s)
		return -1;
	struct key_text *text = &s->text;
	__u64 *head = s->ref_head;
	__s32 type = 0;
	text->string = key;
	text->kinds = 1 << NAME_STRING;
	for (int i = 0; i < MAX_ALIASES; i++) {
		__u32 next = s->v8.thin_actual;
		if (read_key_apart(s, text->string, head, STRING_HEAD) || (type = read_instance_type(head[0])) < 0)
			return -1;
		if (type >= s->v8.first_non_string && type != s->v8.type_symbol)
			return 0;
		if (!i && half_at(head, s->v8.name_hash) & NO_HASH)
			return -1;
		if (type == s->v8.type_symbol) {
			__u32 flags = half_at(head, s->v8.symbol_flags);
			text->kinds = flags & s->v8.symbol_private ? 1 << NAME_PRIVATE : 1 << NAME_SYMBOL;
			if (flags & s->v8.symbol_registered)
				text->kinds |= 1 << NAME_REGISTERED;
			next = s->v8.symbol_description;
		} else if ((type & s->v8.string_mask) != s->v8.tag_thin) {
			text->type = type;
			text->length = string_length(&s->v8, head);
			return text->length <= MAX_NAME && p->name_lengths >> (text->length & 63) & 1;
		}
		if (read_apart(s, &text->string, 8, text->string - 1 + next))
			return -1;
	}
	return -1;
}

// The comparison of a key with all names.
struct noting {
	const struct process *process;
	struct scratch *scratch;
};

// Compares one name with the key in scratch->text.
static long note_next_name(__u32 i, void *context)
{
	struct noting *n = context;
	struct scratch *s = n->scratch;
	const struct name *name = &n->process->names[i & (MAX_SLOTS - 1)];
	__u16 *slot = &s->shape.slots[i & (MAX_SLOTS - 1)];
	if (!name->width)
		return 1;
	if (!*slot && s->text.kinds >> (name->kind & 3) & 1 && is_name(s, name, s->text.length, s->text.width))
		*slot = s->text.slot;
	return 0;
}

// Notes in scratch->shape.slots where each name that is the key in scratch->text has its value. Of several symbols with
// one description the first counts: private names of a class come before those of one that extends it. Returns -1 where
// it cannot be told whether the key is a name.
static __always_inline int compare_names(const struct process *p, struct scratch *s, __u32 slot)
{
	struct noting n = {.process = p, .scratch = s};
	if (!use_steps(s, 1))
		return -1;
	s->text.slot = slot;
	s->text.width = read_text(s, s->text.string, s->text.type, s->text.length);
	if (!s->text.width)
		return -1;
	bpf_loop(MAX_SLOTS, note_next_name, &n, 0);
	return 0;
}

// The same as a function of its own.
__noinline int note_key(const struct process *p, struct scratch *s, __u32 slot)
{
	return p && s ? compare_names(p, s, slot) : -1;
}
