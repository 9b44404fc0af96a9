package target

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// readTimeout is for how long hotspan waits for memory of a process in one read. A page may come from a file system
// that is a program, or from a program that handles page faults, which never answers. (Linux:
// Documentation/filesystems/fuse.rst, Documentation/admin-guide/mm/userfaultfd.rst) The kernel does not let go of a
// thread that waits for it.
const readTimeout = time.Second

// checkEvery is how often hotspan checks whether a read waits for a page. What it finds counts for as long; what the
// clock says does not: on a busy machine most of that is time without a CPU.
const checkEvery = 100 * time.Millisecond

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
	thread     atomic.Int32 // that reads

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
	r.thread.Store(int32(unix.Gettid())) // the runtime may move the goroutine before the call: then nothing is counted
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

// waits reports whether the thread that reads sleeps in process_vm_readv(2). It has a CPU or waits for one where it is
// "running". (Linux: fs/proc/base.c, proc_pid_syscall)
func (r *reader) waits() bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/syscall", r.thread.Load()))
	if err != nil {
		return true // it may
	}
	call, _, _ := bytes.Cut(b, []byte(" "))
	return string(call) == strconv.Itoa(unix.SYS_PROCESS_VM_READV)
}

// run reads the remote ranges of a process, while it may be waited for, or for as long as it takes on this thread.
// After ErrSlow the reader must not be used.
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
	r.late.Reset(rand.N(checkEvery)) // no process knows when
	for waited, late := time.Duration(0), false; !late; {
		select {
		case <-r.end:
			r.late.Stop()
			return nil
		case <-r.late.C:
		}
		r.late.Reset(checkEvery)
		if r.waits() {
			waited += checkEvery
			late = slow.waited(pid, checkEvery) || waited >= readTimeout
		}
	}
	r.late.Stop()
	ended := slow.add(pid)
	go func() {
		<-r.end
		ended()
		r.release()
	}()
	return fmt.Errorf("%w: more than %v, or %v within a minute with that of its user's other processes", ErrSlow,
		readTimeout, userTimeout)
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
