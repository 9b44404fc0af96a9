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

struct task_struct {
	int pid;
	int tgid;
	int on_cpu;
	unsigned long nvcsw, nivcsw;
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

const volatile __u32 pid;

// The registers are read before the count, and that before whether it runs: a thread that ran meanwhile shows in two
// calls with different registers or counts, or runs.
SEC("iter/task")
int hotspan_registers(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *seq = ctx->meta->seq;
	if (!task || task->tgid != pid)
		return 0;
	struct pt_regs r = {};
	if (bpf_probe_read_kernel(&r, sizeof(r), (void *)bpf_task_pt_regs(task)))
		return 0;
	struct thread t = {
		.tid = task->pid, .fsbase = BPF_CORE_READ(task, thread.fsbase), .ip = r.rip,
		.general = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp,
			    r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15},
	};
	t.switches = BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);
	t.running = BPF_CORE_READ(task, on_cpu);
	bpf_seq_write(seq, &t, sizeof(t));
	return 0;
}

const struct thread *go_thread;
