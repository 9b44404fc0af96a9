// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Time off the CPU: how long the threads of profiled processes wait, in which system call or page fault.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "limits.h"
#include "process.h"

#define PF_EXITING 4 // include/linux/sched.h
#define OFF_CPU 1    // number of the probe that bounds the samples of waits
#define TASK_INTERRUPTIBLE 1 // include/linux/sched.h
#define TASK_BLOCKED 3       // interruptible or not: neither stopped, nor ready to run
#define JOBCTL_TRAP_FREEZE (1 << 23) // include/linux/sched/jobctl.h

// Why a thread has left its CPU.
enum leave_state {
	LEFT_UNSEEN,  // before its waits counted
	LEFT_BLOCKED, // to wait for something, or since another thread had its CPU
	LEFT_STOPPED, // by a signal, a debugger or the freezer of its control group
};

// What a thread of a profiled process waits for. Times are CLOCK_MONOTONIC, nanoseconds.
struct waiting {
	__u64 left;   // when it left its CPU; 0 = it is on one
	__u64 ready;  // when it could run again; 0 = not yet
	__u64 waited; // nanoseconds that it has waited in its system call
	__u64 fault;  // nanoseconds that it has waited in a page fault of its code
	__u32 state;   // enum leave_state
	__u32 process; // process.id: after an execve the thread is another one's
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); // the loader makes it MAX_WAITING, if waits are sampled
	__type(key, __u32);     // thread
	__type(value, struct waiting);
} waiting SEC(".maps");

// Sums of one CPU, in nanoseconds. Where a program may be preempted, additions are atomic.
struct wait_times {
	__u64 since;     // of waits that had begun before: when waits began to count; 0 = they do not
	__u64 shortest;  // wait that is sampled
	__u64 ended;     // waited in system calls and page faults that have ended
	__u64 brief;     // of that, shorter than `shortest`
	__u64 elsewhere; // waited outside of these: stopped, or in a page fault that has not ended
	__u64 ready;     // waited for a CPU
	__u64 unknown;   // threads without a place in `waiting`; a number
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wait_times);
} wait_times SEC(".maps");

static __always_inline struct wait_times *wait_times_here(void)
{
	__u32 only = 0;
	struct wait_times *t = bpf_map_lookup_elem(&wait_times, &only);
	return t && t->since ? t : NULL;
}

// Returns what is known of a thread's waiting. One that nothing was known of has been off the CPU, unless it is on one,
// since it began, or since hotspan looks at its process: else it would be known.
static __always_inline struct waiting *waiting_of(struct task_struct *task, const struct process *p,
						  struct wait_times *t, int on_cpu)
{
	__u32 tid = task->pid;
	struct waiting *w = bpf_map_lookup_elem(&waiting, &tid);
	if ((w && w->process == p->id) || task->flags & PF_EXITING)
		return w;
	struct waiting new = {.left = t->since > p->since ? t->since : p->since, .process = p->id};
	if (task->start_time > new.left)
		new.left = new.ready = task->start_time;
	if (on_cpu)
		new.left = 0;
	if (w)
		*w = new;
	else if (bpf_map_update_elem(&waiting, &tid, &new, BPF_NOEXIST))
		__sync_fetch_and_add(&t->unknown, 1);
	return bpf_map_lookup_elem(&waiting, &tid);
}

// Reports whether a thread that is not on a CPU is in a system call, and not in a fault or an interrupt of its code.
// (Linux, arch/x86/entry: these set orig_ax to -1)
static __always_inline int in_call(struct task_struct *task)
{
	struct pt_regs *r = (struct pt_regs *)bpf_task_pt_regs(task);
	return (long)r->orig_rax >= 0;
}

static __always_inline void gets_cpu(struct task_struct *task, struct waiting *w, struct wait_times *t, __u64 now)
{
	__u64 left = w->left, ready = w->ready ? w->ready : now;
	w->left = 0;
	if (!left)
		return;
	if (ready < left) // the clocks of two CPUs may differ by nanoseconds (kernel/time/timekeeping.c, tk_fast)
		ready = left;
	if (ready < now)
		__sync_fetch_and_add(&t->ready, now - ready);
	if (in_call(task) && w->state != LEFT_STOPPED) {
		w->waited += ready - left;
		return;
	}
	__sync_fetch_and_add(&t->elsewhere, ready - left);
	if (w->state == LEFT_BLOCKED)
		w->fault += ready - left;
}

// Makes good that nothing has told when a thread got the CPU that it is on: the kernel of a virtual machine may hide
// threads of its own, and run no program where these leave a CPU. What the thread has waited in has not ended yet. How
// long it was ready, if it had lost its CPU before, is not known.
static __always_inline void has_cpu(struct task_struct *task, struct waiting *w, struct wait_times *t, __u64 now)
{
	if (w->left && w->ready != w->left)
		gets_cpu(task, w, t, now);
	w->left = 0;
}

// Notes that this thread has its CPU. It is a function, so that the stack of a sample does not come on top of its own.
static __noinline int current_has_cpu(struct waiting *w, struct wait_times *t)
{
	has_cpu(bpf_get_current_task_btf(), w, t, bpf_ktime_get_ns());
	return 0;
}

// Reports whether a thread that leaves its CPU is stopped. It does that on its way from a system call to user code, so
// that by its registers it is still in the call. In the freezer's trap it looks as if it waited, but there is no other
// wait that a signal could end while the trap is due: that is a signal itself. (Linux, kernel/signal.c,
// do_freezer_trap)
static __always_inline int is_stopped(const struct task_struct *task, __u32 state)
{
	return !(state & TASK_BLOCKED) || ((state & TASK_INTERRUPTIBLE) && (task->jobctl & JOBCTL_TRAP_FREEZE));
}

static __always_inline void leaves_cpu(struct task_struct *task, struct waiting *w, struct wait_times *t, __u64 now,
				       int runs_on, __u32 state)
{
	has_cpu(task, w, t, now);
	w->state = !runs_on && is_stopped(task, state) ? LEFT_STOPPED : LEFT_BLOCKED;
	w->ready = runs_on ? now : 0;
	w->left = now;
}
