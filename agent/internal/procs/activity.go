package procs

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Activity is how far the threads of a process have come: while it is the same, and runs is not set, none of them has
// run. It is empty if the process is gone.
func Activity(pid int) (at string, runs bool) {
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	var all strings.Builder
	for _, t := range threads {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		// The times of stat are in ticks; schedstat also says how often the thread was given a CPU.
		slices, _ := readProc(fmt.Sprintf("/proc/%d/task/%d/schedstat", pid, tid))
		stat := ThreadStat(pid, tid)
		const user, system = 14 - 3, 15 - 3 // proc_pid_stat(5), counted from the state
		if len(stat) > system {
			runs = runs || stat[0] == "R"
			fmt.Fprintln(&all, tid, stat[user], stat[system], string(slices))
		}
	}
	return all.String(), runs
}
