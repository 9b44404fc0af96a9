package sampler

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// How long samples wait that need not be read at once. While some refer to what is new, such as code, others are
// likely to refer to what is gone soon: then they wait for the shorter time. Each time that they are read costs CPU
// time, so of a service that does the same again and again they wait longer.
const (
	readOften  = 200 * time.Millisecond
	readSeldom = time.Second
)

// waiter waits for a wakeup by the BPF program. It waits in the Go runtime's poller: a thread that waits in a system
// call of its own would keep the runtime awake for milliseconds each time.
type waiter struct {
	file        *os.File // the ring buffer
	conn        syscall.RawConn
	consumer    *bpf.Consumer // shared with the BPF program
	mapped      []byte
	seen        uint64        // wakeups when wait returned last
	every       time.Duration // how long samples wait now
	interrupted atomic.Bool
}

func newWaiter(events, consumers *ebpf.Map) (*waiter, error) {
	mapped, err := unix.Mmap(consumers.FD(), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map how the ring buffer is read: %w", err)
	}
	w := &waiter{mapped: mapped, consumer: (*bpf.Consumer)(unsafe.Pointer(&mapped[0]))}
	w.readEvery(readOften)
	fd, err := unix.FcntlInt(uintptr(events.FD()), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true) // for os.NewFile: then it uses the poller
		w.file = os.NewFile(uintptr(fd), "ring buffer")
	}
	if err == nil {
		err = w.file.SetReadDeadline(time.Time{})
	}
	if err == nil {
		w.conn, err = w.file.SyscallConn()
	}
	if err != nil {
		w.close()
		return nil, fmt.Errorf("wait for the ring buffer: %w", err)
	}
	return w, nil
}

func (w *waiter) close() {
	if w.file != nil {
		w.file.Close()
	}
	unix.Munmap(w.mapped)
}

// readEvery has samples wait for a time that need not be read at once.
func (w *waiter) readEvery(d time.Duration) {
	w.every = d
	atomic.StoreUint64(&w.consumer.ReadEvery, uint64(d))
}

// wait returns after a wakeup, at the deadline or when interrupt is called; zero is no deadline. read says that records
// were read since the last call. Then others may follow without a wakeup, so wait returns at a time by which the BPF
// program would send one for the next; if nothing was read until then, the next sample sends one.
func (w *waiter) wait(deadline time.Time, read bool) {
	if read {
		atomic.StoreUint64(&w.consumer.ReadAt, uint64(Now()))
		if after := time.Now().Add(w.every * 3 / 2); deadline.IsZero() || after.Before(deadline) {
			deadline = after
		}
	}
	_ = w.file.SetReadDeadline(deadline) // it can only fail if the file is closed
	waited := false
	_ = w.conn.Read(func(uintptr) bool { // the error is the deadline's
		woken := waited || atomic.LoadUint64(&w.consumer.Wakeups) != w.seen
		waited = true
		return woken || w.interrupted.Load()
	})
	w.interrupted.Store(false)
	wakeups := atomic.LoadUint64(&w.consumer.Wakeups)
	w.adapt(wakeups != w.seen)
	w.seen = wakeups
}

// adapt decides how long samples wait from now on. A wakeup that comes before they have waited so long is for something
// that must be read at once.
func (w *waiter) adapt(woken bool) {
	switch waited := Now() - int64(atomic.LoadUint64(&w.consumer.ReadAt)); {
	case waited >= int64(w.every):
		w.readEvery(min(2*w.every, readSeldom))
	case woken:
		w.readEvery(readOften)
	}
}

// interrupt makes wait return: the one that waits, or the next. It is safe for concurrent use.
func (w *waiter) interrupt() {
	w.interrupted.Store(true)
	_ = w.file.SetReadDeadline(time.Unix(1, 0)) // it can only fail if the file is closed, and then nothing waits
}

// threadEnded is Sampler.ThreadEnded.
func (w *waiter) threadEnded(pid int) int64 {
	return int64(atomic.LoadUint64(&w.consumer.Ended[uint(pid)%uint(bpf.MaxEnded)]))
}
