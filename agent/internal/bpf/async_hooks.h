// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Node without the AsyncContextFrame: an AsyncLocalStorage keeps its store in the resource of each asynchronous
// operation, as a property whose key is a symbol of its own. Node's Environment has a stack of the resources whose
// callbacks run.
// (node: src/env.h, class AsyncHooks; lib/internal/async_hooks.js, executionAsyncResource)

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "learned.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "resource.h"
#include "rules.h"
#include "scratch.h"
#include "value.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 2048);
	__type(key, struct environment_key);
	__type(value, struct async_hooks);
} environments SEC(".maps");

// Counters of async_hooks. (node: src/env.h, enum AsyncHooks::Fields)
#define HOOKS_INIT 0  // active hooks with an init callback: none where each AsyncLocalStorage is disabled
#define HOOKS_DEPTH 7 // of the stack
#define HOOKS_USED 8  // 1 once executionAsyncResource() was called
#define HOOKS_FIELDS 9

// The resource that JavaScript code pushed at this depth; 0 if it did not.
static __noinline long scripted_resource(struct reader *r, const struct async_hooks *h, __u32 index, __u64 *resource)
{
	const struct v8_layout *v8 = &r->process->v8;
	__u64 *head = r->scratch->object_head, slot, array, elements;
	*resource = 0;
	if (read_user(&slot, 8, h->resources))
		return -1;
	if (!slot)
		return 0;
	if (read_user(&array, 8, slot) || read_whole(array, head, 32) || instance_type(head[0]) != v8->type_array)
		return -1;
	__u64 length = word_at(head, v8->array_length);
	elements = word_at(head, v8->object_elements);
	if (read_whole(elements, head, 16) || !IS_SMI(length) || !IS_SMI(head[1]))
		return -1;
	if (index >= (__u32)SMI(length) || index >= (__u32)SMI(head[1]))
		return 0;
	if (read_user(resource, 8, elements - 1 + v8->table_data + index * 8ULL))
		return -1;
	if (!is_js_object(r->process, r->scratch, *resource))
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
	struct deque *d = (void *)s->part;
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

// The resource that C++ code pushed at this depth; 0 if it did not.
static __noinline long native_resource(struct reader *r, const struct async_hooks *h, __u32 index, __u64 *resource)
{
	__u64 slot;
	*resource = 0;
	if (h->deque ? deque_handle(r->scratch, h->natives, index, &slot) : vector_handle(h->natives, index, &slot))
		return -1;
	if (slot && read_user(resource, 8, slot))
		return -1;
	if (!is_js_object(r->process, r->scratch, *resource))
		*resource = 0;
	return 0;
}

// The resource while the stack is empty: an object of Node's own, in the context of the functions that V8 calls for
// promises. Where others hear of promises too, it calls one of another context, which has other words.
static __noinline long top_level_resource(struct reader *r, const struct async_hooks *h, __u64 *resource)
{
	const struct v8_layout *v8 = &r->process->v8;
	__u64 *head = r->scratch->object_head, slot, function, context;
	*resource = 0;
	if (!h->hook_context)
		return 0;
	if (read_user(&slot, 8, h->hook))
		return -1;
	if (!slot)
		return 0;
	if (read_user(&function, 8, slot) || read_user(&context, 8, function - 1 + h->hook_context) ||
	    read_user(head, 16, context - 1) || !IS_SMI(head[1]) || SMI(head[1]) != h->words ||
	    read_user(resource, 8, context - 1 + v8->table_data + h->top_level * 8ULL) ||
	    !is_js_object(r->process, r->scratch, *resource)) {
		*resource = 0;
		return -1;
	}
	return 0;
}

static long enter_collected(__u32 i, void *context)
{
	struct resource_reader *f = context;
	struct scratch *s = f->scratch;
	if (i >= s->n_stores)
		return 1;
	enter_store(f->reader, s->stores[i & (MAX_STORES - 1)].value);
	return 0;
}

// The resource whose callback the isolate runs; 0 = there is none.
static __always_inline __u64 current_resource(struct reader *r, __u64 context)
{
	struct scratch *s = r->scratch;
	struct sample *e = (struct sample *)s->buffer;
	struct environment_key key = {.process = r->process->id, .tid = e->tid, .isolate = r->isolate};
	__u32 *fields = (void *)s->part;
	__u64 resource;
	if (!r->process->v8.first_js_object)
		return 0;
	struct async_hooks *h = bpf_map_lookup_elem(&environments, &key);
	if (!h && !read_user(fields, 8, r->isolate)) {
		request_update(s, CONTEXT_LEARN_ISOLATE, NO_LABEL, r->isolate, context);
		return 0;
	}
	if (h && !h->fields) {
		if (h->lost)
			append(s, CONTEXT_NO_HOOKS, NO_LABEL, 0);
		return 0;
	}
	if (!h || read_user(fields, HOOKS_FIELDS * sizeof(*fields), h->fields)) {
		unreadable(s);
		return 0;
	}
	__u32 depth = fields[HOOKS_DEPTH], index = depth - 1;
	if (!fields[HOOKS_INIT] || !fields[HOOKS_USED])
		return 0;
	if (!depth && !h->hook) {
		request_update(s, CONTEXT_LEARN_ISOLATE, NO_LABEL, r->isolate, context);
		return 0;
	}
	if (!depth ? top_level_resource(r, h, &resource) :
	    scripted_resource(r, h, index, &resource) || (!resource && native_resource(r, h, index, &resource))) {
		unreadable(s);
		return 0;
	}
	return resource;
}

// The stores of a resource. Returns whether there may be any.
static __always_inline int enter_resource(struct reader *r, __u64 resource)
{
	struct resource_reader f = {.reader = r, .process = r->process, .scratch = r->scratch};
	if (!resource || !r->process->v8.first_js_object)
		return 0;
	r->scratch->resource.object = resource;
	bpf_loop(MAX_HOPS, read_resource, &f, 0);
	bpf_loop(MAX_STORES, enter_collected, &f, 0);
	return 1;
}
