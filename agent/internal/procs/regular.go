package procs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// Errors of opening what a process names.
var (
	errNotRegular = errors.New("not a regular file")
	errKernelFile = errors.New("a file of the kernel's own file systems")
)

// openRegular opens what a descriptor of O_PATH stands for, if that is a regular file of a real file system. It never
// blocks, and runs no driver: a FIFO, a device or the kernel's log is only looked at.
func openRegular(fd int, name string) (*os.File, *unix.Stat_t, error) {
	fail := func(op string, err error) (*os.File, *unix.Stat_t, error) {
		return nil, nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	st := &unix.Stat_t{}
	if err := unix.Fstat(fd, st); err != nil {
		return fail("stat", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return fail("open", errNotRegular)
	}
	var in unix.Statfs_t
	if err := unix.Fstatfs(fd, &in); err != nil {
		return fail("statfs", err)
	}
	if slices.Contains(kernelFileSystems, int64(in.Type)) {
		return fail("open", errKernelFile)
	}
	// O_NONBLOCK: a lease that another process holds would block for as long as /proc/sys/fs/lease-break-time says
	again, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return fail("open", err)
	}
	// Without O_NONBLOCK package os does not poll the file: Close would wait for a read that does not end.
	if err := unix.SetNonblock(again, false); err != nil {
		unix.Close(again)
		return fail("open", err)
	}
	return os.NewFile(uintptr(again), name), st, nil
}

// kernelFileSystems hold files whose reading may block, or tells what root only may know.
// (include/uapi/linux/magic.h)
var kernelFileSystems = []int64{
	unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC,
	unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.BPF_FS_MAGIC, unix.EFIVARFS_MAGIC, unix.PSTOREFS_MAGIC,
}
