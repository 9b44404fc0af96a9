// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Return addresses on the stack that the kernel has replaced. While a function with a uretprobe runs, its caller's
// address is that of a trampoline, and the kernel keeps the real one. (Linux, kernel/events/uprobes.c,
// prepare_uretprobe)

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "scratch.h"

#define MAX_PENDING 64 // calls of one thread that the kernel keeps at most: MAX_URETPROBE_DEPTH

static __always_inline __u64 trampoline(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	return BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
}

// Prepares the walk of the current thread.
static __always_inline void find_pending(struct scratch *s)
{
	s->pending = s->trampoline = 0;
	if (!bpf_core_type_exists(struct return_instance))
		return;
	struct uprobe_task *uprobes = bpf_get_current_task_btf()->utask;
	if (!uprobes)
		return;
	s->pending = (__u64)BPF_CORE_READ(uprobes, return_instances);
	if (s->pending)
		s->trampoline = trampoline();
}

// How many calls of the current thread are pending.
static __always_inline __u32 pending_calls(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct uprobe_task *uprobes = BPF_CORE_READ(task, utask);
	return uprobes ? BPF_CORE_READ(uprobes, depth) : 0;
}

// The search for the call whose return address was at a place on the stack.
struct call_search {
	struct scratch *scratch;
	__u64 at, address; // 0 = it was not found
};

static long compare_call(__u32 i, void *context)
{
	struct call_search *x = context;
	struct return_instance *call = (void *)x->scratch->pending;
	if (!call)
		return 1;
	if (BPF_CORE_READ(call, stack) == x->at) {
		x->address = BPF_CORE_READ(call, orig_ret_vaddr);
		return 1;
	}
	x->scratch->pending = (__u64)BPF_CORE_READ(call, next);
	return 0;
}

// The address that the trampoline has replaced at a place on the stack; 0 = not known. The kernel's list has the last
// call first, as the walk does; what it passes over was left by longjmp, or has the same place because of a tail call.
__noinline __u64 replaced(struct scratch *s, __u64 at)
{
	if (!s || !bpf_core_type_exists(struct return_instance))
		return 0;
	struct call_search x = {.scratch = s, .at = at};
	bpf_loop(MAX_PENDING, compare_call, &x, 0);
	return x.address;
}

// The return address that was read at a place on the stack, or the one that it stands for.
static __always_inline __u64 return_address(struct scratch *s, __u64 pc, __u64 at)
{
	return rarely(s->trampoline && pc == s->trampoline) ? replaced(s, at) : pc;
}
