package profiling

import (
	"os"
	"syscall"
	"time"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// started returns what a process has started that Ctrl-C would reach with it: what is in hotspan's process group. A
// daemon has left that.
func started(pid int) (left []*os.Process) {
	all, _ := procs.All()
	for _, p := range all {
		process, err := os.FindProcess(p) // holds on to the process, whatever becomes of its number
		if err != nil {
			continue
		}
		if group, _ := syscall.Getpgid(p); p != pid && group == syscall.Getpgrp() && procs.DescendsFrom(p, pid) {
			left = append(left, process)
		} else {
			process.Release()
		}
	}
	return left
}

// endLeft sends SIGTERM to those that go on though what has started them ended a second ago: a shell that npm, npx or
// node --run has put in between does not pass it on.
func endLeft(left []*os.Process) {
	waited := 0
	for _, p := range left {
		for ; waited < 50 && !procs.Ended(p.Pid); waited++ {
			time.Sleep(20 * time.Millisecond)
		}
		p.Signal(syscall.SIGTERM)
		p.Release()
	}
}
