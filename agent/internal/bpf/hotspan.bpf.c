//go:build ignore

// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The kernel half of hotspan. A timer fires on a CPU, or a thread hits a probe; if the process is one that is profiled,
// the thread's stack is walked and its request context is read, and both go into the ring buffer.

#include "event.h"
#include "hit.h"
#include "kernel.h"
#include "limits.h"
#include "mirrors.h"
#include "off_cpu.h"
#include "probe.h"
#include "process.h"
#include "sample.h"
#include "scratch.h"
#include "tracepoint.h"
#include "uretprobe.h"
#include "wait_programs.h"
#include "walk_state.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

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
	int i = -1;
	if (!read_user(&caller, 8, regs->rsp)) {
		if (caller == trampoline())
			return 1; // a tail call: it was replaced for the function before
		i = find_mapping(p, caller);
	}
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

// The end of each system call. Its registers are those that it began with, but for the result.
SEC("tp_btf/sys_exit")
int BPF_PROG(hotspan_syscall_end, struct pt_regs *regs)
{
	__u32 number = regs->orig_rax, *probe = bpf_map_lookup_elem(&syscall_ends, &number);
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

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1024);
	__type(key, __u32); // pid whose execve is reported, beside those in `processes`; 0 = all
	__type(value, __u8);
} execs SEC(".maps");

static __always_inline void report(__u32 type, __u32 pid)
{
	struct lifecycle e = {.type = type, .pid = pid, .time = bpf_ktime_get_ns()};
	struct consumer *r = consumer();
	if (r && put(&e, sizeof(e), BPF_RB_FORCE_WAKEUP, r))
		count(COUNT_EVENT_RING_FULL, 1);
}

// A thread has ended with its isolate, and the next isolate may get its memory; or other code is where code was. What
// samples refer to is read before.
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

// A thread exits. The process ends with the last of its threads, which need not be the first one. (Linux, do_exit)
SEC("tp_btf/sched_process_exit")
int BPF_PROG(hotspan_exit, struct task_struct *task)
{
	__u32 pid = task->tgid, tid = task->pid;
	if (!bpf_map_lookup_elem(&processes, &pid))
		return 0;
	bpf_map_delete_elem(&waiting, &tid);
	struct consumer *r = consumer();
	if (r)
		r->ended[pid & (MAX_ENDED - 1)] = bpf_ktime_get_ns();
	if (!BPF_CORE_READ(task, signal, live.counter))
		report(RECORD_EXIT, pid);
	else if (bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA))
		wake();
	return 0;
}

// The number of the first mapping that does not end before an address. It is written out, since the program has to do
// without functions of its own: see kernelbtf.
static __always_inline __u32 first_mapping(const struct process *p, __u64 at)
{
	__u32 low = 0, high = p->n_mappings;
	for (int i = 0; i < 10; i++) {
		__u32 middle = (low + high) / 2 & (MAX_MAPPINGS - 1);
		if (low < high && p->mappings[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// The kernel has found memory for a process that asked for some, anywhere. If code of a file was there, the process has
// unloaded that: nothing is known of these addresses until hotspan has read the mappings again. Nor is of any, if it
// was the code of many files.
SEC("tp_btf/vm_unmapped_area")
int BPF_PROG(hotspan_map, unsigned long start, struct vm_unmapped_area_info *info)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	struct process *p = bpf_map_lookup_elem(&processes, &pid);
	struct consumer *r = consumer();
	if (!p || !r || BAD_PC(start)) // no address: there was no room
		return 0;
	__u64 end = start + info->length, now = bpf_ktime_get_ns();
	__u32 at = first_mapping(p, start), n = p->n_mappings, replaced = 0;
	for (int i = 0; i < MAX_GONE && at < n; i++, at++) {
		struct mapping *m = &p->mappings[at & (MAX_MAPPINGS - 1)];
		int many = i == MAX_GONE - 1; // there may be more
		if (m->start >= end)
			break;
		if (in_v8(m) && !many)
			continue;
		replaced = 1;
		r->replaced[p->id & (MAX_REPLACED - 1)] = now; // first: see putProcess
		p->generation = 0;
		if (many)
			p->n_mappings = 0;
		else
			m->kind = MAPPING_GONE;
	}
	if (replaced && bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA))
		wake();
	return 0;
}
