// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The sample of a hit of a probe, or of a wait.

#pragma once

#include "condition.h"
#include "event.h"
#include "kernel.h"
#include "limits.h"
#include "probe.h"
#include "process.h"
#include "sample.h"
#include "scratch.h"
#include "uretprobe.h"

// Samples the thread that has hit a probe, or has waited in a system call, for so long as `weight` says, if the rate
// limit admits it. `args` is where a tracepoint has its arguments. Unlike a timer's, this may be preempted by another
// thread that hits one on this CPU: the scratch is the first one's.
__noinline int take_hit(__u64 id, __u32 number, __u64 weight, __u32 call, __u64 args)
{
	if (!hits_count())
		return 0;
	__u32 key = id >> 32; // one variable: the stack is short
	struct process *p = bpf_map_lookup_elem(&processes, &key);
	key = bpf_get_smp_processor_id();
	struct scratch *s = bpf_map_lookup_elem(&scratches, &key);
	key = number;
	struct probe *probe = bpf_map_lookup_elem(&probes, &key);
	struct condition *c = bpf_map_lookup_elem(&conditions, &key);
	if (!p || !s || !probe || !c)
		return 0;
	__u64 hits = 1;
	if (!count_hit(probe, c, user_registers(), args, &weight))
		return 0;
	if (call == NOT_IN_CALL) {
		__sync_fetch_and_add(&probe->elsewhere, 1);
		return 0;
	}
	if (c->every)
		pass(probe, weight);
	else if (!admit(probe, 1))
		return 0;
	if (!enter(s)) {
		if (!c->every) // else a later sample stands for it
			__sync_fetch_and_add(&probe->overlapped, 1);
		goto out;
	}
	if (c->every) {
		hits = due(&probe->by_hits, c->every, probe->by_hits.passed);
		weight = due(&probe->by_value, c->every, probe->by_hits.passed);
		if ((!hits && !weight) || !admit(probe, hits))
			goto out;
	}
	begin_sample(s, id);
	struct sample *e = (struct sample *)s->buffer;
	e->probe = number;
	e->weight = weight;
	e->call = call;
	e->others = (__s32)hits - 1;
	find_pending(s);
	__u64 thread = thread_pointer();
	read_thread(p, s, user_registers(), thread, isolate_of(&p->v8, thread));
	struct consumer *r = consumer();
	if (r)
		put_sample(s, r);
out:
	leave(s);
	return 0;
}
