package procs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ahead is how far this process's clock is ahead of the kernel's.
var ahead, _ = ClockAhead(os.Getpid())

// Monotonic is CLOCK_MONOTONIC in nanoseconds as the kernel itself and its BPF programs have it: outside of time
// namespaces.
func Monotonic() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // it cannot fail
	return t.Nano() - int64(ahead)
}

// ClockAhead returns how far CLOCK_MONOTONIC of a process is ahead of Monotonic: in a time namespace of its own it may
// be another one. ok is false where that cannot be told. (time_namespaces(7))
func ClockAhead(pid int) (ahead time.Duration, ok bool) {
	if _, err := os.Stat("/proc/self/ns/time"); errors.Is(err, fs.ErrNotExist) {
		return 0, true // before Linux 5.6 there are none
	}
	dir := fmt.Sprintf("/proc/%d/", Living(pid))
	own, err := os.Readlink(dir + "ns/time")
	next, err2 := os.Readlink(dir + "ns/time_for_children") // which has these offsets
	offsets, err3 := os.ReadFile(dir + "timens_offsets")
	if errors.Join(err, err2, err3) != nil || own != next {
		return 0, false
	}
	for line := range strings.Lines(string(offsets)) {
		var s, ns int64
		if n, _ := fmt.Sscanf(line, "monotonic %d %d", &s, &ns); n == 2 {
			return time.Duration(s)*time.Second + time.Duration(ns), true
		}
	}
	return 0, false
}
