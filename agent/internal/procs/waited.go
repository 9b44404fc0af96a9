package procs

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// lateAfter is how long a file may take before it is late: to be opened, and for all reads of it together.
const lateAfter = time.Second

// late are the calls that are waited for although they are late.
var late atomic.Int32

// Late reports whether some file is late now, and still waited for. It is safe for concurrent use.
func Late() bool { return late.Load() > 0 }

// checkEvery is how often hotspan checks whether a call waits for its file. What it finds counts for as long: for a
// short call this is seldom more than nothing, and on average as long as it has waited.
const checkEvery = 100 * time.Millisecond

// wait is how long a call waits for the file system, which the clock does not tell: on a busy or slow machine most of
// the time is that of threads that have no CPU, and of what takes CPU time.
type wait struct {
	asleep  func(thread int) bool // whether the thread of the call waits for the file system; 0: there is none
	before  time.Duration         // that earlier calls have waited for the file
	isLate  func()                // called when all of it is more than lateAfter
	late    bool
	waited  time.Duration
	account *account
}

// check counts what the call has waited since the last check, if it waits.
func (w *wait) check(thread int) {
	if w.asleep(thread) {
		w.waited += checkEvery
		w.tell()
	}
}

// tell notes that the file is late, once it is.
func (w *wait) tell() {
	if !w.late && w.before+w.waited > lateAfter {
		w.late = true
		late.Add(1)
		w.isLate()
	}
}

// end notes that the call is not waited for any more.
func (w *wait) end() {
	w.account.waited.Add(int64(w.waited))
	if w.late {
		late.Add(-1)
	}
}

// inSystemCall reports whether a thread of hotspan's sleeps in a system call. It has a CPU or waits for one where it is
// "running". In futex(2) it waits for the Go runtime, which has no CPU for its goroutine. (Linux: fs/proc/base.c,
// proc_pid_syscall)
func inSystemCall(thread int) bool {
	if thread == 0 {
		return false
	}
	b, err := readProc(fmt.Sprintf("/proc/self/task/%d/syscall", thread))
	if err != nil {
		return true // it may be
	}
	first, _, _ := strings.Cut(string(b), " ")
	call, err := strconv.Atoi(first)
	return err == nil && call >= 0 && call != unix.SYS_FUTEX
}

// account has for whose processes a goroutine waits for files, and how long it has.
type account struct {
	user   User
	waited atomic.Int64 // nanoseconds
}

// accounts are those of goroutines, by the threads that they are locked to: *account.
var accounts sync.Map

// Waited runs f, which reads files of a user's processes, and returns how long it has waited for them: in calls of this
// package on the same goroutine, and in reads from each Timed that was made on it.
func Waited(of User, f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread, own := unix.Gettid(), &account{user: of}
	if before, nested := accounts.Swap(thread, own); nested {
		defer accounts.Store(thread, before)
	} else {
		defer accounts.Delete(thread)
	}
	f()
	return time.Duration(own.waited.Load())
}

// ReadsFor returns the user for whose processes the calling goroutine reads files, in Waited; Nobody: for none's.
func ReadsFor() User { return accountOf().user }

// accountOf is that of the calling goroutine, or one that is nobody's.
func accountOf() *account {
	if own := ownAccount(); own != nil {
		return own
	}
	return &account{user: Nobody}
}

// accountFor is that of the calling goroutine, or one of a process's user.
func accountFor(pid int) *account {
	if own := ownAccount(); own != nil {
		return own
	}
	return &account{user: UserOf(pid)}
}

func ownAccount() *account {
	if own, ok := accounts.Load(unix.Gettid()); ok {
		return own.(*account)
	}
	return nil
}
