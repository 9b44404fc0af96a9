// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Tracepoints of the kernel, which interrupts pass, too: then the current thread is whichever was interrupted.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "off_cpu.h"

// Reports whether the kernel does for the current thread what a system call of its asks for. Then it is on the thread's
// kernel stack: an interrupt in the kernel, and what it leaves to softirqs, has a stack of its CPU (Linux,
// arch/x86/include/asm/irq_stack.h), and an NMI one of its own. On the same stack are interrupts and faults of user
// code, which is no call. `args` is where bpf_trace_runN has put the tracepoint's arguments: an address on the stack
// that the tracepoint is passed on, unlike those of BPF's own stack, which may be elsewhere.
static __noinline int in_own_call(__u64 args)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	__u64 from = (__u64)BPF_CORE_READ(task, stack), to; // below the registers of user code
	if (bpf_probe_read_kernel(&to, sizeof(to), &regs))
		return 0;
	// a worker of io_uring has registers of the thread that made it, but no instruction to go back to
	return args >= from && args < to && in_call(task) && regs->rip;
}
