// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Probes: places whose hits are sampled, and how many of the hits.

#pragma once

#include <linux/types.h>
#include "condition.h"
#include "every.h"
#include "kernel.h"
#include "limits.h"
#include "scratch.h"

#define SECOND 1000000000ULL

// What a CPU knows of a probe. Additions are atomic: a thread that is preempted in one resumes on the same CPU.
struct probe {
	__u64 interval;   // nanoseconds between two samples on this CPU, on average; of number 0: 0 = no hit counts
	__u64 next;       // when the next sample would be on time, CLOCK_MONOTONIC, nanoseconds
	__u64 hits;       // of processes that are profiled, where the condition is met
	__u64 unmet;      // the others of such processes
	__u64 weight;     // sum over hits
	__u64 odd;        // hits that have no weight, since it would be too large
	__u64 limited;    // of them without a sample, because of the interval
	__u64 overlapped; // of them without a sample, because another was being taken on this CPU
	__u64 nested;     // of them without a sample, because the kernel keeps no more calls of the thread
	__u64 unsafe;     // of them without a sample, because V8's code is to return to, or code that is not known
	__u64 elsewhere;  // of them without a sample, because the thread is in no system call
	struct stride by_hits, by_value; // where not each hit is to have a sample
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MAX_SPECS);
	__type(key, __u32); // number of the probe, from 1 on; 0 = all of them
	__type(value, struct probe);
} probes SEC(".maps");

// Probes on system calls: where they begin, and where they end.
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_SYSCALLS);
	__type(key, __u32);   // number of the system call
	__type(value, __u32); // of the probe; 0 = none
} syscalls SEC(".maps"), syscall_ends SEC(".maps");

// Reports whether hits count yet, and still do.
static __always_inline int hits_count(void)
{
	__u32 all = 0;
	struct probe *p = bpf_map_lookup_elem(&probes, &all);
	return p && p->interval;
}

// Counts a hit, and returns 1 if it meets its condition. A weight of 0 becomes that of the hit.
static __always_inline int count_hit(struct probe *p, const struct condition *c, const struct pt_regs *regs, __u64 args,
				     __u64 *weight)
{
	if (!meets(c, regs, args)) {
		__sync_fetch_and_add(&p->unmet, 1);
		return 0;
	}
	if (!*weight) {
		int odd;
		*weight = weight_of(c, regs, args, &odd);
		__sync_fetch_and_add(&p->weight, *weight);
		__sync_fetch_and_add(&p->odd, odd);
	}
	__sync_fetch_and_add(&p->hits, 1);
	return 1;
}

// Counts a hit for which a later one may have the sample.
static __always_inline void pass(struct probe *p, __u64 weight)
{
	__sync_fetch_and_add(&p->by_hits.passed, 1);
	__sync_fetch_and_add(&p->by_value.passed, weight);
}

// Reports whether so many hits have a sample: those of a second on average, and after a pause so many at once.
// (the generic cell rate algorithm: ITU-T I.371, annex A)
static __always_inline int admit(struct probe *p, __u64 hits)
{
	__u64 now = bpf_ktime_get_ns(), at = p->next > now ? p->next : now;
	if (at + p->interval > now + SECOND) {
		__sync_fetch_and_add(&p->limited, hits);
		return 0;
	}
	p->next = at + p->interval;
	return 1;
}

// Reports whether nobody else uses a scratch. Each call needs one of leave.
static __always_inline int enter(struct scratch *s)
{
	__sync_fetch_and_add(&s->users, 1);
	return *(volatile __u32 *)&s->users == 1;
}

static __always_inline void leave(struct scratch *s) { __sync_fetch_and_add(&s->users, -1); }
