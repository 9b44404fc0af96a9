package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How much CPU time an input may take before its process is ended, and how long it may take where it waits, or the
// machine has no CPU for it. The testing package says every three seconds how many inputs were tried, and sets no limit
// itself.
const (
	hanging = 5 * time.Second
	waiting = time.Minute
)

// watch takes what a fuzz function says, and ends its worker if an input hangs: then that fails, and is written.
type watch struct {
	text       bytes.Buffer // all of it
	command    *exec.Cmd
	executions int           // so far
	found      int           // new inputs
	at, used   time.Duration // when there were as many executions for the first time, and the workers' CPU time then
}

var progress = regexp.MustCompile(`elapsed: (\w+), execs: (\d+) .*new interesting: (\d+)`)

// Write takes lines, as the testing package writes them.
func (w *watch) Write(b []byte) (int, error) {
	for _, m := range progress.FindAllSubmatch(b, -1) {
		at, err := time.ParseDuration(string(m[1]))
		executions, err2 := strconv.Atoi(string(m[2]))
		if err != nil || err2 != nil {
			continue
		}
		w.found, _ = strconv.Atoi(string(m[3]))
		used := cpuTime(w.workers())
		switch {
		case executions > w.executions:
			w.executions, w.at, w.used = executions, at, used
		case used-w.used >= hanging || at-w.at >= waiting:
			w.end()
		}
	}
	return w.text.Write(b)
}

// end ends the workers so that they count as crashed.
func (w *watch) end() {
	for _, pid := range w.workers() {
		_ = syscall.Kill(pid, syscall.SIGQUIT)
	}
}

// workers returns the processes that try inputs. Any thread may have started one.
func (w *watch) workers() (pids []int) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", w.command.Process.Pid))
	if err != nil {
		panic(err) // of the pattern
	}
	for _, list := range lists {
		children, _ := os.ReadFile(list) // none if the thread has ended
		for child := range strings.FieldsSeq(string(children)) {
			if pid, err := strconv.Atoi(child); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// cpuTime is that of processes, without those that have ended. (clock_getcpuclockid(3))
func cpuTime(pids []int) (all time.Duration) {
	for _, pid := range pids {
		var used unix.Timespec
		if unix.ClockGettime(int32(^pid<<3|2), &used) == nil {
			all += time.Duration(used.Nano())
		}
	}
	return all
}
