package target

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// readTimeout is how long hotspan waits for memory of a process. A page may come from a file system that is a program,
// or from a program that handles page faults, which never answers. (Linux: Documentation/filesystems/fuse.rst,
// Documentation/admin-guide/mm/userfaultfd.rst) The kernel does not let go of a thread that waits for it.
const readTimeout = time.Second

// ErrSlow says that memory was not read because a page of the process did not come in time, now or shortly before.
var ErrSlow = errors.New("its memory takes too long to come")

// Part is a range of memory that is read into a buffer.
type Part struct {
	At uint64
	To []byte
}

// reader reads memory on a goroutine of its own, into a buffer of its own: a read that is late harms nobody.
type reader struct {
	begin, end chan struct{}
	late       *time.Timer

	pid    int
	remote []unix.RemoteIovec
	buffer []byte // all ranges, one after the other
	n      int    // bytes that were read
	err    error
}

// Readers that have nothing to do, and how large the buffer of such a one may be.
var idle = make(chan *reader, 8)

const maxIdleBuffer = 256 << 10

func newReader() *reader {
	select {
	case r := <-idle:
		return r
	default:
	}
	r := &reader{begin: make(chan struct{}), end: make(chan struct{}, 1), late: time.NewTimer(time.Hour)}
	go func() {
		for range r.begin {
			r.read()
			r.end <- struct{}{}
		}
	}()
	return r
}

func (r *reader) read() {
	local := [1]unix.Iovec{{Base: &r.buffer[0]}}
	local[0].SetLen(len(r.buffer))
	r.n, r.err = unix.ProcessVMReadv(r.pid, local[:], r.remote, 0)
}

// release makes a reader that has read available again.
func (r *reader) release() {
	if cap(r.buffer) <= maxIdleBuffer {
		select {
		case idle <- r:
			return
		default:
		}
	}
	close(r.begin)
}

// size has room for n bytes.
func (r *reader) size(n int) {
	if cap(r.buffer) < n {
		r.buffer = make([]byte, n)
	}
	r.buffer = r.buffer[:n]
}

// run reads the remote ranges of a process, for readTimeout at most, or for as long as it takes on this thread. After
// ErrSlow the reader must not be used.
func (r *reader) run(pid int, wait bool) error {
	r.pid = pid
	if wait {
		r.read()
		return nil
	}
	if slow.has(pid) {
		r.release()
		return ErrSlow
	}
	r.begin <- struct{}{}
	for range 2 { // if hotspan was stopped meanwhile, the first half has passed at once
		r.late.Reset(readTimeout / 2)
		select {
		case <-r.end:
			r.late.Stop()
			return nil
		case <-r.late.C:
		}
	}
	ended := slow.add(pid)
	go func() {
		<-r.end
		ended()
		r.release()
	}()
	return fmt.Errorf("%w: more than %v", ErrSlow, readTimeout)
}

// share copies what was read to the buffers of its ranges, and returns how many of them are whole.
func (r *reader) share(parts []Part) (whole int, err error) {
	if r.err != nil {
		return 0, r.err
	}
	left := r.buffer[:r.n]
	for _, p := range parts {
		if len(left) < len(p.To) {
			break
		}
		left = left[copy(p.To, left):]
		whole++
	}
	return whole, nil
}
