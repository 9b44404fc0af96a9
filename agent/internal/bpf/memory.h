// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Reads of the Node process's memory, and the heap objects in it.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "process.h"
#include "scratch.h"

#define HEAP_OBJECT(word) (((word) & 3) == 1)
#define IS_SMI(word) (((word) & 0xffffffffULL) == 0)
#define SMI(word) ((__s32)((word) >> 32))

// Tests want to know what a run reads (bpftest).
#ifndef ON_READ
#define ON_READ(from, size)
#endif

static __always_inline long read_user(void *to, __u32 size, __u64 from)
{
	ON_READ(from, size);
	return bpf_probe_read_user(to, size, (const void *)from);
}

// Copies a multiple of 8 bytes, a constant: word by word, wherever they begin. The compiler copies bytes one by one
// where it does not know that.
static __always_inline void copy_words(void *to, const void *from, __u32 size)
{
#pragma unroll
	for (__u32 i = 0; i < size / 8; i++)
		((__u64 *)to)[i] = ((const __u64 *)from)[i];
}

static __always_inline void clear_words(void *to, __u32 size)
{
#pragma unroll
	for (__u32 i = 0; i < size / 8; i++)
		((__u64 *)to)[i] = 0;
}

// Reads into words of the stack that are copied from elsewhere on another way. The verifiers of Linux 6.18 and 7.2 do
// not see that the helper writes: they look for what the words were before, back to where the function has no stack
// yet, and fail with "verifier bug: stack slot".
static __always_inline long read_unset(void *to, __u32 size, __u64 from)
{
	clear_words(to, size);
	return read_user(to, size, from);
}

// How much of an object is read at once: no more than its least size in any V8 since 9.0, since what follows may not be
// mapped.
#define FUNCTION_HEAD 40
#define SCRIPT_HEAD 72
#define DEBUG_INFO_HEAD 32
#define MAP_HEAD 48 // of a hidden class, which V8's source calls a Map
#define TABLE_HEAD 40 // of an OrderedHashMap
#define JS_MAP_HEAD 32
#define ARRAY_HEAD 32 // of a JSArray
#define ELEMENTS_HEAD 16
#define ELEMENTS (ELEMENTS_HEAD + 4 * 8) // what is read of them at once
#define OBJECT_HEAD 24  // of an object whose properties are read
#define OBJECT_WORDS 12 // that are read of it at once: they are more than it may have

// Reads the first `size` bytes of a heap object, whose first word refers to its hidden class. While a collection runs,
// that word of an object that was forwarded is its new address without a tag (src/objects/objects.h, MapWord): *object
// becomes the new address, and the first word is read there. All else is read where the object was: V8 forwards an
// object first and copies it then (src/heap/scavenger.cc, TryMigrateObject), so that the new place may hold what was
// there before, and the old one is whole until the collection ends.
static __always_inline long read_object(__u64 *object, __u64 *to, __u32 size)
{
	if (rarely(!HEAP_OBJECT(*object) || read_user(to, size, *object - 1)))
		return -1;
	if (!rarely(!(to[0] & 1)))
		return 0;
	*object = to[0] + 1;
	if (read_user(to, 8, *object - 1) || !(to[0] & 1))
		return -1;
	return 0;
}

#define COPIED_WORDS 12 // of an object that are compared with its copy

// The hidden class of an object that was forwarded, by its addresses, if it is copied; else 0. Until V8's scavenger has
// copied it, the new place holds what was there before, which may be an object of another hidden class. In a copy words
// may refer to where objects are now. Hidden classes have sizes, before the properties' start (src/objects/map.h), but
// not those of strings and tables: two words are the least that they have.
__noinline __u64 class_of_copy(__u64 from, __u64 to)
{
	struct scratch *s = own_scratch();
	if (!s)
		return 0;
	struct copied *c = &s->copied; // the stack is short
	c->from = from;
	c->to = to;
	if (read_user(&c->class, 8, to) || !HEAP_OBJECT(c->class) ||
	    read_user(&c->words, 1, c->class - 1 + s->v8.object_start - 1))
		return 0;
#pragma clang loop unroll(disable)
	for (__u32 i = 1; i < COPIED_WORDS && i < (c->words > 2 ? c->words : 2); i++) {
		asm volatile("" : "+r"(c) : : "memory"); // nothing of it is kept on the stack
		if (read_user(&c->old, 8, c->from + i * 8ULL) || read_user(&c->new, 8, c->to + i * 8ULL))
			return 0;
		if (c->old == c->new)
			continue;
		if (!HEAP_OBJECT(c->old) || read_user(&c->now, 8, c->old - 1) || c->now + 1 != c->new)
			return 0;
	}
	return c->class;
}

// The same for an object that labels are read of, and of which more will be read: it stays where it was.
static __always_inline long read_whole(__u64 object, __u64 *to, __u32 size)
{
	if (rarely(!HEAP_OBJECT(object) || read_user(to, size, object - 1)))
		return -1;
	if (!rarely(!(to[0] & 1)))
		return 0;
	to[0] = class_of_copy(object - 1, to[0]);
	return to[0] ? 0 : -1;
}

// The same where rules for an AsyncContextFrame read what is in no part of the heap (part.h): the next sample cannot
// compare it.
static __always_inline long read_apart(struct scratch *s, void *to, __u32 size, __u64 from)
{
	s->apart = 1;
	return read_user(to, size, from);
}

static __always_inline long read_whole_apart(struct scratch *s, __u64 object, __u64 *to, __u32 size)
{
	s->apart = 1;
	return read_whole(object, to, size);
}

// The same of a string or symbol that may be a name. Most are old, and stay where they are: of one that was forwarded
// nothing is told, since the calls are too deep to look whether it is copied.
static __always_inline long read_key_apart(struct scratch *s, __u64 key, __u64 *to, __u32 size)
{
	s->apart = 1;
	return !HEAP_OBJECT(key) || read_user(to, size, key - 1) || !(to[0] & 1) ? -1 : 0;
}

// Where what was read of an object is kept. The product spreads addresses of objects that follow each other, which
// differ by few numbers.
#define PLACE_OF(object, places) ((__u32)((object) >> 3) * 0x9e3779b1 >> 20 & ((places) - 1))

// The same of functions, which have 56 or 64 bytes: those near each other, which are used together, are kept near each
// other. No three of them are within 112 bytes; the product divides by seven.
static __always_inline __u32 place_near(__u64 object, __u32 places)
{
	return ((__u64)(__u32)(object >> 4) * 0x24924925 >> 32 ^ object >> 15) & (places - 1);
}

// Pages of V8's heap, and what each is aligned to. (src/common/globals.h, kRegularPageSize)
#define HEAP_PAGE (1 << 18)

// Flags of pages of the two halves of the new space. (src/heap/memory-chunk.h)
#define NEW_PAGE (1 << 3 | 1 << 4)

// Whether a page is of a heap, and not of its new space: 0 if that cannot be told. A page begins with size, flags and
// heap, with flags, a word, size and heap, or with flags and the address of a head that has the heap at 64. Where the
// heap is tells which. (src/heap/basic-memory-chunk.h; since V8 12.9 src/heap/memory-chunk.h and src/heap/base-page.h)
__noinline int is_old_page(__u64 page, __u64 heap)
{
	__u64 head[4], other;
	if (read_user(head, sizeof(head), page))
		return 0;
	if (head[2] == heap)
		return !(head[1] & NEW_PAGE);
	if (head[3] != heap && (read_user(&other, 8, head[1] + 64) || other != heap))
		return 0;
	return !(head[0] & NEW_PAGE);
}

// Whether an object that lives is not in the new space: its place is its own until the next mark-compact.
static __always_inline int is_old(struct scratch *s, __u64 object)
{
	__u64 page = object & ~(HEAP_PAGE - 1ULL);
	if (!s->heap)
		return 0;
	struct heap_page *kept = &s->pages[page / HEAP_PAGE & (MAX_PAGES - 1)];
	if (rarely(kept->at != page || kept->epoch != s->epoch))
		*kept = (struct heap_page){page, s->epoch, is_old_page(page, s->heap)};
	return kept->old;
}

// The instance type in a hidden class; -1 if it is none. It is one of the things there that never change.
static __always_inline int read_instance_type(__u64 hidden_class)
{
	struct scratch *s = own_scratch();
	__u16 type;
	if (rarely(!s || !HEAP_OBJECT(hidden_class)))
		return -1;
	struct hidden_class *kept = s->classes[PLACE_OF(hidden_class, MAX_CLASSES)];
	__u64 key = KEY_OF(s, hidden_class);
	if (!rarely(s->collecting || kept[0].key != key))
		return kept[0].type;
	if (!rarely(s->collecting || kept[1].key != key))
		return kept[1].type;
	if (read_user(&type, sizeof(type), hidden_class - 1 + s->v8.map_type))
		return -1;
	if (!s->guessed) {
		kept[1] = kept[0];
		kept[0] = (struct hidden_class){key, type};
	}
	return type;
}

// The same as a function that is verified once.
__noinline int instance_type(__u64 hidden_class) { return read_instance_type(hidden_class); }

// Whether a value is a hidden class, which is no value of JavaScript. Where one is, V8 is about to make an object or an
// array shorter: first it writes a filler over what it cuts off, a hidden class and a size. The hidden class of hidden
// classes is its own. (src/heap/heap.cc, CreateFillerObjectAtImpl)
__noinline int is_hidden_class(__u64 value)
{
	__u64 class, of;
	return HEAP_OBJECT(value) && !read_user(&class, 8, value - 1) && HEAP_OBJECT(class) &&
	       !read_user(&of, 8, class - 1) && of == class;
}

// The word at byte offset `at` of an object's head in scratch memory.
static __always_inline __u64 word_at(const __u64 *head, __u32 at)
{
	return head[(at >> 3) & 15];
}

// The 32 bits at byte offset `at` of it, which is below 64.
static __always_inline __u32 half_at(const __u64 *head, __u32 at)
{
	return head[(at >> 3) & 7] >> (at & 4) * 8;
}
