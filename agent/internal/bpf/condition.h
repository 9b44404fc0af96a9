// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Which hits of a probe count, and what each stands for: by arguments of the call, or by what it returns.

#pragma once

#include <linux/types.h>
#include "kernel.h"
#include "limits.h"
#include "open_file.h"

enum comparison {
	ALWAYS,
	EQUAL,
	NOT_EQUAL,
	LESS,
	GREATER,
	LESS_OR_EQUAL,
	GREATER_OR_EQUAL,
	DESCRIBES_FILE, // the operand is a descriptor of a regular file
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
	OPERAND_RESULT, // of a system call: rax, too, where -4095 to -1 are errors
	OPERAND_ARG0, // of a tracepoint, and so on to OPERAND_ARG0 + 5
};

struct condition {
	__u64 value;
	__u32 operand;    // enum operand
	__u32 comparison; // enum comparison, of the operand with the value, both without a sign
	__u32 factors;    // of the weight of a hit: 0 = it has none, 1 = `first`, 2 = `first` times `second`
	__u32 first, second; // enum operand
	__u32 every;      // hits that have a sample together, on average; 0 = each has its own
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_SPECS);
	__type(key, __u32); // number of the probe
	__type(value, struct condition);
} conditions SEC(".maps");

// `args` is the address of a tracepoint's arguments.
static __always_inline __u64 operand(const struct pt_regs *r, __u64 args, __u32 which)
{
	__u64 value = 0;
	if (which >= OPERAND_ARG0) {
		bpf_probe_read_kernel(&value, sizeof(value), (void *)(args + 8 * (which - OPERAND_ARG0)));
		asm volatile("" : "+r"(value)); // else one instruction reads from the stack or r: an error
		return value;
	}
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
static __always_inline int meets(const struct condition *c, const struct pt_regs *regs, __u64 args)
{
	if (c->comparison == ALWAYS)
		return 1;
	__u64 value = operand(regs, args, c->operand);
	switch (c->comparison) {
	case EQUAL: return value == c->value;
	case NOT_EQUAL: return value != c->value;
	case LESS: return value < c->value;
	case GREATER: return value > c->value;
	case LESS_OR_EQUAL: return value <= c->value;
	case DESCRIBES_FILE: return is_regular_file(value);
	}
	return value >= c->value;
}

#define MAX_WEIGHT (1ULL << 40) // a register may hold anything

#define MAX_ERRNO 4095 // include/linux/err.h

// An operand as part of a weight: of an error there is nothing.
static __always_inline __u64 factor(const struct pt_regs *r, __u64 args, __u32 which)
{
	__u64 value = operand(r, args, which);
	return which == OPERAND_RESULT && value >= -(__u64)MAX_ERRNO ? 0 : value;
}

// What a hit stands for; more than MAX_WEIGHT is `odd`, and 0.
static __always_inline __u64 weight_of(const struct condition *c, const struct pt_regs *regs, __u64 args, int *odd)
{
	__u64 weight = c->factors ? factor(regs, args, c->first) : 0;
	*odd = weight > MAX_WEIGHT;
	if (c->factors == 2) {
		__u64 second = factor(regs, args, c->second);
		*odd = weight >> 32 || second >> 32 || weight * second > MAX_WEIGHT;
		weight *= second;
	}
	return *odd ? 0 : weight;
}
