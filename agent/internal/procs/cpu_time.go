package procs

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the CPU time that a process has used since it started, all of its threads together. It is 0 if the
// process is gone. (clock_getcpuclockid(3))
func CPUTime(pid int) time.Duration {
	const ofProcess = 2 // CPUCLOCK_SCHED (include/linux/posix-timers_types.h)
	var t unix.Timespec
	_ = unix.ClockGettime(int32(^pid<<3|ofProcess), &t)
	return time.Duration(t.Nano())
}
