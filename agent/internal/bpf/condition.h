// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Which hits of a probe count, by an argument of the call or by what it returns.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "limits.h"

enum comparison {
	ALWAYS,
	EQUAL,
	NOT_EQUAL,
	LESS,
	GREATER,
	LESS_OR_EQUAL,
	GREATER_OR_EQUAL,
};

// Registers with arguments of functions and of system calls, and with what is returned. (System V ABI, 3.2.3, A.2.1)
enum operand {
	OPERAND_RDI,
	OPERAND_RSI,
	OPERAND_RDX,
	OPERAND_RCX,
	OPERAND_R8,
	OPERAND_R9,
	OPERAND_R10,
	OPERAND_RAX,
};

struct condition {
	__u64 value;
	__u32 operand;    // enum operand
	__u32 comparison; // enum comparison, of the operand with the value, both without a sign
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_SPECS);
	__type(key, __u32); // number of the probe
	__type(value, struct condition);
} conditions SEC(".maps");

static __always_inline __u64 operand(const struct pt_regs *r, __u32 which)
{
	switch (which) {
	case OPERAND_RDI: return r->rdi;
	case OPERAND_RSI: return r->rsi;
	case OPERAND_RDX: return r->rdx;
	case OPERAND_RCX: return r->rcx;
	case OPERAND_R8: return r->r8;
	case OPERAND_R9: return r->r9;
	case OPERAND_R10: return r->r10;
	}
	return r->rax;
}

// Reports whether a hit counts.
static __always_inline int meets(__u32 probe, const struct pt_regs *regs)
{
	struct condition *c = bpf_map_lookup_elem(&conditions, &probe);
	if (!c || c->comparison == ALWAYS)
		return 1;
	__u64 value = operand(regs, c->operand);
	switch (c->comparison) {
	case EQUAL: return value == c->value;
	case NOT_EQUAL: return value != c->value;
	case LESS: return value < c->value;
	case GREATER: return value > c->value;
	case LESS_OR_EQUAL: return value <= c->value;
	}
	return value >= c->value;
}
