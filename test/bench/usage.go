package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the CPU time that a process has used, user and system, of all its threads, also those that ended. The
// kernel keeps it in nanoseconds (clock_getcpuclockid(3); CPUCLOCK_SCHED of the kernel's posix-timers_types.h is 2).
// The times of /proc/PID/stat are multiples of 10 ms, and those of /proc/PID/schedstat are of one thread.
func cpuTime(pid int) (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &ts); err != nil {
		return 0, fmt.Errorf("CPU time of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}

// switches counts context switches.
type switches struct {
	all       uint64
	voluntary uint64 // the thread blocked, so each is followed by a wake-up
}

// switchCounter adds up the context switches of a process's threads. Those of a thread that has ended count up to when
// it was last read, so it must be asked about once a second.
type switchCounter map[int]switches // by thread

func (c switchCounter) read(pid int) (switches, error) {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return switches{}, err
	}
	for _, task := range tasks {
		tid, _ := strconv.Atoi(task.Name())
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/status", pid, tid))
		if err != nil {
			continue // it has just ended
		}
		voluntary, err1 := statusValue(b, "voluntary_ctxt_switches:")
		other, err2 := statusValue(b, "nonvoluntary_ctxt_switches:")
		if err1 != nil || err2 != nil {
			return switches{}, fmt.Errorf("context switches of thread %d: %w, %w", tid, err1, err2)
		}
		c[tid] = switches{voluntary + other, voluntary}
	}
	var sum switches
	for _, s := range c {
		sum.all += s.all
		sum.voluntary += s.voluntary
	}
	return sum, nil
}

// memory is what a process has in memory, in bytes: now, and at most since it began.
type memory struct{ rss, peak uint64 }

func readMemory(pid int) (memory, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return memory{}, err
	}
	rss, err1 := statusValue(b, "VmRSS:")
	peak, err2 := statusValue(b, "VmHWM:")
	if err1 != nil || err2 != nil {
		return memory{}, fmt.Errorf("memory of process %d: %w, %w", pid, err1, err2)
	}
	return memory{rss << 10, peak << 10}, nil
}

// statusValue is the number in a line of a file of /proc that begins with a name.
func statusValue(file []byte, name string) (uint64, error) {
	for line := range bytes.Lines(file) {
		if fields := bytes.Fields(line); len(fields) > 1 && string(fields[0]) == name {
			return strconv.ParseUint(string(fields[1]), 10, 64)
		}
	}
	return 0, fmt.Errorf("no line %q", name)
}

// descriptorValues are the values that a name has in /proc/PID/fdinfo, of all descriptors of a process.
func descriptorValues(pid int, name string) (map[uint32]bool, error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("process %d has no descriptors to be read, error %v", pid, err)
	}
	values := map[uint32]bool{}
	for _, file := range files {
		b, _ := os.ReadFile(file) // it may just have been closed
		if v, err := statusValue(b, name); err == nil {
			values[uint32(v)] = true
		}
	}
	return values, nil
}
