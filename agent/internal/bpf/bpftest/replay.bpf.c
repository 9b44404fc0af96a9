//go:build ignore

// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The BPF program of hotspan.bpf.c with one entry more, which takes a sample of memory that a test has put into its own
// address space, and keeps a log of what it reads. Tests load it, hotspan does not.

#include "kernel.h"

#define MAX_READS 0x10000 // a power of two

struct read {
	__u64 at;
	__u64 size;
};

__u64 n_reads;
struct read reads[MAX_READS];

static __always_inline void log_read(__u64 at, __u64 size)
{
	struct read *r = &reads[n_reads++ & (MAX_READS - 1)];
	r->at = at;
	r->size = size;
}

#define ON_READ log_read
#define SCRATCH 0
#include "hotspan.bpf.c"

// A thread, stopped.
struct replay_thread {
	__u32 pid; // key of `processes`
	__u32 pad;
	__u64 isolate; // 0 = the one that its thread-local says
	__u64 fs_base;
	struct pt_regs registers;
};

// Leaves the record in the first of the scratches and returns its size; -1 if the process is not known.
SEC("syscall")
int hotspan_replay(struct replay_thread *thread)
{
	__u32 pid = thread->pid, first = 0;
	struct process *p = bpf_map_lookup_elem(&processes, &pid);
	struct scratch *s = bpf_map_lookup_elem(&scratches, &first);
	if (!p || !s)
		return -1;
	n_reads = 0;
	begin_sample(s, (__u64)pid << 32 | pid);
	__u64 isolate = thread->isolate;
	if (!isolate)
		isolate = isolate_of(&p->v8, thread->fs_base);
	read_thread(p, s, &thread->registers, thread->fs_base, isolate);
	return s->end;
}

const struct replay_thread go_replay_thread;
