// Package cputime measures what a test has computed: other work on the machine does not lengthen it.
package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Own returns the CPU time of this process, all threads together.
func Own() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
