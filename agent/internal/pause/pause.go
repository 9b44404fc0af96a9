// Package pause stops a process for a while, as a debugger does (ptrace(2)).
package pause

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/process"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// ErrTraced says that another process traces the process, or a thread of it: only one can.
var ErrTraced = errors.New("another process traces it, such as gdb or strace")

// Pause is a process that is stopped.
type Pause struct {
	resume chan struct{}
	ended  chan bool // whether the time was over before
}

// Stop stops all threads of a process, until Resume is called or a time is over. Threads that are in the kernel for
// long, as for a disk, are stopped when they come back from it. The process goes on at once when hotspan ends, however
// it ends: the kernel lets go of what a tracer had. It needs the right to ptrace the process.
func Stop(pid int, limit time.Duration) (*Pause, error) {
	p := &Pause{make(chan struct{}), make(chan bool, 1)}
	stopped := make(chan error)
	onThread(func() {
		deadline := time.Now().Add(limit)
		threads := tracees{}
		err := threads.stop(pid, deadline)
		if err != nil {
			threads.release()
		}
		if stopped <- err; err == nil {
			over := p.wait(deadline)
			threads.release()
			p.ended <- over
		}
	})
	if err := <-stopped; err != nil {
		return nil, fmt.Errorf("stop process %d: %w", pid, err)
	}
	return p, nil
}

// wait waits for Resume, and reports whether the time was over before.
func (p *Pause) wait(deadline time.Time) (over bool) {
	select {
	case <-p.resume:
		return false
	case <-time.After(time.Until(deadline)):
		return true
	}
}

// Resume lets the process go on, and reports whether it had gone on already because the time was over. Call it once.
func (p *Pause) Resume() (over bool) {
	close(p.resume)
	return <-p.ended
}

// onThread runs f on a thread of its own, which ends with it: a tracer is a thread, and its tracees go on when it ends.
// The first thread of a Go program does not end.
func onThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != os.Getpid() {
			f()
			return
		}
		onThread(f)
		runtime.UnlockOSThread()
	}()
}

// tracees are threads by their id, and whether they have stopped.
type tracees map[int]bool

// stop stops all threads. While it does so some may start others.
func (t tracees) stop(pid int, deadline time.Time) error {
	for {
		begun, err := t.seize(pid)
		if err != nil {
			return err
		}
		t.await(deadline)
		if begun == 0 || time.Now().After(deadline) {
			return nil
		}
	}
}

// seize asks those threads of a process to stop that have not been asked, and returns how many these are.
func (t tracees) seize(pid int) (begun int, err error) {
	all, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return 0, process.ErrGone
	}
	for _, entry := range all {
		tid, err := strconv.Atoi(entry.Name())
		if _, asked := t[tid]; asked || err != nil {
			continue
		}
		switch err := unix.PtraceSeize(tid); {
		case err == nil:
			t[tid] = false
			begun++
			_ = unix.PtraceInterrupt(tid) // it may have ended
		case errors.Is(err, unix.EPERM):
			if err := refused(tid); err != nil {
				return 0, err
			}
		case !errors.Is(err, unix.ESRCH): // it has ended
			return 0, err
		}
	}
	return begun, nil
}

// refused says why a thread cannot be seized: nil where it has ended.
func refused(tid int) error {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	if err != nil {
		return nil
	}
	state, _ := procs.StatusField(status, "State")
	tracer, _ := procs.StatusField(status, "TracerPid")
	switch {
	case len(state) > 0 && (state[0] == "Z" || state[0] == "X"):
		return nil
	case len(tracer) > 0 && tracer[0] != "0":
		return ErrTraced
	}
	return fmt.Errorf("%w: %s", unix.EPERM, process.Denied())
}

// inKernel is how long a thread may take to stop before it counts as one that is in the kernel for long: it runs
// nothing there that changes V8's heap.
const inKernel = 100 * time.Millisecond

// await waits until all have stopped that were asked to.
func (t tracees) await(deadline time.Time) {
	if limit := time.Now().Add(inKernel); limit.Before(deadline) {
		deadline = limit
	}
	for time.Now().Before(deadline) {
		left := 0
		for tid, stopped := range t {
			if !stopped && !t.hasStopped(tid) {
				left++
			}
		}
		if left == 0 {
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// hasStopped reports whether a thread stands still, or has ended. One that stands at a signal, which came first, gets
// it, and stops afterwards.
func (t tracees) hasStopped(tid int) bool {
	var status unix.WaitStatus
	switch got, err := unix.Wait4(tid, &status, unix.WNOHANG|unix.WALL, nil); {
	case err != nil || got == tid && !status.Stopped():
		delete(t, tid)
		return true
	case got != tid:
		return false
	}
	if status>>16 != unix.PTRACE_EVENT_STOP {
		_ = unix.PtraceCont(tid, int(status.StopSignal())) // it may have ended
		return false
	}
	t[tid] = true
	return true
}

// release lets the threads go on. Those that have not stopped go on when the tracer ends.
func (t tracees) release() {
	for tid := range t {
		_ = unix.PtraceDetach(tid)
	}
}
