// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Node without the AsyncContextFrame: an AsyncLocalStorage keeps its store in the resource of each asynchronous operation,
// as a property whose key is a symbol of its own. Node's Environment has a stack of the resources whose callbacks run.
// (node: src/env.h, class AsyncHooks; lib/internal/async_hooks.js, executionAsyncResource)

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH); // workers come and go
	__uint(max_entries, 4096);
	__type(key, struct isolate_key);
	__type(value, struct async_hooks);
} isolates SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct shape_key);
	__type(value, struct resource);
} resources SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct symbol_key);
	__type(value, __u32); // enum symbol_kind
} symbols SEC(".maps");

// Counters of async_hooks. (node: src/env.h, enum AsyncHooks::Fields)
#define HOOKS_INIT 0  // active hooks with an init callback: none where each AsyncLocalStorage is disabled
#define HOOKS_DEPTH 7 // of the stack
#define HOOKS_USED 8  // 1 once executionAsyncResource() was called
#define HOOKS_FIELDS 9

#define MAX_HOPS 3            // from the resource on the stack to what has its stores
#define TABLE_ENTRIES 8       // of a dictionary that are read at once
#define MAX_DICTIONARY 1024   // entries that a dictionary has room for

// Whether a word is an object of JavaScript, or one that C++ made for it: not the hole, undefined, a string.
static __always_inline int is_js_object(struct reader *r, __u64 object)
{
	__u64 *head = r->scratch->another;
	if (!HEAP_OBJECT(object))
		return 0;
	__s32 type = read_object(&object, head, 8) ? -1 : instance_type(&r->process->v8, head[0]);
	if (type < 0)
		unreadable(r->scratch);
	return type >= r->process->v8.first_js_object;
}

// The resource that JavaScript code pushed at this depth; 0 if it did not.
static __noinline long scripted_resource(struct reader *r, const struct async_hooks *h, __u32 index, __u64 *resource)
{
	const struct v8_layout *v8 = &r->process->v8;
	__u64 *head = r->scratch->object, slot, array, elements;
	*resource = 0;
	if (read_user(&slot, 8, h->resources))
		return -1;
	if (!slot)
		return 0;
	if (read_user(&array, 8, slot) || read_object(&array, head, 32) || instance_type(v8, head[0]) != v8->type_js_array)
		return -1;
	__u64 length = word_at(head, v8->array_length);
	elements = word_at(head, v8->elements);
	if (read_object(&elements, head, 16) || !IS_SMI(length) || !IS_SMI(head[1]))
		return -1;
	if (index >= (__u32)SMI(length) || index >= (__u32)SMI(head[1]))
		return 0;
	if (read_user(resource, 8, elements - 1 + v8->table_data + index * 8ULL))
		return -1;
	if (!is_js_object(r, *resource))
		*resource = 0;
	return 0;
}

// libstdc++'s std::deque: 64 words in a node.
struct deque {
	__u64 nodes, size;
	struct {
		__u64 at, first, last, node;
	} begin, end;
};
#define NODE_BITS 6

// The handle that a deque has at the end, 0 if that is not this index of the stack. The length tells the size of its
// elements: since Node 25 they have two words, of which the first points to a handle, as before.
static __always_inline long deque_handle(struct scratch *s, __u64 list, __u32 index, __u64 *slot)
{
	struct deque *d = (void *)s->table;
	__u64 node, handle;
	*slot = 0;
	if (read_user(d, sizeof(*d), list))
		return -1;
	__u64 at = (d->begin.at - d->begin.first) / 8;
	__u64 words = ((d->end.node - d->begin.node) / 8 << NODE_BITS) + (d->end.at - d->end.first) / 8 - at;
	if (words == index + 1ULL)
		at += index;
	else if (words == 2 * (index + 1ULL))
		at += 2 * index;
	else
		return 0;
	if (read_user(&node, 8, d->begin.node + (at >> NODE_BITS) * 8) ||
	    read_user(&handle, 8, node + (at & ((1 << NODE_BITS) - 1)) * 8))
		return -1;
	return handle ? read_user(slot, 8, handle) : 0;
}

static __always_inline long vector_handle(__u64 list, __u32 index, __u64 *slot)
{
	__u64 v[2];
	*slot = 0;
	if (read_user(v, sizeof(v), list))
		return -1;
	return v[0] + (index + 1ULL) * 8 == v[1] ? read_user(slot, 8, v[0] + index * 8ULL) : 0;
}

// bit_field3 of a hidden class.
static __always_inline __u32 class_bits(const struct v8_layout *v8, const __u64 *head)
{
	return word_at(head, v8->map_bit_field3) >> (v8->map_bit_field3 & 4) * 8;
}

// The resource that C++ code pushed at this depth; 0 if it did not.
static __noinline long native_resource(struct reader *r, const struct async_hooks *h, __u32 index, __u64 *resource)
{
	__u64 slot;
	*resource = 0;
	if (h->deque ? deque_handle(r->scratch, h->natives, index, &slot) : vector_handle(h->natives, index, &slot))
		return -1;
	if (slot && read_user(resource, 8, slot))
		return -1;
	if (!is_js_object(r, *resource))
		*resource = 0;
	return 0;
}

// What is known of the hidden class of the resource, whose head is in scratch->object; the class's own head is in
// scratch->another then. 0 where nothing is known.
static __always_inline struct resource *find_resource(struct reader *r)
{
	const struct v8_layout *v8 = &r->process->v8;
	struct scratch *s = r->scratch;
	struct shape_key key = {.pid = r->pid, .map = s->object[0]};
	struct resource *f = bpf_map_lookup_elem(&resources, &key);
	if (f && word_at(s->another, v8->map_descriptors) == f->descriptors &&
	    (class_bits(v8, s->another) & v8->descriptors_mask) == f->own)
		return f;
	append_lesson(s, CONTEXT_LEARN_RESOURCE, NO_LABEL, r->resource, key.map);
	return 0;
}

static __always_inline void add_store(struct scratch *s, __u64 value)
{
	__u32 n = s->n_stores;
	if (n >= MAX_STORES) {
		unreadable(s);
		return;
	}
	s->stores[n] = value;
	s->n_stores = n + 1;
}

static long read_store(__u32 i, void *context)
{
	struct reader *r = context;
	struct resource *f = r->fields;
	__u64 value;
	if (!f || i >= f->n_stores)
		return 1;
	if (read_slot(r, r->resource, f->stores[i & (MAX_STORES - 1)], &value))
		unreadable(r->scratch);
	else
		add_store(r->scratch, value);
	return 0;
}

static __always_inline void read_fast(struct reader *r, struct resource *f)
{
	if (f->public_slot && read_slot(r, r->resource, f->public_slot, &r->public))
		unreadable(r->scratch);
	if (f->context_slot && read_slot(r, r->resource, f->context_slot, &r->holder))
		unreadable(r->scratch);
	bpf_loop(MAX_STORES, read_store, r, 0);
}

// What is known of the symbol that is the key of a property; SYMBOL_OTHER for any other key. Places of a dictionary that
// are free have undefined or the hole as key.
static __always_inline __u32 kind_of_key(struct reader *r, __u64 key)
{
	const struct v8_layout *v8 = &r->process->v8;
	__u64 *head = r->scratch->another;
	__s32 type = read_object(&key, head, 16) ? -1 : instance_type(v8, head[0]);
	if (type < 0)
		unreadable(r->scratch);
	if (type != v8->type_symbol)
		return SYMBOL_OTHER;
	__u32 hash = word_at(head, v8->symbol_hash) >> (v8->symbol_hash & 4) * 8;
	struct symbol_key id = {.pid = r->pid, .hash = hash >> v8->hash_shift};
	__u32 *kind = bpf_map_lookup_elem(&symbols, &id);
	if (kind)
		return *kind;
	append_lesson(r->scratch, CONTEXT_LEARN_KEY, NO_LABEL, key, id.hash);
	return SYMBOL_OTHER;
}

static __always_inline void take_property(struct reader *r, __u32 kind, __u64 value)
{
	if (kind == SYMBOL_STORE)
		add_store(r->scratch, value);
	else if (kind == SYMBOL_PUBLIC)
		r->public = value;
	else if (kind == SYMBOL_CONTEXT)
		r->holder = value;
}

// The entry with this number of what is walked: three words, {key, value, details} of a dictionary, {key, details, value}
// of descriptors. Some are read at once, into scratch->table. 0 = there is none.
static __always_inline __u64 *table_entry(struct reader *r, __u32 i)
{
	__u64 *table = r->scratch->table;
	__u32 n = i % TABLE_ENTRIES;
	if (i >= r->n_entries)
		return 0;
	if (!n) {
		__u64 size = (r->n_entries - i) * 24ULL;
		if (size > TABLE_ENTRIES * 24)
			size = TABLE_ENTRIES * 24;
		asm volatile("" : "+r"(size)); // keeps the mask, which tells the verifier the bound
		size &= 0xff;
		if (read_user(table, size, r->entries + i * 24ULL)) {
			unreadable(r->scratch);
			return 0;
		}
	}
	return &table[3 * n];
}

static long read_entry(__u32 i, void *context)
{
	struct reader *r = context;
	__u64 *entry = table_entry(r, i);
	if (!entry)
		return 1;
	if (HEAP_OBJECT(entry[0]))
		take_property(r, kind_of_key(r, entry[0]), entry[1]);
	return 0;
}

// The slot that a descriptor's details tell; 0 for an accessor. (src/objects/property-details.h)
static __always_inline __u32 slot_of(struct reader *r, __u64 details)
{
	const struct v8_layout *v8 = &r->process->v8;
	__u32 d = SMI(details);
	if (!IS_SMI(details) || d & 1 || d >> (v8->location_bit & 31) & 1)
		return 0;
	__u32 i = d >> (v8->field_shift & 31) & 0x3ff;
	return i < r->inside ? r->start + i : SLOT_OUT | (i - r->inside);
}

static long read_descriptor(__u32 i, void *context)
{
	struct reader *r = context;
	__u64 value, *entry = table_entry(r, i);
	if (!entry)
		return 1;
	__u32 slot = HEAP_OBJECT(entry[0]) ? slot_of(r, entry[1]) : 0;
	__u32 kind = slot ? kind_of_key(r, entry[0]) : SYMBOL_OTHER;
	if (kind == SYMBOL_OTHER)
		return 0;
	if (read_slot(r, r->resource, slot, &value))
		unreadable(r->scratch);
	else
		take_property(r, kind, value);
	return 0;
}

// Reads a resource whose hidden class is not known, by what the class says. Classes of resources come and go with the
// collections: to wait for the agent to learn each would cost many samples.
static __always_inline void read_slowly(struct reader *r, __u32 bits)
{
	const struct v8_layout *v8 = &r->process->v8;
	const __u64 *class = r->scratch->another;
	__u64 descriptors = word_at(class, v8->map_descriptors);
	__u8 size = word_at(class, v8->instance_size) >> (v8->instance_size & 7) * 8;
	r->start = word_at(class, v8->object_start) >> (v8->object_start & 7) * 8;
	r->inside = size > r->start ? size - r->start : 0;
	r->n_entries = bits >> (v8->own_bit & 31) & 0x3ff;
	if (read_object(&descriptors, r->scratch->another, 16)) {
		unreadable(r->scratch);
		return;
	}
	r->entries = descriptors - 1 + v8->descriptors_header;
	bpf_loop(MAX_DICTIONARY, read_descriptor, r, 0);
}

// An object in dictionary mode: a NameDictionary has the numbers of elements, of deleted ones and of places, then a
// prefix, then {key, value, details}. (src/objects/hash-table.h)
static __always_inline void read_dictionary(struct reader *r)
{
	const struct v8_layout *v8 = &r->process->v8;
	__u64 dictionary = word_at(r->scratch->object, v8->receiver_hash);
	__u64 *head = &r->scratch->another[v8->table_data >> 3 & 7];
	if (read_object(&dictionary, r->scratch->another, TABLE_HEAD) || !IS_SMI(head[2]) ||
	    (__u32)SMI(head[2]) > MAX_DICTIONARY) {
		unreadable(r->scratch);
		return;
	}
	r->n_entries = SMI(head[2]);
	r->entries = dictionary - 1 + v8->table_data + (3 + v8->dictionary_prefix) * 8ULL;
	bpf_loop(MAX_DICTIONARY, read_entry, r, 0);
}

// Reads the stores of the resource, or goes on to the object that has them.
static long read_resource(__u32 i, void *context)
{
	struct reader *r = context;
	struct scratch *s = r->scratch;
	s->n_stores = 0;
	r->public = r->holder = 0;
	if (read_object(&r->resource, s->object, 24)) {
		unreadable(s);
		return 1;
	}
	if (read_user(s->another, MAP_HEAD, s->object[0] - 1)) {
		unreadable(s);
		return 1;
	}
	__u32 bits = class_bits(&r->process->v8, s->another);
	if (bits >> (r->process->v8.dictionary_bit & 31) & 1) {
		read_dictionary(r);
	} else {
		r->fields = find_resource(r);
		if (r->fields)
			read_fast(r, r->fields);
		else
			read_slowly(r, bits);
	}
	if (is_js_object(r, r->public))
		r->resource = r->public;
	else if (is_js_object(r, r->holder))
		r->resource = r->holder;
	else
		return 1;
	return 0;
}

// Follows the rules from a store. Of an AsyncLocalStorage that has none now, undefined is kept.
static long enter_collected(__u32 i, void *context)
{
	struct reader *r = context;
	struct scratch *s = r->scratch;
	if (i >= s->n_stores)
		return 1;
	__u64 value = s->stores[i & (MAX_STORES - 1)], object = value;
	if (HEAP_OBJECT(value)) {
		__s32 type = read_object(&object, s->another, 8) ? -1 : instance_type(&r->process->v8, s->another[0]);
		if (type < 0)
			unreadable(s);
		if (type < 0 || type == r->process->v8.type_oddball)
			return 0;
	}
	if (!r->present)
		append(s, CONTEXT_PRESENT, NO_LABEL, 0);
	r->present = 1;
	struct edge entry = {.to = 0, .label = NO_LABEL, .unless = NO_LABEL};
	follow(r, &entry, value);
	return 0;
}

// The stores of the resource whose callback runs. Returns whether there are any.
static __always_inline int enter_resource(struct reader *r, __u64 isolate, __u64 context)
{
	struct scratch *s = r->scratch;
	struct isolate_key key = {.pid = r->pid, .tid = r->tid, .isolate = isolate};
	__u32 *fields = (void *)s->table;
	if (!r->process->v8.type_js_array)
		return 0;
	struct async_hooks *h = bpf_map_lookup_elem(&isolates, &key);
	if (!h && !read_user(fields, 8, isolate)) {
		append_lesson(s, CONTEXT_LEARN_ISOLATE, NO_LABEL, isolate, context);
		return 0;
	}
	if (h && !h->fields)
		return 0;
	if (!h || read_user(fields, HOOKS_FIELDS * sizeof(*fields), h->fields)) {
		unreadable(s);
		return 0;
	}
	__u32 index = fields[HOOKS_DEPTH] - 1;
	if (!fields[HOOKS_INIT] || !fields[HOOKS_USED] || !fields[HOOKS_DEPTH])
		return 0;
	if (scripted_resource(r, h, index, &r->resource) ||
	    (!r->resource && native_resource(r, h, index, &r->resource))) {
		unreadable(s);
		return 0;
	}
	if (!r->resource)
		return 0;
	bpf_loop(MAX_HOPS, read_resource, r, 0);
	bpf_loop(MAX_STORES, enter_collected, r, 0);
	return 1;
}
