package trigger

import (
	"errors"
	"time"

	"github.com/hotspan/hotspan/agent/internal/bpf"
)

// rest is how long threads of profiled processes were off the CPU in what had not ended at the end of a recording.
type rest struct {
	unfinished, stopped, ready time.Duration
	err                        error
}

// add counts from when a thread has left its CPU.
func (r *rest) add(left, until uint64, stopped bool) {
	d := time.Duration(until - min(left, until))
	if stopped {
		r.stopped += d
	} else {
		r.unfinished += d
	}
}

// findRest finds it when the programs have ended.
func findRest(o *bpf.Objects, end uint64) (r rest) {
	var pid, tid uint32
	var process bpf.Process
	profiled, since := map[uint32]bool{}, map[uint32]uint64{} // by the number of a process, by its pid
	processes := o.Processes.Iterate()
	for processes.Next(&pid, &process) {
		profiled[process.Id], since[pid] = true, process.Since
	}
	var of bpf.Waiting
	known := map[int]bool{}
	threads := o.Waiting.Iterate()
	for threads.Next(&tid, &of) {
		if profiled[of.Process] {
			known[int(tid)] = true
			r.addThread(&of, end)
		}
	}
	var times []bpf.WaitTimes
	r.err = errors.Join(processes.Err(), threads.Err(), o.WaitTimes.Lookup(uint32(0), &times))
	if r.err != nil || unknown(times) > 0 {
		return r
	}
	for pid, began := range since {
		r.addUnseen(int(pid), known, max(began, times[0].Since), end)
	}
	return r
}

func (r *rest) addThread(of *bpf.Waiting, end uint64) {
	r.unfinished += time.Duration(of.Waited) // in a system call that has not ended
	if of.Left == 0 || of.Left >= end {
		return
	}
	until := end
	if of.Ready != 0 {
		until = min(of.Ready, end)
		r.ready += time.Duration(end - until)
	}
	r.add(of.Left, until, of.State == bpf.LeftStopped)
}

// addUnseen adds the threads of a process that are not known, since they were off the CPU all the time.
func (r *rest) addUnseen(pid int, known map[int]bool, began, end uint64) {
	for tid, state := range threadStates(pid) {
		if !known[tid] && (isStopped(state) || state == "S" || state == "D") {
			r.add(began, end, isStopped(state))
		}
	}
}

func unknown(times []bpf.WaitTimes) (n int64) {
	for _, t := range times {
		n += int64(t.Unknown)
	}
	return n
}
