// Package target gives the memory of a process that is looked at from outside, as an io.ReaderAt whose offsets are
// addresses of the process: Live reads a running one, a Recording what was kept of a stopped thread.
//
// Addresses are 64-bit; an address is converted to the int64 of ReadAt as it is. Registers are those of x86-64.
package target

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Live is the memory of a running process. It is safe for concurrent use, and needs no closing.
type Live struct {
	PID  int  // or the id of one of its threads: when that has ended, every read is the error ESRCH
	Wait bool // read on the calling thread, for as long as a page takes to come
}

// ReadAt reads len(p) bytes at the address off, with a system call (process_vm_readv) for each 256 KiB. A range that is
// only partly mapped is an error, as for any io.ReaderAt; n says how much was read. Without Wait it waits for pages for
// a second at most, and for three in a minute for those of all processes of the same user: then the error is ErrSlow,
// as for all reads of the process until a minute after this one has ended. That the machine is busy does not count. It
// needs the right to ptrace the process: CAP_SYS_PTRACE, or the same user and a process that is dumpable.
func (l Live) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		var some int
		some, err = l.readPiece(p[n:min(len(p), n+maxIdleBuffer)], off+int64(n))
		n += some
	}
	return n, err
}

func (l Live) readPiece(p []byte, off int64) (n int, err error) {
	r := newReader()
	r.size(len(p))
	r.remote = append(r.remote[:0], unix.RemoteIovec{Base: uintptr(off), Len: len(p)})
	if err = r.run(l.PID, l.Wait); err == nil {
		n, err = max(r.n, 0), r.err
		copy(p, r.buffer[:n])
		r.release()
	}
	if err != nil {
		return 0, fmt.Errorf("read %d bytes at 0x%x of process %d: %w", len(p), uint64(off), l.PID, err)
	}
	if n < len(p) {
		return n, fmt.Errorf("read at 0x%x of process %d: short read (%d of %d bytes)", uint64(off), l.PID, n, len(p))
	}
	return n, nil
}

// maxParts is how many ranges one system call reads. (Linux, UIO_MAXIOV)
const maxParts = 1024

// ReadParts reads ranges, in their order, until one of them cannot be read whole, and returns how many it has read. It
// takes one system call for each 1,024 ranges. The error is that of the range that follows; no buffer may be empty.
func (l Live) ReadParts(parts []Part) (n int, err error) {
	for n < len(parts) {
		r := newReader()
		size := 0
		r.remote = r.remote[:0]
		some := parts[n:min(len(parts), n+maxParts)]
		for _, p := range some {
			r.remote = append(r.remote, unix.RemoteIovec{Base: uintptr(p.At), Len: len(p.To)})
			size += len(p.To)
		}
		r.size(size)
		err := r.run(l.PID, l.Wait)
		if err != nil {
			return n, fmt.Errorf("read memory of process %d: %w", l.PID, err)
		}
		whole, err := r.share(some)
		r.release()
		n += whole
		if err != nil {
			return n, fmt.Errorf("read memory of process %d: %w", l.PID, err)
		}
		if whole < len(some) {
			return n, fmt.Errorf("read %d bytes at 0x%x of process %d: not all are mapped", len(parts[n].To),
				parts[n].At, l.PID)
		}
	}
	return n, nil
}
