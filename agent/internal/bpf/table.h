// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Tables by key: JavaScript Maps, and the properties of objects that are in dictionary mode.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "limits.h"
#include "memory.h"
#include "part.h"
#include "process.h"
#include "scratch.h"
#include "value.h"

// Four characters of UTF-16 that are Latin-1.
static __always_inline __u64 narrow(__u64 wide)
{
	wide = (wide | wide >> 8) & 0x0000ffff0000ffff;
	return (wide | wide >> 16) & 0xffffffff;
}

// Narrows the characters in scratch->key, which have two bytes each, if all are Latin-1. Returns the bytes of one.
static __always_inline __u32 narrow_key(struct scratch *s)
{
	__u64 all = 0;
	for (int i = 0; i < MAX_NAME / 8; i++)
		all |= s->key[i];
	if (all & 0xff00ff00ff00ff00)
		return 2;
	for (int i = 0; i < MAX_NAME / 16; i++)
		s->key[i] = narrow(s->key[2 * i]) | narrow(s->key[2 * i + 1]) << 32;
	__builtin_memset(&s->key[MAX_NAME / 16], 0, MAX_NAME / 2);
	return 1;
}

// Reads the characters of a flat string into scratch->key, padded with zeros, and narrows those of a two-byte string
// that are all Latin-1. Returns the bytes of a character; 0 where they cannot be read, or are too many.
static __always_inline __u32 read_text(struct scratch *s, __u64 string, __s32 type, __u32 length)
{
	const struct v8_layout *v8 = &s->v8;
	__u32 width = type & v8->one_byte_bit ? 1 : 2, size = length * width;
	if ((type & v8->string_mask) != v8->tag_seq || size > MAX_NAME)
		return 0;
	asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
	size &= 2 * MAX_NAME - 1;
	__builtin_memset(s->key, 0, MAX_NAME);
	if (read_apart(s, s->key, size, string - 1 + v8->string_chars) || is_reference(s, s->key[0], length, width))
		return 0;
	return width == 1 ? 1 : narrow_key(s);
}

// Whether the characters in scratch->key, so many of so many bytes each, are those of a name.
static __always_inline int is_name(const struct scratch *s, const struct name *name, __u32 length, __u32 width)
{
	__u64 difference = 0;
	for (int i = 0; i < MAX_NAME / 8; i++)
		difference |= s->key[i] ^ name->chars[i];
	return !difference && name->length == length && name->width == width;
}

// Compares the characters of a string with those of the name that is sought.
static __always_inline long same_chars(struct scratch *s, __u64 string, __s32 type)
{
	const struct name *name = &s->search.name;
	__u32 width = read_text(s, string, type, name->length);
	return width ? is_name(s, name, name->length, width) : -1; // it may be the same text in another form
}

// Whether a string is the name: 1, 0, or -1 where it cannot be told. It is the deepest of all calls, so that it calls
// nothing itself: before Linux 6.13 all of them share 512 bytes of stack.
__noinline int is_text(struct scratch *s, __u64 string)
{
	if (!s)
		return -1;
	const struct v8_layout *v8 = &s->v8;
	__s32 type = 0;
	for (int thin = 0; thin < 2; thin++) {
		if (thin && read_apart(s, &string, 8, string - 1 + v8->thin_actual))
			return -1;
		if (read_key_apart(s, string, s->key, 16) || (type = read_instance_type(s->key[0])) < 0)
			return -1;
		if (type >= v8->first_non_string || string_length(v8, s->key) != s->search.name.length)
			return 0;
		if ((type & v8->string_mask) != v8->tag_thin)
			break;
	}
	return same_chars(s, string, type);
}

// Whether a symbol whose head is in scratch->key is the name.
static __always_inline long is_symbol(struct scratch *s, __u64 symbol)
{
	const struct v8_layout *v8 = &s->v8;
	__u32 flags = half_at(s->key, v8->symbol_flags), kind = s->search.name.kind;
	__u64 description;
	if (kind == NAME_STRING || (kind == NAME_REGISTERED && !(flags & v8->symbol_registered)) ||
	    (kind == NAME_PRIVATE) != !!(flags & v8->symbol_private))
		return 0;
	if (s->search.hash && s->search.seen_hash != s->search.hash)
		return 0;
	if (s->search.hash && kind == NAME_REGISTERED)
		return 1;
	if (read_apart(s, &description, 8, symbol - 1 + v8->symbol_description))
		return -1;
	return is_text(s, description);
}

// Compares the key of an entry, an object, with the name that is sought, as is_key.
static __always_inline long compare_key(struct scratch *s)
{
	const struct v8_layout *v8 = &s->v8;
	__u64 object = s->search.entry.key, kind;
	// the hole of a deleted entry may lie in a page that cannot be read
	if (read_whole_apart(s, object, s->key, 16))
		return s->search.entry.key == s->search.entry.value ? 0 : -1;
	s->search.seen_hash = half_at(s->key, v8->name_hash) >> v8->hash_shift;
	if (s->search.hash && s->table.buckets && s->search.seen_hash != s->search.hash)
		return 0; // nothing ends the search of a bucket
	__s32 type = instance_type(s->key[0]);
	if (type < 0)
		return -1;
	s->search.symbol = type == v8->type_symbol;
	if (s->search.symbol)
		return is_symbol(s, object);
	if (type == v8->type_oddball) // undefined, or of an entry that was deleted, the hole
		return !read_word(s, &kind, object - 1 + v8->oddball_kind) && kind >> 32 != v8->oddball_hole ? 2 : 0;
	if (type >= v8->first_non_string || s->search.name.kind != NAME_STRING ||
	    (s->search.hash && s->search.seen_hash != s->search.hash))
		return 0;
	return is_text(s, object);
}

// Whether the key of an entry is the name that is sought: 1; 0; -1 where it cannot be told; 2 where the entry is empty.
// That a symbol is not, which never changes and stays where it is, is kept for the epoch.
static __always_inline long is_key(struct scratch *s)
{
	__u64 object = s->search.entry.key, id = s->search.id, mark = KEY_OF(s, object) ^ (id + 1) << 56;
	__u64 *other = &s->others[PLACE_OF(object + (id << 3), OTHER_KEYS)];
	if (!HEAP_OBJECT(object))
		return 0;
	if (object == s->search.known)
		return 1;
	if (*other == mark)
		return 0;
	s->search.symbol = 0;
	long is = compare_key(s);
	if (!is && s->search.symbol && !s->search.hash && !s->guessed && is_old(s, object))
		*other = mark;
	return is;
}

#define MAX_WHOLE 8 // entries of a table that is read as a whole: it has half as many buckets
#define SMALL_TABLE (TABLE_HEAD + MAX_WHOLE / 2 * 8 + MAX_WHOLE * 24)

// The entry with this number of a table that was read as a whole.
static __always_inline __u64 *whole_entry(struct scratch *s, __u32 i)
{
	return &s->words[(s->table.first + 3 * i) & (WHOLE_TABLE / 8 - 1)];
}

#define TABLE_ENTRIES 8 // that are read at once

// The entry with this number of scratch->table, where all are walked: three words, also {key, details, value} of the
// descriptors of a hidden class. Some are read at once, into scratch->part. 0 = there is none.
static __always_inline __u64 *table_entry(struct scratch *s, __u32 i)
{
	__u32 n = i % TABLE_ENTRIES;
	if (i >= s->table.n_entries)
		return 0;
	if (s->table.whole)
		return whole_entry(s, i);
	if (!n) {
		__u64 size = (s->table.n_entries - i) * 24ULL;
		if (size > TABLE_ENTRIES * 24)
			size = TABLE_ENTRIES * 24;
		asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
		size &= 0xff;
		if (read_apart(s, s->part, size, s->table.entries + i * 24ULL)) {
			unreadable(s);
			return 0;
		}
	}
	return &s->part[3 * n];
}

static __always_inline long read_table_entry(struct scratch *s, __u32 i, struct table_entry *to)
{
	if (!s->table.whole)
		return read_words(s, to, sizeof(*to), s->table.entries + i * (__u64)sizeof(*to));
	__builtin_memcpy(to, whole_entry(s, i), sizeof(*to));
	return 0;
}

// The number of the first entry in the bucket of a hash, a Smi. The first bucket begins before the first entry.
static __always_inline long read_bucket(struct scratch *s, __u32 hash, __u64 *first)
{
	__u32 n = s->table.n_buckets, i = hash & (n - 1);
	if (!s->table.whole)
		return read_word(s, first, s->table.buckets + i * 8ULL);
	*first = s->words[(s->table.first - n + i) & (WHOLE_TABLE / 8 - 1)];
	return 0;
}

// Compares one entry; scratch->context_steps bounds those of one sample.
static long probe_next(__u32 i, void *context)
{
	struct scratch *s = *(struct scratch **)context;
	struct search *x = &s->search;
	if (x->index >= s->table.n_entries) {
		// a Map's new entry is in its bucket before it is counted (src/builtins/builtins-collections-gen.cc,
		// StoreOrderedHashTableNewEntry)
		int is_new = x->hash && s->table.buckets && x->index < 2 * s->table.n_buckets;
		x->doubt |= is_new && s->table.whole;
		if (!is_new || s->table.whole) {
			x->ended = 1;
			return 1;
		}
	}
	if (!use_steps(s, 1) || read_table_entry(s, x->index, &x->entry))
		return 1;
	long is = is_key(s);
	if (is == 1) {
		x->found = 1;
		return 1;
	}
	if (is < 0)
		x->doubt = 1;
	if (!x->hash) {
		x->index = i + 1;
	} else if (s->table.buckets) {
		x->index = IS_SMI(x->entry.word) ? SMI(x->entry.word) : -1;
	} else if (is == 2) {
		x->ended = 1;
		return 1;
	} else { // src/objects/hash-table.h, NextProbe
		x->index = (x->index + i + 1) & (s->table.n_buckets - 1);
	}
	return 0;
}

// Finds the known key in a table that was read as a whole.
__noinline int find_known(struct scratch *s)
{
	if (!s)
		return 0;
	struct search *x = &s->search;
	for (__u32 i = 0; x->known && i < MAX_WHOLE; i++) {
		__u64 *entry = whole_entry(s, i);
		if (i >= s->table.n_entries)
			return 0;
		if (entry[0] != x->known)
			continue;
		__builtin_memcpy(&x->entry, entry, sizeof(x->entry));
		return 1;
	}
	return 0;
}

// Searches scratch->table for scratch->search.name, by its hash or, if that is 0, in all entries.
__noinline int search(__u32 hash)
{
	struct scratch *s = own_scratch();
	if (!s)
		return 0;
	struct search *x = &s->search;
	x->hash = hash;
	x->found = x->ended = x->doubt = 0;
	x->index = 0;
	if (hash && s->table.buckets) {
		__u64 first;
		if (read_bucket(s, hash, &first)) {
			x->doubt = 1;
			return 0;
		}
		x->index = IS_SMI(first) ? SMI(first) : -1;
	} else if (hash) {
		x->index = hash & (s->table.n_buckets - 1);
	}
	bpf_loop(MAX_PROBES, probe_next, &s, 0);
	return 0;
}

// Reads an object that may be a JSMap into scratch->words, with what is behind it. Returns how many bytes; 0 if
// it is shorter, or cannot be read.
__noinline int read_ahead(struct scratch *s, __u64 object)
{
	if (!s)
		return 0;
	s->ahead.object = object;
	s->ahead.size = read_more(s, object, s->words, JS_MAP_HEAD + SMALL_TABLE, JS_MAP_HEAD);
	return s->ahead.size;
}

// Reads a table, if it was not read with its JSMap. Returns how many bytes; *at becomes where in scratch->words they
// begin.
static __always_inline __u32 read_table(struct scratch *s, __u64 table, __u32 *at)
{
	__u64 object = s->ahead.object;
	s->ahead.object = 0;
	*at = JS_MAP_HEAD / 8;
	if (object && table == object + JS_MAP_HEAD && s->ahead.size > JS_MAP_HEAD && s->words[JS_MAP_HEAD / 8] & 1)
		return s->ahead.size - JS_MAP_HEAD;
	*at = 0;
	return read_more(s, table, s->words, SMALL_TABLE, TABLE_HEAD);
}

// Opens an OrderedHashMap, which a JSMap has. (src/objects/ordered-hash-table.h)
__noinline int open_map(__u64 table)
{
	struct scratch *s = own_scratch();
	if (!s)
		return -1;
	__u32 at, size = read_table(s, table, &at), data = at + (s->v8.table_data >> 3 & 7);
	__u64 *head = &s->words[data & 15];
	if (!size || !IS_SMI(head[0]) || !IS_SMI(head[1]) || !IS_SMI(head[2]))
		return -1;
	__u32 n = SMI(head[2]), used = SMI(head[0]) + SMI(head[1]); // deleted ones have entries too
	if (!n || n & (n - 1) || n > 1 << 24 || used > 2 * n)
		return -1;
	s->table.n_buckets = n;
	s->table.of_class = s->table.noted = 0;
	s->table.deleted = SMI(head[1]);
	s->table.buckets = table - 1 + s->v8.table_data + 3 * sizeof(*head);
	s->table.entries = s->table.buckets + n * 8ULL;
	s->table.n_entries = used;
	s->table.first = data + 3 + n;
	s->table.whole = used <= MAX_WHOLE && n <= MAX_WHOLE / 2 && (s->table.first - at + 3 * used) * 8 <= size;
	return 0;
}

// Whether V8 may be copying a Map's table, in C++: it writes the numbers of deleted entries over the buckets, and then
// over entries that it has copied, before it says that there is another table. So keys are not found.
// (src/objects/ordered-hash-table.cc, Rehash) The first bucket then refers to a deleted entry. It may at any time:
// where no entry is written over, and all keys were compared, that does not matter.
__noinline int may_be_rehashed(struct scratch *s)
{
	if (!s || !s->table.buckets || !s->table.deleted)
		return 0;
	if (!s->search.hash && s->table.deleted <= s->table.n_buckets)
		return 0;
	struct table_entry *entry = &s->search.entry;
	__u64 first;
	if (in_v8_code(s))
		return 0;
	if (read_bucket(s, 0, &first))
		return 1;
	if (!IS_SMI(first) || (__u32)SMI(first) >= s->table.n_entries)
		return 0;
	return read_table_entry(s, SMI(first), entry) || entry->key == entry->value || IS_SMI(entry->key);
}

// Opens the NameDictionary of an object in dictionary mode: numbers of elements, of deleted ones and of entries, a
// prefix, and the entries. (src/objects/hash-table.h) An object that is just becoming one has its hidden class already,
// and its former properties still. (src/objects/js-objects.cc, MigrateFastToSlow)
__noinline int open_dictionary(__u64 dictionary)
{
	struct scratch *s = own_scratch();
	if (!s)
		return -1;
	__u64 *head = &s->ref_head[s->v8.table_data >> 3 & 7];
	if (read_whole_apart(s, dictionary, s->ref_head, TABLE_HEAD) || !IS_SMI(head[2]))
		return -1;
	__s32 type = instance_type(s->ref_head[0]);
	if (type < 0 || type == s->v8.type_property_array || type == s->v8.type_fixed_array)
		return -1;
	__u32 n = SMI(head[2]);
	if (!n || n & (n - 1) || n > 1 << 24)
		return -1;
	s->table.n_buckets = s->table.n_entries = n;
	s->table.whole = s->table.of_class = s->table.noted = 0;
	s->table.buckets = 0;
	s->table.entries = dictionary - 1 + s->v8.table_data + (3 + s->v8.dictionary_prefix) * 8ULL;
	return 0;
}

// Opens the elements of a JSArray whose head is in scratch->object_head, and which has this length: 1; 0 where they are
// no tagged words; -1.
__noinline int open_elements(__u64 length)
{
	struct scratch *s = own_scratch();
	if (!s)
		return -1;
	__u64 elements = word_at(s->object_head, s->v8.object_elements), *head = s->part;
	__u32 size = read_more(s, elements, head, ELEMENTS, ELEMENTS_HEAD);
	if (!size || !IS_SMI(length))
		return -1;
	__s32 type = instance_type(head[0]);
	if (type != s->v8.type_fixed_array || !IS_SMI(head[1]))
		return type < 0 ? -1 : 0; // doubles, or a dictionary
	s->n_elements = SMI(length) < SMI(head[1]) ? SMI(length) : SMI(head[1]);
	s->n_read = (size - ELEMENTS_HEAD) / 8;
	s->elements = elements - 1 + s->v8.table_data;
	return 1;
}

static __always_inline long read_element(struct scratch *s, __u32 i, __u64 *value)
{
	if (i >= s->n_read)
		return read_word(s, value, s->elements + i * 8ULL);
	*value = s->part[(i + ELEMENTS_HEAD / 8) & 31];
	return 0;
}
