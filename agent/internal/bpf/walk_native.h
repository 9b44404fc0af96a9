// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Frames of native code: by unwind rules, or by frame pointer. The specification is Step of package unwind.

#pragma once

#include <linux/types.h>
#include "event.h"
#include "kernel.h"
#include "memory.h"
#include "root.h"
#include "scratch.h"
#include "unwind.h"
#include "uretprobe.h"
#include "walk_state.h"

// Code without a rule, such as assembly, mostly keeps a frame pointer all the same. It is believed if the return
// address that it leads to is in code.
static __always_inline void walk_frame_pointer(struct process *p, struct scratch *s)
{
	struct walk *w = &s->walk;
	__u64 v[2];
	if (w->bp & 7 || w->bp < w->sp || read_stack(s, v, sizeof(v), w->bp)) {
		w->stop = STOP_NO_RULE;
		return;
	}
	v[1] = return_address(s, v[1], w->bp + 8);
	if (find_mapping(p, v[1]) < 0)
		w->stop = STOP_NO_RULE;
	else
		ascend(w, v[1], w->bp + 16, v[0], 0);
	w->unsure = 1;
}

// The kernel's rt_sigframe above the return address of a signal handler: ucontext.uc_mcontext.
static __always_inline void walk_signal(struct walk *w)
{
	__u64 rbp, rsp, rip;
	if (read_user(&rbp, 8, w->sp + 120) || read_user(&rsp, 8, w->sp + 160) || read_user(&rip, 8, w->sp + 168)) {
		w->stop = STOP_UNREADABLE;
		return;
	}
	ascend(w, rip, rsp, rbp, 1);
}

// 0 = *cfa holds; NO_ADDRESS = the rule does not tell it; else memory could not be read.
#define NO_ADDRESS 1

static __always_inline long canonical_frame_address(struct scratch *s, const struct row *row, __u64 *cfa)
{
	const struct walk *w = &s->walk;
	__s64 off = (__s64)row->off * 8;
	switch (row->cfa) {
	case CFA_RSP: *cfa = w->sp + off; return 0;
	case CFA_RBP: *cfa = w->bp + off; return 0;
	case CFA_PLT: *cfa = w->sp + 8 + ((__s64)(w->pc & 15) >= row->off ? 8 : 0); return 0;
	case CFA_DEREF:
	case CFA_DEREF_FP:
		if (read_user(cfa, 8, (row->cfa == CFA_DEREF ? w->sp : w->bp) + off))
			return -1;
		*cfa += 8;
		return 0;
	case CFA_DEREF_R9:
		if (!w->leaf || read_user(cfa, 8, w->sp + s->registers[9] * 8 + off))
			return -1;
		*cfa += 8;
		return 0;
	case CFA_DEREF_RBP: return read_user(cfa, 8, w->bp + off);
	}
	if (row->cfa >= CFA_REGISTERS || !w->leaf)
		return NO_ADDRESS;
	*cfa = s->registers[row->cfa & 15] + off;
	return 0;
}

static __always_inline long caller_bp(const struct walk *w, const struct row *row, __u64 cfa, __u64 *bp)
{
	switch (row->rbp) {
	case RBP_SAME: *bp = w->bp; return 0;
	case RBP_LOST: *bp = 0; return 0;
	case RBP_AT_RBP: return read_user(bp, 8, w->bp);
	}
	return read_user(bp, 8, cfa + row->rbp * 8LL);
}

// Notes how a frame leads to its caller where only the words on the stack tell that which are noted.
static __always_inline void link_caller(struct scratch *s, const struct row *row, __u64 cfa, __u64 pc, __u64 bp)
{
	if (row->cfa != CFA_RSP && row->cfa != CFA_RBP && row->cfa != CFA_PLT)
		return;
	switch (row->rbp) {
	case RBP_SAME:
	case RBP_LOST: link_root(s, cfa - 8, pc, 0, bp); return;
	case RBP_AT_RBP: link_root(s, cfa - 8, pc, s->walk.bp, bp); return;
	}
	link_root(s, cfa - 8, pc, cfa + row->rbp * 8LL, bp);
}

// The return address and the caller's frame pointer: next to each other in most frames.
static __always_inline void walk_cfa(struct scratch *s, const struct row *row, __u64 cfa)
{
	struct walk *w = &s->walk;
	__u64 v[2];
	long bad;
	if (row->rbp == RBP_NEXT)
		bad = read_stack(s, v, sizeof(v), cfa - 16);
	else
		bad = read_stack(s, &v[1], 8, cfa - 8) || caller_bp(w, row, cfa, &v[0]);
	if (rarely(bad)) {
		w->stop = STOP_UNREADABLE;
		return;
	}
	v[1] = return_address(s, v[1], cfa - 8);
	link_caller(s, row, cfa, v[1], v[0]);
	ascend(w, v[1], cfa, v[0], 0);
}

static __always_inline void walk_row(struct process *p, struct scratch *s, const struct row *row)
{
	struct walk *w = &s->walk;
	__u64 cfa;
	if (row->cfa == CFA_END) {
		w->stop = STOP_ROOT;
		return;
	}
	if (rarely(row->cfa == CFA_SIGNAL)) {
		walk_signal(w);
		return;
	}
	long bad = canonical_frame_address(s, row, &cfa);
	if (!rarely(bad))
		walk_cfa(s, row, cfa);
	else if (bad == NO_ADDRESS)
		walk_frame_pointer(p, s);
	else
		w->stop = STOP_UNREADABLE;
}
