// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// For which request a thread of libuv's pool works: from the register in which worker() has its struct uv__work to the
// object that Node made for it, to the AsyncContextFrame or the resource that its callback will run with.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "learned.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"
#include "unwind.h"
#include "value.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 8192);
	__type(key, struct kept_key);
	__type(value, __s32); // KEPT_SAME, KEPT_LOST, or where
} kept_places SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 2048);
	__type(key, struct work_key);
	__type(value, struct work);
} works SEC(".maps");

// A collection takes longer: none of the owner's began and ended in this time, unseen, while its objects were read.
#define MAX_OWNED_NS 200000

// What pool.reg was when worker() called: the outermost function that saved it says where.
static __always_inline long find_kept(struct process *p, struct scratch *s, __u64 *value)
{
	__u32 calls = s->walk.in_pool;
	for (__u32 i = 0; i < MAX_CALLS; i++) {
		if (i == calls) { // no function saved it
			*value = s->registers[p->pool.reg & 15];
			return 0;
		}
		struct call *c = &s->calls[(calls - 1 - i) & (MAX_CALLS - 1)];
		__u32 mapping = find_mapping(p, c->pc);
		const struct mapping *m = &p->mappings[mapping & (MAX_MAPPINGS - 1)];
		if (mapping < MAX_MAPPINGS && !m->table)
			break;
		struct kept_key key = {.table = m->table, .reg = p->pool.reg, .at = c->pc - m->base};
		__s32 *place = mapping < MAX_MAPPINGS ? bpf_map_lookup_elem(&kept_places, &key) : 0;
		if (!place) {
			request_update(s, CONTEXT_LEARN_KEPT, NO_LABEL, c->pc, 0);
			return -1;
		}
		if (*place == KEPT_SAME)
			continue;
		if (*place == KEPT_LOST || read_user(value, 8, c->cfa + *place * 8LL))
			break;
		return 0;
	}
	unreadable(s);
	return -1;
}

// Node's object for the work; 0 for work that is not Node's.
static __always_inline __u64 object_of_work(struct process *p, struct scratch *s, __u64 work, __u32 *kind)
{
	__u64 function, refers, request;
	if (read_user(&function, 8, work + p->pool.function)) {
		unreadable(s);
		return 0;
	}
	for (*kind = 0; *kind < NUM_WORK_KINDS; ++*kind)
		if (p->pool.functions[*kind] == function)
			break;
	if (*kind >= NUM_WORK_KINDS || !function)
		return 0;
	request = work - p->pool.requests[*kind];
	if (read_user(&refers, 8, request + (*kind == WORK_QUEUED ? p->pool.work_cb : p->pool.data))) {
		unreadable(s);
		return 0;
	}
	if (*kind != WORK_QUEUED)
		return refers;
	if (refers != p->pool.node_work)
		return 0;
	return request - p->pool.work_req;
}

// Reads what a Global refers to; 0 for an empty one.
static __always_inline long read_global(__u64 *object, __u64 at)
{
	__u64 slot;
	*object = 0;
	if (read_user(&slot, 8, at))
		return -1;
	return slot ? read_user(object, 8, slot) : 0;
}

#define MAX_TOP 1024 // bytes from the start of an object to its ThreadPoolWork

// Offsets in Node's objects, as context/nodejs/layout.go has them.
#define WRAP_HANDLE 8       // in an AsyncWrap, of its JavaScript object
#define WRAP_FRAME 72       // in it, of an AsyncContextFrame
#define WRAP_FRAME_FIELD 16 // behind the first internal field of the JavaScript object
#define RESOURCE_FRAME 24   // in an AsyncResource
#define WORK_OWNER 8        // in a ThreadPoolWork

// Whether an AsyncWrap is at an address: its JavaScript object refers to it in its first or second internal field.
static __always_inline int is_wrap(struct process *p, __u64 at)
{
	__u64 object, fields[2];
	if (!p->v8.internal_field || read_global(&object, at + WRAP_HANDLE) || !HEAP_OBJECT(object) ||
	    read_user(fields, sizeof(fields), object - 1 + p->v8.internal_field))
		return 0;
	return fields[0] == at || fields[1] == at;
}

// Whether a word can be an AsyncContextFrame: a JavaScript Map, or undefined where the request has none.
static __always_inline int is_frame(struct process *p, struct scratch *s, __u64 word)
{
	if (read_whole(word, s->object_head, 8))
		return 0;
	int type = instance_type(s->object_head[0]);
	return type == p->v8.type_map || type == p->v8.type_oddball;
}

static __always_inline __u64 find_frames(struct process *p, struct scratch *s, __u64 object, int wrap)
{
	__u64 word, frames = 0;
	if (!p->v8.cped)
		return 0;
	if (!read_global(&word, object + (wrap ? WRAP_FRAME : RESOURCE_FRAME)) && is_frame(p, s, word))
		frames |= FRAME_IN_HANDLE;
	if (wrap && !read_global(&word, object + WRAP_HANDLE) && HEAP_OBJECT(word) &&
	    !read_user(&word, 8, word - 1 + p->v8.internal_field + WRAP_FRAME_FIELD) && is_frame(p, s, word))
		frames |= FRAME_IN_FIELD;
	return frames;
}

// Asks where objects of a class keep what they belong to. `part` is the ThreadPoolWork in it, 0 for none.
static __noinline void ask_for_layout(struct process *p, struct scratch *s, __u64 object, __u64 part, __u64 class)
{
	struct job_object *to;
	__u32 start = s->end;
	__u64 frames = find_frames(p, s, object, !class);
	to = append(s, CONTEXT_LEARN_WORK, NO_LABEL, sizeof(*to));
	if (!to)
		return;
	s->urgent = 1;
	to->class = class;
	to->owner = 0;
	to->frames = frames;
	if (read_user(to->words, sizeof(to->words), object) || (part && read_user(&to->owner, 8, part + WORK_OWNER))) {
		s->end = start;
		unreadable(s);
	}
}

// Where the object that Node has for a job keeps what it belongs to. *object becomes the start of the whole: a
// ThreadPoolWork is a base class, and the distance is before its vtable (Itanium C++ ABI, 2.5.2).
static __always_inline struct work *find_work(struct process *p, struct scratch *s, __u64 *object, __u32 kind)
{
	struct work_key key = {.process = p->id};
	__u64 vtable = 0, part = *object;
	__s64 top;
	if (kind == WORK_QUEUED) {
		if (read_user(&vtable, 8, part) || read_user(&top, 8, vtable - 16)) {
			unreadable(s);
			return 0;
		}
		if (top <= 0 && top >= -MAX_TOP)
			*object += top;
	}
	if (!is_wrap(p, *object)) {
		if (kind != WORK_QUEUED) { // an add-on's own request
			unreadable(s);
			return 0;
		}
		key.class = vtable;
	}
	struct work *work = bpf_map_lookup_elem(&works, &key);
	if (!work)
		ask_for_layout(p, s, *object, kind == WORK_QUEUED ? part : 0, key.class);
	else if (!work->realm)
		unreadable(s); // of a class in which the agent has not found the request
	return work && work->realm ? work : 0;
}

static __always_inline int is_collecting(const struct v8_layout *v8, __u64 isolate)
{
	__u8 state;
	return read_user(&state, 1, isolate + v8->vm_state) || state == VM_STATE_GC;
}

static __always_inline long read_owner(struct process *p, struct scratch *s, __u64 object, struct work *work)
{
	__u64 realm;
	if (read_user(&realm, 8, object + work->realm) || read_user(&s->owner.isolate, 8, realm + work->isolate) ||
	    is_collecting(&p->v8, s->owner.isolate) || read_global(&s->owner.resource, object + work->resource))
		return -1;
	if (work->field)
		return read_user(&s->owner.frame, 8, s->owner.resource - 1 + work->field);
	s->owner.frame = 0;
	return work->frame ? read_global(&s->owner.frame, object + work->frame) : 0;
}

// Finds the request that a thread of the pool works for. Its objects are another thread's, which runs meanwhile: they
// are read twice, and only while that does not collect. The agent keeps what it has read of a job for when it does.
__noinline int find_owner(struct process *p, struct scratch *s)
{
	__u64 at;
	__u32 kind;
	if (!p || !s || find_kept(p, s, &at))
		return 0;
	__u64 object = object_of_work(p, s, at + p->pool.offset, &kind);
	struct work *work = object ? find_work(p, s, &object, kind) : 0;
	if (!work)
		return 0;
	struct sample *e = (struct sample *)s->buffer;
	if (!read_user(&e->job, 8, object + work->id))
		e->work = object;
	if (read_owner(p, s, object, work)) {
		unreadable(s);
		s->owner.isolate = 0;
		return 0;
	}
	s->collecting = 1;
	return 0;
}

// Whether what was read of an owner may have moved meanwhile.
static __always_inline int owner_has_collected(struct process *p, struct scratch *s)
{
	struct sample *e = (struct sample *)s->buffer;
	return s->owner.isolate &&
	       (is_collecting(&p->v8, s->owner.isolate) || bpf_ktime_get_ns() - e->time > MAX_OWNED_NS);
}
