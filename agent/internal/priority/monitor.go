package priority

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// monitorSlack is how late the runtime's monitor may be woken.
const monitorSlack = time.Millisecond

// EaseMonitor has the kernel wake the Go runtime's monitor thread up to monitorSlack late, and returns a function that
// undoes it. While any goroutine runs, the monitor sleeps for 20 microseconds again and again, which would be most of
// the wake-ups of a process that reads a few samples at a time. (src/runtime/proc.go, sysmon) Without CAP_SYS_NICE it
// has no effect. (proc_pid_timerslack_ns(5))
func EaseMonitor() (undo func()) {
	tid := monitor()
	set := func(slack time.Duration) {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/timerslack_ns", tid), []byte(strconv.FormatInt(int64(slack), 10)), 0)
	}
	if tid > 0 {
		set(monitorSlack)
	}
	return func() {
		if tid > 0 {
			set(0) // what it was
		}
	}
}

// monitor returns the id of the monitor's thread: of those that the runtime starts it is the first, so that its id is
// the next one. 0: there is none.
func monitor() (tid int) {
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		if err == nil && id > os.Getpid() && (tid == 0 || id < tid) {
			tid = id
		}
	}
	return tid
}
