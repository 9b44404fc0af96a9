// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Contexts that the application publishes for readers outside it, in thread-local variables: OpenTelemetry's thread
// context (OTEP 4947), its form for Node.js (schema nodejs_v1_dev), and Polar Signals' custom labels (ABI 1).

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"
#include "table.h"
#include "value.h"

// What a thread-local variable holds. The order is that of precedence.
enum published_kind {
	PUBLISHED_NODE = 1,    // otel_thread_ctx_nodejs_v1
	PUBLISHED_THREAD,      // otel_thread_ctx_v1
	PUBLISHED_NODE_LABELS, // custom_labels_als_handle, and custom_labels_als_identity_hash
	PUBLISHED_LABELS,      // custom_labels_current_set
};

// Where a thread with an isolate has its PUBLISHED_NODE variable, for threads of libuv's pool that work for it. Samples
// of that thread keep it, and the agent finds it where there is none; 0 = it publishes nothing.
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct publisher_key);
	__type(value, __u64); // address
} publishers SEC(".maps");

// A record of PUBLISHED_NODE that a sample has, for the process that made it: it keeps what a profile of it refers to.
struct sampled_record {
	__u64 number; // of the sample, from 1 on; 0 = it is being written
	__u64 record; // address
};

// The first entry has the number of the last sample, and one less than how many entries follow, a power of two. Those
// are written in turn. There are none unless user space asks.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct sampled_record);
} sampled_records SEC(".maps");

#define RECORD_HEAD 28 // bytes before the attributes of a record
#define RECORD_VALID 24 // in it: 1 if the record may be read
#define RECORD_SIZE 26  // u16: bytes of attributes
#define PUBLISHED_ROOM 2048 // more than what one append here takes

// The address of a thread-local variable, 0 for a thread that has none. The second word of a thread descriptor is its
// table of blocks by module. glibc: two words a module, the first pair has the table's generation, and the length is in
// the pair before it (sysdeps/generic/dl-dtv.h); musl: a word a module, the first has the length
// (src/internal/pthread_impl.h).
static __always_inline __u64 locate(__u64 thread, const struct place *at)
{
	__u64 table, count, generation, block;
	if (at->kind == PLACE_STATIC)
		return thread + at->offset;
	if (!at->kind || read_user(&table, 8, thread + 8))
		return 0;
	if (at->kind == PLACE_DTV_MUSL) {
		if (read_user(&count, 8, table) || at->module > count ||
		    read_user(&block, 8, table + at->module * 8ULL))
			return 0;
	} else {
		if (read_user(&count, 8, table - 16) || at->module > count || read_user(&generation, 8, table) ||
		    generation < at->generation || read_user(&block, 8, table + at->module * 16ULL))
			return 0;
	}
	if (!block || block == ~0ULL)
		return 0;
	return block + at->offset;
}

static __always_inline void tell_record(__u64 record)
{
	__u32 at = 0;
	struct sampled_record *head = bpf_map_lookup_elem(&sampled_records, &at), *to;
	if (!head || !head->record)
		return;
	__u64 number = __sync_fetch_and_add(&head->number, 1) + 1;
	at = 1 + (number & head->record);
	to = bpf_map_lookup_elem(&sampled_records, &at);
	if (!to)
		return;
	__sync_lock_test_and_set(&to->number, 0);
	to->record = record;
	__sync_lock_test_and_set(&to->number, number);
}

static __always_inline void over_limit(struct scratch *s)
{
	append(s, CONTEXT_OVER_LIMIT, NO_LABEL, 0);
}

// Appends a record, unless it says that it is not valid: none, or being written.
static __always_inline void append_published(struct scratch *s, __u32 kind, __u64 record)
{
	__u32 start = s->end;
	__u16 size;
	if (!record)
		return;
	if (start >= BUFFER_SIZE - PUBLISHED_ROOM) {
		over_limit(s);
		return;
	}
	__u8 *to = append(s, CONTEXT_RECORD, kind, RECORD_HEAD);
	if (!to)
		return;
	if (read_user(to, RECORD_HEAD, record)) {
		s->end = start;
		unreadable(s);
		return;
	}
	if (to[RECORD_VALID] != 1) {
		s->end = start;
		return;
	}
	__builtin_memcpy(&size, to + RECORD_SIZE, sizeof(size));
	__u32 length = size;
	if (length > MAX_ATTRIBUTES)
		length = MAX_ATTRIBUTES; // the size that the record states tells the agent that there was more
	asm volatile("" : "+r"(length)); // keeps the comparison, which tells the verifier the bound
	if (length > MAX_ATTRIBUTES)
		return;
	if (length && read_user(to + RECORD_HEAD, length, record + RECORD_HEAD)) {
		unreadable(s);
		return;
	}
	struct context_record *r = (void *)&s->buffer[start & (BUFFER_SIZE - 1)];
	r->length = RECORD_HEAD + length;
	s->end += length;
	if (kind == PUBLISHED_NODE)
		tell_record(record);
}

// Whether two words refer to the same object, one of which may be where it was before the collection that runs.
__noinline int same_object(struct scratch *s, __u64 a, __u64 b)
{
	if (a == b)
		return 1;
	if (!s || read_object(&a, s->object_head, 8) || read_object(&b, s->object_head, 8))
		return 0;
	return a == b;
}

#define MAX_CHAIN 16 // entries of one bucket that are compared

struct chain {
	struct scratch *scratch;
	__u64 storage; // tagged
	__u64 next;    // Smi: number of the next entry
	__u64 value;   // 0 = not found
	__u32 bad;
};

static long chain_next(__u32 i, void *context)
{
	struct chain *c = context;
	const struct table *table = &c->scratch->table;
	struct table_entry entry;
	if (!IS_SMI(c->next)) {
		c->bad = 1;
		return 1;
	}
	if (SMI(c->next) < 0)
		return 1;
	if ((__u32)SMI(c->next) >= table->n_entries || read_table_entry(c->scratch, SMI(c->next), &entry)) {
		c->bad = 1;
		return 1;
	}
	if (same_object(c->scratch, entry.key, c->storage)) {
		c->value = entry.value;
		return 1;
	}
	c->next = entry.word;
	return 0;
}

// The store that an AsyncLocalStorage has in an AsyncContextFrame: found by identity hash in a bucket, where it is the
// key. 0 = none.
static __always_inline __u64 find_store(struct process *p, struct scratch *s, __u64 frame, __u64 storage,
					__u32 hash)
{
	struct chain c = {.scratch = s, .storage = storage};
	if (read_whole(frame, s->object_head, JS_MAP_HEAD)) {
		unreadable(s);
		return 0;
	}
	if (instance_type(s->object_head[0]) != p->v8.type_map)
		return 0; // undefined: no request
	if (open_map(word_at(s->object_head, p->v8.jsmap_table)) ||
	    read_bucket(s, hash, &c.next)) {
		unreadable(s);
		return 0;
	}
	bpf_loop(MAX_CHAIN, chain_next, &c, 0);
	if (c.bad || (!c.value && SMI(c.next) >= 0))
		unreadable(s);
	return c.value;
}

// The word of an object's internal field 0, an address of the add-on's. 0 = none.
static __always_inline __u64 internal_field(const struct v8_layout *v8, struct scratch *s, __u64 object)
{
	__u64 word;
	if (!HEAP_OBJECT(object))
		return 0;
	if (read_whole(object, s->object_head, 8)) {
		unreadable(s);
		return 0;
	}
	if (instance_type(s->object_head[0]) == v8->type_oddball)
		return 0; // undefined: detached
	if (read_user(&word, 8, object - 1 + v8->internal_field)) {
		unreadable(s);
		return 0;
	}
	return word & 1 ? 0 : word; // V8 tells addresses from its own words by that bit
}

// What is published for a thread with an isolate (RFC in open-telemetry/opentelemetry-ebpf-profiler, pull request
// 1861).
struct node_thread {
	__u64 cped_slot; // address; 0 = nothing is published now
	__u64 handle;    // address of a slot that refers to the AsyncLocalStorage
	__u32 hash, pad;
	__u64 undefined;
};

// Appends the record that an AsyncContextFrame has for it; frame 0 stands for the current one. Returns whether the
// variable is that of the isolate's own thread: V8's helper threads enter the isolate, too.
static __always_inline int read_node(struct process *p, struct scratch *s, const struct published *from, __u64 at,
				     __u64 isolate, __u64 frame)
{
	struct node_thread thread;
	__u64 storage, record;
	if (!at || read_user(&thread, sizeof(thread), at)) {
		unreadable(s);
		return 0;
	}
	if (!thread.cped_slot)
		return 0;
	// One that is not this isolate's is a leftover.
	if (thread.cped_slot != isolate + p->v8.cped || (!frame && read_user(&frame, 8, thread.cped_slot)) ||
	    read_user(&storage, 8, thread.handle)) {
		unreadable(s);
		return 0;
	}
	if (frame == thread.undefined)
		return 1;
	record = internal_field(&p->v8, s, find_store(p, s, frame, storage, thread.hash));
	if (record && from->wrapped >= 0 && read_user(&record, 8, record + from->wrapped))
		unreadable(s);
	else
		append_published(s, PUBLISHED_NODE, record);
	return 1;
}

// A label of custom labels ABI 1: two strings, {length, address} each.
struct local_label {
	__u64 key_length, key, value_length, value;
};

struct label_set {
	__u64 storage, count, capacity;
};

struct local_labels {
	struct scratch *scratch;
	__u64 storage;
	__u32 count, type;
};

static long local_next(__u32 i, void *context)
{
	struct local_labels *l = context;
	struct scratch *s = l->scratch;
	struct local_label label;
	if (i >= l->count)
		return 1;
	if (read_user(&label, sizeof(label), l->storage + i * sizeof(label))) {
		unreadable(s);
		return 1;
	}
	if (!label.key)
		return 0;
	if (label.key_length > MAX_LOCAL_TEXT || label.value_length > MAX_LOCAL_TEXT ||
	    s->end >= BUFFER_SIZE - PUBLISHED_ROOM) {
		over_limit(s);
		return 0;
	}
	__u32 start = s->end, key = label.key_length & 0xff, value = label.value_length & 0xff;
	__u8 *to = append(s, l->type, key, key + value);
	if (!to)
		return 1;
	if (read_user(to, key, label.key) || read_user(to + key, value, label.value)) {
		s->end = start;
		unreadable(s);
	}
	return 0;
}

static __always_inline void read_labels(struct scratch *s, __u32 type, __u64 at)
{
	struct label_set set;
	if (!at)
		return;
	if (read_user(&set, sizeof(set), at)) {
		unreadable(s);
		return;
	}
	struct local_labels l = {.scratch = s, .storage = set.storage, .type = type};
	l.count = set.count > MAX_LOCAL ? MAX_LOCAL : set.count;
	if (set.count > MAX_LOCAL)
		over_limit(s);
	bpf_loop(MAX_LOCAL, local_next, &l, 0);
}

// The object that the add-on of custom labels keeps in its AsyncLocalStorage wraps one of C++ (node::ObjectWrap):
// behind 24 bytes of that class are the label set's address, and a number by which it is known.
#define LABELS_TOKEN 0xEC9EB507FB5D7903ULL

struct labels_wrap {
	__u64 base[3], set, token;
};

static __always_inline void read_node_labels(struct process *p, struct scratch *s, const struct published *from,
					     __u64 thread, __u64 isolate)
{
	struct labels_wrap wrap;
	__u64 frame, handle, storage, object, at = locate(thread, &from->at), hash_at = locate(thread, &from->hash);
	__u32 hash;
	if (!at || !hash_at || read_user(&handle, 8, at) || !handle)
		return; // not used by this thread
	if (read_user(&hash, 4, hash_at) || read_user(&storage, 8, handle) ||
	    read_user(&frame, 8, isolate + p->v8.cped)) {
		unreadable(s);
		return;
	}
	object = internal_field(&p->v8, s, find_store(p, s, frame, storage, hash));
	if (!object)
		return;
	if (read_user(&wrap, sizeof(wrap), object) || wrap.token != LABELS_TOKEN) {
		unreadable(s);
		return;
	}
	read_labels(s, CONTEXT_LOCAL_NODE, wrap.set);
}

static __always_inline void keep_publisher(struct process *p, __u32 number, __u64 isolate, __u64 at)
{
	struct publisher_key key = {.process = p->id, .number = number, .isolate = isolate};
	__u64 *known = bpf_map_lookup_elem(&publishers, &key);
	if (!known || *known != at)
		bpf_map_update_elem(&publishers, &key, &at, BPF_ANY);
}

struct publishing {
	struct process *process;
	struct scratch *scratch;
	__u64 thread, isolate;
};

static long published_next(__u32 i, void *context)
{
	struct publishing *c = context;
	struct process *p = c->process;
	struct scratch *s = c->scratch;
	if (i >= p->n_published)
		return 1;
	const struct published *from = &p->published[i & (MAX_PUBLISHED - 1)];
	int node = from->kind == PUBLISHED_NODE || from->kind == PUBLISHED_NODE_LABELS;
	__u64 at, word;
	if (node && (!c->isolate || !p->v8.cped || !p->v8.internal_field))
		return 0;
	if (from->kind == PUBLISHED_NODE_LABELS) {
		read_node_labels(p, s, from, c->thread, c->isolate);
		return 0;
	}
	at = locate(c->thread, &from->at);
	if (!at)
		return 0; // the thread never touched it
	if (from->kind == PUBLISHED_NODE) {
		if (read_node(p, s, from, at, c->isolate, 0))
			keep_publisher(p, i, c->isolate, at);
	} else if (read_user(&word, 8, at))
		unreadable(s);
	else if (from->kind == PUBLISHED_THREAD)
		append_published(s, PUBLISHED_THREAD, word);
	else if (from->kind == PUBLISHED_LABELS)
		read_labels(s, CONTEXT_LOCAL_THREAD, word);
	return 0;
}

// What is published for the request that a thread of libuv's pool works for.
static long owned_next(__u32 i, void *context)
{
	struct publishing *c = context;
	struct process *p = c->process;
	struct scratch *s = c->scratch;
	if (i >= p->n_published)
		return 1;
	const struct published *from = &p->published[i & (MAX_PUBLISHED - 1)];
	struct publisher_key key = {.process = p->id, .number = i, .isolate = s->owner.isolate};
	if (from->kind != PUBLISHED_NODE)
		return 0;
	__u64 *at = bpf_map_lookup_elem(&publishers, &key);
	if (!at)
		request_update(s, CONTEXT_LEARN_PUBLISHER, NO_LABEL, s->owner.isolate, 0);
	else if (*at)
		read_node(p, s, from, *at, s->owner.isolate, s->owner.frame);
	return 0;
}

__noinline int read_published(struct process *p, struct scratch *s, __u64 thread, __u64 isolate)
{
	if (!p || !s || !p->n_published || !thread)
		return 0;
	struct publishing c = {.process = p, .scratch = s, .thread = thread, .isolate = isolate};
	__u32 before = s->end;
	bpf_loop(MAX_PUBLISHED, published_next, &c, 0);
	if (s->end == before && s->owner.isolate && s->owner.frame) // else the job has entered a context of its own
		bpf_loop(MAX_PUBLISHED, owned_next, &c, 0);
	return 0;
}
