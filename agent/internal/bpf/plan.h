// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Plans: which properties rules ask for of the objects of a node that have one hidden class. One takes a line of the
// CPU's caches, where the shape, the node and its edges take five or more.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "limits.h"
#include "memory.h"
#include "process.h"
#include "scratch.h"

// The key of a plan: no address has the bits of the node.
static __always_inline __u64 plan_key(const struct scratch *s, __u64 hidden_class, __u32 node)
{
	return KEY_OF(s, hidden_class) ^ (__u64)node << 56;
}

// Where plans for objects of a node that have a hidden class are kept.
static __always_inline struct plan *plans_at(struct scratch *s, __u64 hidden_class, __u32 node)
{
	return s->plans[PLACE_OF(hidden_class + (node << 3), MAX_PLANS)];
}

// What is known of these; 0 = nothing.
static __always_inline const struct plan *find_plan(struct scratch *s, __u64 hidden_class, __u32 node)
{
	const struct plan *plan = plans_at(s, hidden_class, node);
	__u64 key = plan_key(s, hidden_class, node);
	return plan->key == key || (++plan)->key == key ? plan : 0;
}

// The steps from a node that are put together.
struct planning {
	struct scratch *scratch;
	const struct process *process;
	struct plan *plan;
	const struct node *node;
	__u32 too_many;
};

static __always_inline void add_step(struct plan *plan, const struct step *step)
{
	plan->steps[plan->n & (MAX_PLANNED - 1)] = *step;
	plan->n++;
}

static long plan_next(__u32 i, void *context)
{
	struct planning *x = context;
	const struct edge *e = &x->process->edges[(x->node->first + i) & (MAX_EDGES - 1)];
	__u16 slot = x->scratch->shape.slots[e->name & (MAX_SLOTS - 1)];
	if (e->kind != EDGE_PROPERTY || !slot)
		return 0;
	x->too_many = x->plan->n >= MAX_PLANNED;
	if (x->too_many)
		return 1;
	struct step step = {slot, e->to, e->label, e->unless, e->value};
	add_step(x->plan, &step);
	return 0;
}

// Keeps the steps from objects of a node that have a hidden class, whose shape is in scratch->shape; of NO_NODE where
// the name of an AsyncLocalStorage is.
__noinline int keep_plan(const struct process *p, struct scratch *s, __u64 class, __u32 node, __u32 type)
{
	if (!p || !s || s->guessed)
		return 0;
	struct plan *plan = plans_at(s, class, node);
	struct planning x = {.scratch = s, .process = p, .plan = plan};
	plan[1] = plan[0];
	plan->key = plan->n = 0;
	plan->type = type;
	plan->start = s->start;
	plan->guards = s->shape.guards;
	if (node == NO_NODE) {
		struct step name = {.slot = s->shape.slots[p->storage_name & (MAX_SLOTS - 1)]};
		add_step(plan, &name);
	} else {
		x.node = &p->nodes[node & (MAX_NODES - 1)];
		bpf_loop(x.node->n_edges, plan_next, &x, 0);
	}
	if (!x.too_many)
		plan->key = plan_key(s, class, node);
	return 0;
}
