// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The few things of the kernel that the BPF program uses. Offsets are relocated at load time from the kernel's BTF, so
// these structs name only the members that are read.

#pragma once

#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

// What is so in few samples: the compiler puts what follows apart from what all samples execute, whose code is then in
// fewer lines of the CPU's caches.
#define rarely(condition) __builtin_expect(!!(condition), 0)

// The user registers of a task, of x86-64: arch/x86/include/uapi/asm/ptrace.h. A fixed interface.
struct pt_regs {
	unsigned long r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
	unsigned long orig_rax, rip, cs, eflags, rsp, ss;
};

struct bpf_perf_event_data {
	struct pt_regs regs;
	__u64 sample_period;
	__u64 addr;
};

struct thread_struct {
	unsigned long fsbase;
} __attribute__((preserve_access_index));

struct xol_area {
	unsigned long vaddr; // of the trampoline to which functions with a uretprobe return
} __attribute__((preserve_access_index));

struct uprobes_state {
	struct xol_area *xol_area;
} __attribute__((preserve_access_index));

struct mm_struct {
	struct uprobes_state uprobes_state;
} __attribute__((preserve_access_index));

// A call of a function with a uretprobe, which has not returned.
struct return_instance {
	unsigned long stack;          // where its return address was
	unsigned long orig_ret_vaddr; // what that was
	struct return_instance *next; // the call before it
} __attribute__((preserve_access_index));

struct uprobe_task {
	unsigned int depth; // how many calls are pending
	struct return_instance *return_instances;
} __attribute__((preserve_access_index));

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live; // threads of the process that have not begun to exit
} __attribute__((preserve_access_index));

struct inode {
	unsigned short i_mode;
} __attribute__((preserve_access_index));

struct file {
	struct inode *f_inode;
} __attribute__((preserve_access_index));

// What memory a process asks for.
struct vm_unmapped_area_info {
	unsigned long length;
} __attribute__((preserve_access_index));

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} __attribute__((preserve_access_index));

struct files_struct {
	struct fdtable *fdt;
} __attribute__((preserve_access_index));

struct task_struct {
	int pid;
	int tgid;
	unsigned int flags;
	unsigned long jobctl;
	__u64 start_time;
	struct signal_struct *signal;
	void *stack; // lowest address of its kernel stack
	struct mm_struct *mm;
	struct files_struct *files;
	struct uprobe_task *utask; // 0 = the thread has never hit a uprobe
	char comm[16];
	struct thread_struct thread;
} __attribute__((preserve_access_index));
