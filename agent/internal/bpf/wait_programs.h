// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The programs that measure time off the CPU, and sample waits when they end.

#pragma once

#include "hit.h"
#include "kernel.h"
#include "off_cpu.h"
#include "process.h"
#include "sample.h"

// Each time that a CPU goes from one thread to another.
SEC("tp_btf/sched_switch")
int BPF_PROG(hotspan_switch, _Bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int state)
{
	struct wait_times *t = wait_times_here();
	if (!t)
		return 0;
	__u64 now = bpf_ktime_get_ns();
	__u32 pid = prev->tgid;
	struct process *p = bpf_map_lookup_elem(&processes, &pid);
	struct waiting *w = p ? waiting_of(prev, p, t, 1) : NULL;
	if (w)
		leaves_cpu(prev, w, t, now, preempt || !state, state);
	pid = next->tgid;
	p = bpf_map_lookup_elem(&processes, &pid);
	w = p ? waiting_of(next, p, t, 0) : NULL;
	if (w)
		gets_cpu(next, w, t, now);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(hotspan_wakeup, struct task_struct *task)
{
	struct wait_times *t = wait_times_here();
	__u32 pid = task->tgid;
	struct process *p = t ? bpf_map_lookup_elem(&processes, &pid) : NULL;
	struct waiting *w = p ? waiting_of(task, p, t, 0) : NULL;
	if (w && w->left && !w->ready)
		w->ready = bpf_ktime_get_ns();
	return 0;
}

static __always_inline void take_wait(__u64 id, __u64 waited, __u32 call, struct wait_times *t)
{
	__sync_fetch_and_add(&t->ended, waited);
	if (waited < t->shortest)
		__sync_fetch_and_add(&t->brief, waited);
	else
		take_hit(id, OFF_CPU, waited, call, 0);
}

// The end of each system call. Its registers are those that it began with, but for the result. A page fault that the
// thread has waited in before was that of a signal, whose handler ends by a system call, too.
SEC("tp_btf/sys_exit")
int BPF_PROG(hotspan_call_end, struct pt_regs *regs, long result)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 key = id;
	struct waiting *w = bpf_map_lookup_elem(&waiting, &key);
	if (!w)
		return 0;
	struct wait_times *t = wait_times_here();
	if (t && w->left)
		current_has_cpu(w, t);
	w->fault = 0;
	if (!w->waited || !hits_count())
		return 0;
	__u64 waited = w->waited;
	w->waited = 0;
	if (t)
		take_wait(id, waited, regs->orig_rax, t);
	return 0;
}

// The end of each page fault, major or minor, that was handled: the kernel counts it then (mm/memory.c,
// mm_account_fault). The thread goes on where it was.
SEC("perf_event")
int hotspan_fault_end(struct bpf_perf_event_data *ctx)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 key = id;
	struct waiting *w = bpf_map_lookup_elem(&waiting, &key);
	struct wait_times *t = wait_times_here();
	if (!w || !t)
		return 0;
	if (w->left)
		current_has_cpu(w, t);
	if (!w->fault || in_call(bpf_get_current_task_btf()) || !hits_count())
		return 0;
	__u64 waited = w->fault;
	w->fault = 0;
	__sync_fetch_and_add(&t->elsewhere, -waited);
	take_wait(id, waited, PAGE_FAULT, t);
	return 0;
}
