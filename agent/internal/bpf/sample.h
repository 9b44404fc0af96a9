// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// One sample: it is begun, a thread is read into it, and it goes into the ring buffer.

#pragma once

#include "async_hooks.h"
#include "context.h"
#include "event.h"
#include "kernel.h"
#include "known.h"
#include "loop.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"
#include "thread_context.h"
#include "uretprobe.h"
#include "uvpool.h"
#include "value.h"
#include "walk.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1024);
	__type(key, __u32); // pid
	__type(value, struct process);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 24); // the loader may change it
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NUM_COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

static __always_inline void count(__u32 counter, __u64 by)
{
	__u64 *n = bpf_map_lookup_elem(&counters, &counter);
	if (n)
		*n += by;
}

// The registers of this thread's user code. Who needs them again asks again: the stack is short.
static __always_inline struct pt_regs *user_registers(void)
{
	return (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
}

// Where this thread's thread-locals are.
static __always_inline __u64 thread_pointer(void)
{
	return bpf_get_current_task_btf()->thread.fsbase;
}

// The isolate that a thread has entered: a thread-local of V8's. 0 = none, also where the page of thread-locals is not
// present: it was never written to. One that a thread has used stays present.
static __always_inline __u64 isolate_of(const struct v8_layout *v8, __u64 thread)
{
	__u64 isolate;
	if (!v8->isolate_tls || !thread || read_user(&isolate, 8, thread + v8->isolate_tls))
		return 0;
	return isolate;
}

// A number for the time in which objects in the old space of the thread's isolate do not move, and none that lives
// makes room for another: until the next mark-compact. Hidden classes, scripts and what functions share are there from
// the beginning. In a collection, or where V8's count is not known, the sample is an epoch.
static __always_inline __u64 epoch_of(const struct scratch *s, const struct sample *e, const __u64 *heap)
{
	int counted = heap && s->v8.ms_count && !s->collecting;
	return fingerprint(s->isolate, counted ? half_at(heap, s->v8.ms_count) : e->time, counted);
}

#define ISOLATE_WORDS 24 // of an Isolate that are read at once

// Reads the state of an isolate's VM, and its AsyncContextFrame, which is near it.
static __always_inline __u8 read_isolate(struct scratch *s, __u64 isolate)
{
	const struct v8_layout *v8 = &s->v8;
	__u32 before = v8->vm_state & 7, frame = v8->cped - v8->vm_state + before;
	__u64 at = isolate + v8->vm_state - before;
	__u8 state;
	if (v8->cped && !(frame & 7) && frame < ISOLATE_WORDS * 8 &&
	    !read_user(s->words, ISOLATE_WORDS * 8, at)) {
		asm volatile("" : "+r"(frame)); // keeps the mask, which tells the verifier the bound
		s->frame = s->words[frame / 8 & 31];
		s->frame_of = isolate;
		return s->words[0] >> before * 8;
	}
	return read_user(&state, 1, isolate + v8->vm_state) ? NO_ISOLATE : state;
}

// Reads what the thread does in V8.
__noinline int read_states(struct scratch *s)
{
	if (!s)
		return -1;
	const struct v8_layout *v8 = &s->v8;
	struct sample *e = (struct sample *)s->buffer;
	__u64 *heap = s->object_head;
	s->frame_of = 0;
	e->vm_state = e->isolate ? read_isolate(s, e->isolate) : NO_ISOLATE;
	if (!e->isolate || !v8->gc_state || read_user(heap, HEAP_STATE, e->isolate + v8->gc_state))
		heap = 0;
	else
		e->gc_state = heap[0];
	s->collecting = e->vm_state == VM_STATE_GC;
	s->heap = heap && v8->ms_count && !s->collecting ? e->isolate + v8->heap : 0;
	s->epoch = epoch_of(s, e, heap);
	s->mark_compacts = heap && v8->ms_count ? 1 + (__u64)half_at(heap, v8->ms_count) : 0;
	e->mark_compacts = e->gc_state != GC_MARK_COMPACT ? s->mark_compacts : 0;
	return 0;
}

// Adds what the repair of the first frame in V8's code needs, whose frame pointer may be its caller's: the stack, and
// the function that rdi holds in a prologue.
static __always_inline void read_repair(struct scratch *s, struct sample *e, __u64 callee)
{
	__u64 v8_sp = s->walk.v8_sp;
	if (!v8_sp)
		return;
	if (v8_sp == e->sp) {
		e->callee.kind = FRAME_JS;
		s->guessed = 1;
		identify(s, callee, &e->callee);
	}
	if (s->end > BUFFER_SIZE - STACK_WORDS * 8 ||
	    read_user(&s->buffer[s->end & (BUFFER_SIZE - 1)], STACK_WORDS * 8, v8_sp))
		return;
	e->n_stack = STACK_WORDS;
	s->end += STACK_WORDS * 8;
}

static __always_inline void read_kernel(void *ctx, struct scratch *s, struct sample *e)
{
	long size = bpf_get_stack(ctx, &s->buffer[sizeof(*e)], MAX_KERNEL * 8, 0);
	if (size <= 0 || size > MAX_KERNEL * 8)
		return;
	e->n_kernel = (__u32)size / 8;
	s->end += size;
}

static __always_inline void read_header(struct sample *e, __u64 pid_tgid)
{
	__builtin_memset(e, 0, sizeof(*e));
	e->type = RECORD_SAMPLE;
	e->time = bpf_ktime_get_ns();
	e->pid = pid_tgid >> 32;
	e->tid = pid_tgid;
	e->cpu = bpf_get_smp_processor_id();
	e->callee.script = -1;
	const __u64 *comm = (const __u64 *)bpf_get_current_task_btf()->comm;
	__u64 *to = (__u64 *)e->comm;
	to[0] = comm[0], to[1] = comm[1];
}

// Registers in the order of the System V ABI's DWARF numbers, which some have by name.
enum { RAX = 0, RCX = 2, RDI = 5, RBP = 6, RSP = 7 };

static __always_inline void copy_registers(const struct pt_regs *r, __u64 *to)
{
	to[0] = r->rax, to[1] = r->rdx, to[2] = r->rcx, to[3] = r->rbx;
	to[4] = r->rsi, to[5] = r->rdi, to[6] = r->rbp, to[7] = r->rsp;
	to[8] = r->r8, to[9] = r->r9, to[10] = r->r10, to[11] = r->r11;
	to[12] = r->r12, to[13] = r->r13, to[14] = r->r14, to[15] = r->r15;
}

static __always_inline void begin_sample(struct scratch *s, __u64 pid_tgid)
{
	read_header((struct sample *)s->buffer, pid_tgid);
	s->end = sizeof(struct sample);
	s->urgent = 0;
	s->guessed = 1;
	s->is_new = 0;
}

// Whether anything of a request is read: there may be no labels, and the layout may not be trusted for now.
static __always_inline int reads_requests(const struct process *p)
{
	return (p->v8.cped || p->v8.first_js_object) && (p->n_published || has_rules(p));
}

// Reads the request once.
static __always_inline void read_once(struct process *p, struct scratch *s, __u64 thread, __u64 isolate, __u64 context)
{
	s->ahead.object = 0;
	read_published(p, s, thread, isolate);
	if (s->owner.isolate)
		isolate = s->owner.isolate;
	if (isolate)
		read_context(p, s, isolate, context);
}

// Reads the request; of a thread of libuv's pool, that for which it works. In a collection it does so twice: V8's
// helper threads move objects meanwhile, and one that another already refers to may not be copied yet
// (src/heap/scavenger.cc), which nothing in it shows. The agent believes what is there both times.
static __always_inline void read_request(struct process *p, struct scratch *s, __u64 thread, __u64 isolate,
					 __u64 context)
{
	struct sample *e = (struct sample *)s->buffer;
	__u32 before = s->end;
	s->owner.isolate = 0;
	e->in_job = s->walk.in_pool != 0;
	if (e->in_job && reads_requests(p))
		find_owner(p, s);
	s->thread = s->owner.isolate ? 0 : e->tid;
	read_once(p, s, thread, isolate, context);
	if (s->end != before && s->collecting) {
		append(s, CONTEXT_AGAIN, NO_LABEL, 0);
		read_once(p, s, thread, isolate, context);
	}
	if (owner_has_collected(p, s)) {
		s->end = before;
		unreadable(s);
	}
	e->n_context = s->end - before;
}

// Reads the stack of a thread whose registers are in scratch and in the sample. Returns the context of its JavaScript;
// 0 = there is none. It is a function so that reading the request has its part of the BPF stack again.
static __noinline __u64 read_stack_of(struct process *p, struct scratch *s, __u64 isolate)
{
	struct sample *e = (struct sample *)s->buffer;
	struct walk *w = &s->walk;

	s->v8 = p->v8;
	e->sp = s->registers[RSP];
	e->bp = s->registers[RBP];
	e->rax = s->registers[RAX];
	e->rcx = s->registers[RCX];
	e->r8 = s->registers[8];
	e->r9 = s->registers[9];
	e->r10 = s->registers[10];
	e->isolate = isolate;
	s->isolate = isolate_fingerprint(p, e);
	read_states(s);
	e->turn = isolate ? turn_of(p, s, e) : 0;
	walk_stack(p, s, e);
	e->n_frames = w->n_frames < MAX_FRAMES ? w->n_frames : MAX_FRAMES;
	e->skipped = w->n_frames - e->n_frames;
	e->resumed = w->resumed;
	e->stop = w->stop;
	read_repair(s, e, s->registers[RDI]);
	look_up_stack(s);
	e->is_new = s->is_new;
	s->guessed = !w->v8_sp; // it may be a helper thread of V8's, while the isolate's own thread goes on
	return w->context;
}

// Reads the stack and the request of a thread that has these registers, and ends its sample. `thread` is its thread
// pointer.
static __always_inline void read_thread(struct process *p, struct scratch *s, const struct pt_regs *regs, __u64 thread,
					__u64 isolate)
{
	copy_registers(regs, s->registers);
	((struct sample *)s->buffer)->ip = regs->rip;
	read_request(p, s, thread, isolate, read_stack_of(p, s, isolate));
}

static __always_inline void take_sample(struct bpf_perf_event_data *ctx, struct process *p, struct scratch *s, __u64 id)
{
	struct sample *e = (struct sample *)s->buffer;
	begin_sample(s, id);
	find_pending(s);
	if ((ctx->regs.cs & 3) != 3)
		read_kernel(ctx, s, e);
	__u64 thread = thread_pointer();
	read_thread(p, s, user_registers(), thread, isolate_of(&p->v8, thread));
}

// Puts a record into the ring buffer. The wakeup is an interrupt that is taken later, when its count has been written.
static __always_inline long put(void *record, __u32 size, __u64 wake, struct consumer *r)
{
	if (bpf_ringbuf_output(&events, record, size, wake))
		return -1;
	if (wake == BPF_RB_FORCE_WAKEUP)
		__sync_fetch_and_add(&r->wakeups, 1);
	return 0;
}

// Puts a sample into the ring buffer.
static __always_inline void put_sample(struct scratch *s, struct consumer *r)
{
	__u32 size = s->end;
	struct sample *e = (struct sample *)s->buffer;
	if (size > BUFFER_SIZE || put(s->buffer, size, wakeup(&events, s, r), r))
		count(e->probe ? COUNT_RING_FULL_HIT : COUNT_RING_FULL, 1 + e->others);
	count(COUNT_NANOSECONDS, bpf_ktime_get_ns() - e->time);
}
