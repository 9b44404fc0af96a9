// Package target gives the memory of a process that is looked at from outside. A live process, a core file and a
// recording all are an io.ReaderAt whose offsets are the target's addresses.
package target

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Live is the memory of a running process.
type Live struct {
	PID int
}

// ReadAt reads len(p) bytes at the address off. A range that is only partly mapped is an error. It needs the right to
// ptrace the process (CAP_SYS_PTRACE, or the same user and no dumpable restriction).
func (l Live) ReadAt(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	local := [1]unix.Iovec{{Base: &p[0]}}
	local[0].SetLen(len(p))
	remote := [1]unix.RemoteIovec{{Base: uintptr(off), Len: len(p)}}
	n, err := unix.ProcessVMReadv(l.PID, local[:], remote[:], 0)
	if err != nil {
		return 0, fmt.Errorf("read %d bytes at 0x%x of process %d: %w", len(p), uint64(off), l.PID, err)
	}
	if n < len(p) {
		return n, fmt.Errorf("read at 0x%x of process %d: short read (%d of %d bytes)", uint64(off), l.PID, n, len(p))
	}
	return n, nil
}
