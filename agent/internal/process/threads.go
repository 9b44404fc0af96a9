package process

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Thread is a thread that has entered an isolate.
type Thread struct {
	TID     int
	Name    string
	Isolate uint64 // address
}

// Threads returns the threads that have entered an isolate now, the main thread first. It needs CAP_BPF and
// CAP_PERFMON.
func (p *Process) Threads() ([]Thread, error) {
	offset, err := p.IsolateOffset()
	if err != nil {
		return nil, err
	}
	tasks, err := tasks(p.PID)
	if err != nil {
		return nil, explainAccess(p.PID, err)
	}
	found, err := threadPointers(p.PID)
	if err != nil {
		return nil, err
	}
	r := p.Heap()
	var out []Thread
	for _, t := range tasks {
		pointer := found[t.tid]
		if pointer == 0 { // it has just started, or is no thread any more
			continue
		}
		if w, err := r.WordAt(pointer + uint64(offset)); err == nil && w != 0 {
			out = append(out, Thread{TID: t.tid, Name: t.name, Isolate: uint64(w)})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no thread has an isolate now: Node.js is starting or ending")
	}
	return out, nil
}

// ThreadPointers returns the thread pointers (fs_base) of the threads that the process has now, by their ids. It needs
// CAP_BPF and CAP_PERFMON.
func (p *Process) ThreadPointers() (map[int]uint64, error) { return threadPointers(p.PID) }

// task is a thread of a process.
type task struct {
	tid  int
	name string
}

// tasks lists the threads of a process, the main thread first.
func tasks(pid int) ([]task, error) {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []task
	for _, e := range entries {
		tid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		name, _ := os.ReadFile(dir + "/" + e.Name() + "/comm")
		out = append(out, task{tid, strings.TrimSpace(string(name))})
	}
	slices.SortStableFunc(out, func(a, b task) int { return MainFirst(pid, a.tid, b.tid) })
	return out, nil
}

// MainFirst compares two threads of a process by their ids: the main thread comes first, the others in ascending order.
// The main thread's id need not be the lowest: the kernel starts from the beginning again after pid_max.
func MainFirst(pid, a, b int) int {
	switch {
	case a == b:
		return 0
	case a == pid:
		return -1
	case b == pid:
		return 1
	}
	return a - b
}
