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
)

// hanging is how long an input may take before its process is ended. The testing package says every three seconds how
// many inputs were tried, and sets no limit itself.
const hanging = 5 * time.Second

// watch takes what a fuzz function says, and ends its worker if an input hangs: then that fails, and is written.
type watch struct {
	text       bytes.Buffer // all of it
	command    *exec.Cmd
	executions int           // so far
	found      int           // new inputs
	at         time.Duration // when there were as many executions for the first time
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
		switch {
		case executions > w.executions:
			w.executions, w.at = executions, at
		case at-w.at >= hanging:
			w.end()
		}
	}
	return w.text.Write(b)
}

// end ends the workers so that they count as crashed. Any thread may have started one.
func (w *watch) end() {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", w.command.Process.Pid))
	if err != nil {
		panic(err) // of the pattern
	}
	for _, list := range lists {
		children, _ := os.ReadFile(list) // none if the thread has ended
		for child := range strings.FieldsSeq(string(children)) {
			if pid, err := strconv.Atoi(child); err == nil {
				_ = syscall.Kill(pid, syscall.SIGQUIT)
			}
		}
	}
}
