package procs

import (
	"fmt"
	"os"
)

// Of what ThreadStatus returns, what keeps a thread from running whatever it has to do.
const (
	Stopped = "stopped" // as by SIGSTOP
	Traced  = "traced"
	Frozen  = "frozen, as by docker pause"
)

var statuses = map[string]string{
	"R": "running", "S": "sleeping", "D": "waiting for a device", "T": Stopped, "t": Traced, "Z": "ended",
	"X": "ended", "I": "idle",
}

// ThreadStatus is what the kernel says that a thread does.
func ThreadStatus(pid, tid int) string {
	fields := ThreadStat(pid, tid)
	if len(fields) == 0 {
		return "ended"
	}
	if fields[0] == "S" || fields[0] == "D" {
		switch at, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/wchan", pid, tid)); string(at) {
		case "__refrigerator", "do_freezer_trap", "get_signal": // the last has the second inlined (kernel/signal.c)
			return Frozen
		case "kernel_clone", "wait_for_vfork_done": // the second is inlined, or not (kernel/fork.c)
			return "waiting for a child to call execve (vfork)"
		}
	}
	return statuses[fields[0]]
}
