//go:build ignore

// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The kernel half of hotspan. A timer fires on a CPU, or a thread hits a probe; if the process is one that is profiled,
// the thread's stack is walked and its request context is read, and both go into the ring buffer.

#include "async_hooks.h"
#include "condition.h"
#include "context.h"
#include "event.h"
#include "kernel.h"
#include "known.h"
#include "limits.h"
#include "loop.h"
#include "memory.h"
#include "mirrors.h"
#include "off_cpu.h"
#include "probe.h"
#include "process.h"
#include "scratch.h"
#include "thread_context.h"
#include "tracepoint.h"
#include "uretprobe.h"
#include "uvpool.h"
#include "value.h"
#include "walk.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1024);
	__type(key, __u32); // pid
	__type(value, struct process);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1024);
	__type(key, __u32); // pid whose execve is reported, beside those in `processes`; 0 = all
	__type(value, __u8);
} execs SEC(".maps");

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

// Where this thread's thread-locals are.
static __always_inline __u64 thread_pointer(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	return BPF_CORE_READ(task, thread.fsbase);
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

static __always_inline void read_states(const struct v8_layout *v8, __u64 isolate, struct sample *e)
{
	e->vm_state = NO_ISOLATE;
	if (!isolate)
		return;
	if (read_user(&e->vm_state, 1, isolate + v8->vm_state))
		e->vm_state = NO_ISOLATE;
	if (v8->gc_state)
		read_user(&e->gc_state, 1, isolate + v8->gc_state);
}

// Adds what the repair of the first frame in V8's code needs, whose frame pointer may be its caller's: the stack, and
// the function that rdi holds in a prologue.
static __always_inline void read_repair(struct walk *w, struct sample *e, __u64 callee)
{
	struct scratch *s = w->scratch;
	if (!w->v8_sp)
		return;
	if (w->v8_sp == e->sp) {
		e->callee.kind = FRAME_JS;
		identify(w, callee, &e->callee);
		if (e->callee.script >= 0)
			look_up_frame(w, &e->callee);
	}
	if (s->end > BUFFER_SIZE - STACK_WORDS * 8 ||
	    read_user(&s->buffer[s->end & (BUFFER_SIZE - 1)], STACK_WORDS * 8, w->v8_sp))
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
	bpf_get_current_comm(e->comm, sizeof(e->comm));
}

// Registers in the order of the System V ABI's DWARF numbers.
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
	for (int i = 0; i < MAX_SCRIPTS; i++)
		s->scripts[i] = (struct script){.id = -1};
	for (int i = 0; i < MAX_TYPES; i++)
		s->types[i].hidden_class = 0;
	s->urgent = 0;
	s->is_new = 0;
}

// Reads the request once.
static __always_inline void read_once(struct process *p, struct scratch *s, __u64 thread, __u64 isolate, __u64 context)
{
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
	if (s->walk_state.in_pool)
		find_owner(p, s);
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

// Reads the stack and the request of a thread that has these registers, and ends its sample. `thread` is its thread
// pointer.
static __always_inline void read_thread(struct process *p, struct scratch *s, const struct pt_regs *regs, __u64 thread,
					__u64 isolate)
{
	struct sample *e = (struct sample *)s->buffer;
	struct walk w = {.process = p, .scratch = s, .state = &s->walk_state, .isolate = isolate};

	s->v8 = p->v8;
	copy_registers(regs, s->registers);
	w.pc = e->ip = regs->rip;
	w.sp = e->sp = regs->rsp;
	w.bp = e->bp = regs->rbp;
	e->r10 = regs->r10;
	e->isolate = isolate;
	e->turn = isolate ? turn_of(p, e) : 0;
	read_states(&p->v8, isolate, e);
	s->collecting = e->vm_state == VM_STATE_GC;
	s->isolate = isolate_fingerprint(p, e);
	walk_stack(&w);
	e->n_frames = s->walk_state.n_frames < MAX_FRAMES ? s->walk_state.n_frames : MAX_FRAMES;
	e->skipped = s->walk_state.n_frames - e->n_frames;
	e->resumed = s->walk_state.resumed;
	e->stop = s->walk_state.stop;
	read_repair(&w, e, regs->rdi);
	e->is_new = s->is_new;
	read_request(p, s, thread, isolate, w.context);
}

static __always_inline void take_sample(struct bpf_perf_event_data *ctx, struct process *p, struct scratch *s, __u64 id)
{
	struct sample *e = (struct sample *)s->buffer;
	begin_sample(s, id);
	find_pending(s);
	e->kernel_mode = (ctx->regs.cs & 3) != 3;
	if (e->kernel_mode)
		read_kernel(ctx, s, e);
	__u64 thread = thread_pointer();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	read_thread(p, s, regs, thread, isolate_of(&p->v8, thread));
}

static __always_inline struct consumer *consumer(void)
{
	__u32 first = 0;
	return bpf_map_lookup_elem(&consumers, &first);
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

// Reports whether the thread is in the trap of a uprobe, which changes its registers and its stack one after the other:
// in the kernel's copy of the instruction, in what a uretprobe returns to, or at the breakpoint or behind it.
static __always_inline int in_trap(const struct bpf_perf_event_data *ctx)
{
	const __u64 page = 4096;
	const __u8 breakpoint = 0xcc;
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	__u64 at = regs->rip;
	__u8 code[2]; // the last byte before it, and the first one there
	if (!bpf_core_type_exists(struct return_instance))
		return 0;
	if (at / page * page == trampoline())
		return 1;
	if ((ctx->regs.cs & 3) == 3 || read_user(code, 2, at - 1))
		return 0;
	return code[0] == breakpoint || code[1] == breakpoint;
}

SEC("perf_event")
int hotspan_sample(struct bpf_perf_event_data *ctx)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 pid = id >> 32, cpu = bpf_get_smp_processor_id();
	struct process *p = bpf_map_lookup_elem(&processes, &pid);
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
	struct consumer *r = consumer();
	if (!p || !s || !r)
		return 0;
	count(COUNT_TAKEN, 1);
	if (s->users || (hits_count() && in_trap(ctx))) {
		count(COUNT_OVERLAPPED, 1);
		return 0;
	}
	take_sample(ctx, p, s, id);
	put_sample(s, r);
	return 0;
}

// Samples the thread that has hit a probe, or has waited in a system call, for so long as `weight` says, if the rate
// limit admits it. `args` is where a tracepoint has its arguments. Unlike a timer's, this may be preempted by another
// thread that hits one on this CPU: the scratch is the first one's.
__noinline int take_hit(__u64 id, __u32 number, __u64 weight, __u32 call, __u64 args)
{
	if (!hits_count())
		return 0;
	__u32 key = id >> 32; // one variable: the stack is short
	struct process *p = bpf_map_lookup_elem(&processes, &key);
	key = bpf_get_smp_processor_id();
	struct scratch *s = bpf_map_lookup_elem(&scratches, &key);
	key = number;
	struct probe *probe = bpf_map_lookup_elem(&probes, &key);
	struct condition *c = bpf_map_lookup_elem(&conditions, &key);
	if (!p || !s || !probe || !c)
		return 0;
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	__u64 hits = 1;
	if (!count_hit(probe, c, regs, args, &weight))
		return 0;
	if (call == NOT_IN_CALL) {
		__sync_fetch_and_add(&probe->elsewhere, 1);
		return 0;
	}
	if (c->every)
		pass(probe, weight);
	else if (!admit(probe, 1))
		return 0;
	if (!enter(s)) {
		if (!c->every) // else a later sample stands for it
			__sync_fetch_and_add(&probe->overlapped, 1);
		goto out;
	}
	if (c->every) {
		hits = due(&probe->by_hits, c->every, probe->by_hits.passed);
		weight = due(&probe->by_value, c->every, probe->by_hits.passed);
		if ((!hits && !weight) || !admit(probe, hits))
			goto out;
	}
	begin_sample(s, id);
	struct sample *e = (struct sample *)s->buffer;
	e->probe = number;
	e->weight = weight;
	e->call = call;
	e->others = (__s32)hits - 1;
	find_pending(s);
	__u64 thread = thread_pointer();
	read_thread(p, s, regs, thread, isolate_of(&p->v8, thread));
	struct consumer *r = consumer();
	if (r)
		put_sample(s, r);
out:
	leave(s);
	return 0;
}

// A uprobe of one process. The cookie is the number of the probe.
SEC("uprobe")
int hotspan_uprobe(struct pt_regs *ctx)
{
	take_hit(bpf_get_current_pid_tgid(), bpf_get_attach_cookie(ctx), 0, 0, 0);
	return 0;
}

// Reports whether the kernel may replace the return address of a call that a uretprobe is on. V8 finds the frames of
// its own code by return addresses, and ends the process where it meets another one: what its code calls, or code that
// is not known, must return to it as it would.
static __always_inline int may_replace(struct process *p, struct probe *probe, const struct pt_regs *regs)
{
	__u64 caller;
	if (pending_calls() >= MAX_PENDING) {
		__sync_fetch_and_add(&probe->nested, 1);
		return 0;
	}
	if (read_user(&caller, 8, regs->rsp))
		return 0;
	if (caller == trampoline())
		return 1; // a tail call: it was replaced for the function before
	int i = find_mapping(p, caller);
	if (i >= 0 && p->mappings[i & (MAX_MAPPINGS - 1)].kind == MAPPING_NATIVE)
		return 1;
	__sync_fetch_and_add(&probe->unsafe, 1);
	return 0;
}

// A uretprobe of one process: of each call this runs when it begins, to say by 0 that it is to run when that returns.
// The cookie is the number of the probe.
SEC("uprobe.session")
int hotspan_uretprobe(struct pt_regs *ctx)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 pid = id >> 32, number = bpf_get_attach_cookie(ctx);
	if (bpf_get_func_ip(ctx) != ctx->rip) {
		take_hit(id, number, 0, 0, 0);
		return 0;
	}
	struct probe *probe = bpf_map_lookup_elem(&probes, &number);
	struct process *p = bpf_map_lookup_elem(&processes, &pid);
	if (!hits_count() || !probe || !p)
		return 1;
	if (may_replace(p, probe, ctx))
		return 0;
	__sync_fetch_and_add(&probe->hits, 1);
	return 1;
}

// Each system call of each process on the machine.
SEC("tp_btf/sys_enter")
int BPF_PROG(hotspan_syscall, struct pt_regs *regs, long id)
{
	__u32 number = id, *probe = bpf_map_lookup_elem(&syscalls, &number);
	if (probe && *probe)
		take_hit(bpf_get_current_pid_tgid(), *probe, 0, 0, 0);
	return 0;
}

// A tracepoint, whoever passes it. The cookie is the number of the probe.
SEC("raw_tp/any")
int hotspan_tracepoint(__u64 *ctx)
{
	__u64 id = bpf_get_current_pid_tgid(), args;
	__u32 pid = id >> 32;
	if (!bpf_map_lookup_elem(&processes, &pid) || bpf_probe_read_kernel(&args, sizeof(args), &ctx))
		return 0;
	take_hit(id, bpf_get_attach_cookie(ctx), 0, in_own_call(args) ? 0 : NOT_IN_CALL, args);
	return 0;
}

#include "wait_programs.h"

static __always_inline void report(__u32 type, __u32 pid)
{
	struct lifecycle e = {.type = type, .pid = pid, .time = bpf_ktime_get_ns()};
	struct consumer *r = consumer();
	if (r && put(&e, sizeof(e), BPF_RB_FORCE_WAKEUP, r))
		count(COUNT_EVENT_RING_FULL, 1);
}

// A thread has ended with its isolate, and the next isolate may get its memory: what samples refer to is read before.
static __always_inline void wake(void)
{
	struct consumer *r = consumer();
	void *record = r ? bpf_ringbuf_reserve(&events, 8, 0) : NULL;
	if (!record)
		return;
	bpf_ringbuf_discard(record, BPF_RB_FORCE_WAKEUP);
	__sync_fetch_and_add(&r->wakeups, 1);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(hotspan_exec, struct task_struct *task)
{
	__u32 pid = task->tgid, all = 0;
	if (bpf_map_lookup_elem(&execs, &all) || bpf_map_lookup_elem(&execs, &pid) ||
	    bpf_map_lookup_elem(&processes, &pid))
		report(RECORD_EXEC, pid);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(hotspan_exit, struct task_struct *task)
{
	__u32 pid = task->tgid, tid = task->pid;
	if (!bpf_map_lookup_elem(&processes, &pid))
		return 0;
	bpf_map_delete_elem(&waiting, &tid);
	if (tid == pid)
		report(RECORD_EXIT, pid);
	else if (bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA))
		wake();
	return 0;
}
