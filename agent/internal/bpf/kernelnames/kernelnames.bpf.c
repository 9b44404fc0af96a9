//go:build ignore

// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// Names the function of the kernel that an address is in, as the kernel's own messages do.

#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

// "function [module]": at most what the kernel itself has room for (include/linux/kallsyms.h, KSYM_SYMBOL_LEN).
char name[768];

struct request {
	__u64 address;
};

// Returns the length of the name with its end.
SEC("syscall")
int hotspan_kernel_name(struct request *r)
{
	__u64 address = r->address;
	return BPF_SNPRINTF(name, sizeof(name), "%ps", address);
}
