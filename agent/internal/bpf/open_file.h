// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// What a descriptor of the current thread is open on.

#pragma once

#include <linux/types.h>
#include "kernel.h"

#define TYPE_OF_FILE 0170000 // include/uapi/linux/stat.h: S_IFMT
#define REGULAR_FILE 0100000 // S_IFREG

// Reports whether a descriptor is open on a regular file. What has no name, such as an eventfd, has no type.
static __always_inline int is_regular_file(__u32 descriptor)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd), *file;
	if (descriptor >= BPF_CORE_READ(table, max_fds) ||
	    bpf_probe_read_kernel(&file, sizeof(file), files + descriptor))
		return 0;
	return (BPF_CORE_READ(file, f_inode, i_mode) & TYPE_OF_FILE) == REGULAR_FILE;
}
