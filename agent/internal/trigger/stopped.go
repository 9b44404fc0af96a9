package trigger

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/hotspan/hotspan/agent/internal/bpf"
	"github.com/hotspan/hotspan/agent/internal/procs"
)

// threadStates returns what the kernel says that the threads of a process do, by their ids; none if it has ended.
func threadStates(pid int) map[int]string {
	states := map[int]string{}
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range threads {
		tid, _ := strconv.Atoi(t.Name())
		if fields := procs.ThreadStat(pid, tid); len(fields) > 0 {
			states[tid] = fields[0]
		}
	}
	return states
}

// isStopped reports whether a thread in a state is stopped, by a signal or a debugger. (proc_pid_stat(5))
func isStopped(state string) bool { return state == "T" || state == "t" }

// noteStopped tells the programs, when they run, which threads are stopped since before. When one goes on, nothing else
// shows that it was not waiting; the programs know it then, and it is not entered here.
func noteStopped(o *bpf.Objects, now uint64) error {
	var pid uint32
	var process bpf.Process
	processes := o.Processes.Iterate()
	for processes.Next(&pid, &process) {
		for tid, state := range threadStates(int(pid)) {
			if !isStopped(state) {
				continue
			}
			w := bpf.Waiting{Left: max(now, process.Since), State: bpf.LeftStopped, Process: process.Id}
			err := o.Waiting.Update(uint32(tid), &w, ebpf.UpdateNoExist)
			if err != nil && !errors.Is(err, ebpf.ErrKeyExist) && !errors.Is(err, unix.E2BIG) { // as of others: unknown
				return fmt.Errorf("thread %d, which is stopped: %w", tid, err)
			}
		}
	}
	return processes.Err()
}
