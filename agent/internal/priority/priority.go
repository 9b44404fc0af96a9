// Package priority gives the threads that handle samples precedence. On a busy machine the objects to which a sample
// refers would otherwise be gone before they are read. What takes long and can wait goes without.
package priority

import (
	"os"
	"runtime"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Nice is the nice level of threads with a raised priority.
const Nice = -10

var raised atomic.Pointer[int] // the level before; nil: it is not raised

// Raise runs all threads of this process at the nice level Nice, but for those of Background, and returns a function
// that restores their level. It needs CAP_SYS_NICE; without it, it has no effect. New threads have the level of the one
// that starts them.
func Raise() (undo func()) {
	before, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	before = 20 - before // the system call gives 20 less the level
	if err != nil || !set(before, Nice) {
		return func() {}
	}
	raised.Store(&before)
	return func() {
		raised.Store(nil)
		set(Nice, before)
	}
}

// set changes the level of the threads that have another one. It is false if that is not permitted.
func set(from, to int) bool {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false
	}
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			continue
		}
		if now, err := unix.Getpriority(unix.PRIO_PROCESS, tid); err != nil || 20-now != from {
			continue
		}
		if unix.Setpriority(unix.PRIO_PROCESS, tid, to) == unix.EACCES {
			return false
		}
	}
	return true
}

// Background runs the calling goroutine, until it calls end, on a thread of its own that has no raised priority, and
// beside others (OneByOne).
func Background() (end func()) {
	besides(1)
	before := raised.Load()
	if before == nil {
		return func() { besides(-1) }
	}
	runtime.LockOSThread()
	level, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, *before)
	return func() {
		besides(-1)
		if err == nil && raised.Load() != nil && unix.Setpriority(unix.PRIO_PROCESS, 0, 20-level) != nil {
			return // the thread stays the goroutine's, and ends with it
		}
		runtime.UnlockOSThread()
	}
}
