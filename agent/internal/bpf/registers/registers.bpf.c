//go:build ignore

// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Lists the threads of a process with the registers that each will go on with in user space. They are on its kernel
// stack from when it entered the kernel, so they are those of a thread that does not run now.

#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

// The user registers of a task, of x86-64: arch/x86/include/uapi/asm/ptrace.h. A fixed interface.
struct pt_regs {
	unsigned long r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
	unsigned long orig_rax, rip, cs, eflags, rsp, ss;
};

struct thread_struct {
	unsigned long fsbase;
} __attribute__((preserve_access_index));

// A process or thread has an id in each PID namespace from the first one, the kernel's, down to its own: include/linux/
// pid.h.
struct upid {
	int nr;
} __attribute__((preserve_access_index));

struct pid {
	unsigned int level; // of its own namespace
	struct upid numbers[1];
} __attribute__((preserve_access_index));

#define MAX_LEVEL 32 // include/linux/pid_namespace.h, MAX_PID_NS_LEVEL

struct task_struct {
	int on_cpu;
	unsigned long nvcsw, nivcsw;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct thread_struct thread;
} __attribute__((preserve_access_index));

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} __attribute__((preserve_access_index));

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} __attribute__((preserve_access_index));

struct thread {
	__u32 tid;
	__u32 running;   // on a CPU now
	__u64 switches;  // how often it has stopped running
	__u64 fsbase;
	__u64 ip;
	__u64 general[16]; // in the order of the System V ABI's DWARF numbers
};

__u32 pid; // of the process, in the PID namespace of who lists

// The id of a task in the PID namespace at this level.
static __u32 id(struct task_struct *task, __u32 level)
{
	void *ids = BPF_CORE_READ(task, thread_pid);
	__u32 nr = 0;
	if (!ids || level > MAX_LEVEL)
		return 0;
	bpf_probe_read_kernel(&nr, sizeof(nr), ids + bpf_core_field_offset(struct pid, numbers) +
			      level * bpf_core_type_size(struct upid) + bpf_core_field_offset(struct upid, nr));
	return nr;
}

// The kernel lists the tasks that the PID namespace of who lists has. So that is the one at its level for all of them.
// The registers are read before the count, and that before whether it runs: a thread that ran meanwhile shows in two
// calls with different registers or counts, or runs.
SEC("iter/task")
int hotspan_registers(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *seq = ctx->meta->seq;
	if (!task)
		return 0;
	struct task_struct *lister = (void *)bpf_get_current_task();
	__u32 level = BPF_CORE_READ(lister, thread_pid, level);
	if (id(task->group_leader, level) != pid)
		return 0;
	struct pt_regs r = {};
	if (bpf_probe_read_kernel(&r, sizeof(r), (void *)bpf_task_pt_regs(task)))
		return 0;
	struct thread t = {
		.tid = id(task, level), .fsbase = BPF_CORE_READ(task, thread.fsbase), .ip = r.rip,
		.general = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp,
			    r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15},
	};
	t.switches = BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);
	t.running = BPF_CORE_READ(task, on_cpu);
	bpf_seq_write(seq, &t, sizeof(t));
	return 0;
}

const struct thread *go_thread;
