package procs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// All lists the pids of all processes, kernel threads included.
func All() ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// Hidden reports whether /proc does not show this user the processes of others (hidepid in proc(5)): the first one is
// always there.
func Hidden() bool {
	_, err := os.Lstat("/proc/1")
	return errors.Is(err, fs.ErrNotExist) && !Capable(unix.CAP_SYS_PTRACE)
}

// OpenFiles returns how many files hotspan may have open at a time, and how many it needs for so many processes.
func OpenFiles(processes int) (limit, needed uint64) {
	needed = uint64(128 + runtime.NumCPU() + processes) // BPF maps, what is read at a time; timers; /proc/PID/root
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil {
		return needed, needed
	}
	return l.Cur, needed
}

// initPIDNamespace is the inode of the first namespace of process ids (include/linux/proc_ns.h, PROC_PID_INIT_INO).
const initPIDNamespace = "pid:[4026531836]"

// InHostPIDNamespace reports whether this process sees the same pids as BPF programs do.
func InHostPIDNamespace() bool {
	ns, err := os.Readlink("/proc/self/ns/pid")
	return err != nil || ns == initPIDNamespace
}

// Executable returns the path of a process's executable as the process sees it. The error is fs.ErrNotExist for a
// process that is gone and for a kernel thread.
func Executable(pid int) (string, error) {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", Living(pid)))
	return strings.TrimSuffix(path, " (deleted)"), err
}

// Started returns when a process started, in clock ticks since the machine's start: field 22 of /proc/PID/stat. It is 0
// if the process is gone, or if Start has another error.
func Started(pid int) uint64 {
	ticks, _ := Start(pid)
	return ticks
}

// Start is Started. The error is fs.ErrNotExist or unix.ESRCH for a process that is gone.
func Start(pid int) (uint64, error) {
	fields, err := fieldsOf(statOf(pid))
	if err != nil {
		return 0, err
	} else if len(fields) < 20 {
		return 0, unix.ESRCH
	}
	return strconv.ParseUint(fields[19], 10, 64)
}

// Placed says where the kernel has put the code and the stack of a process's program: elsewhere after each execve. It
// is empty for a process that is gone, and for one whose memory this one may not read. (proc_pid_stat(5), startcode,
// endcode and startstack)
func Placed(pid int) string {
	fields := statFields(pid)
	if len(fields) < 26 || fields[25] == "0" {
		return ""
	}
	return strings.Join(fields[23:26], " ")
}

// Age returns how long ago a process started, by what Started says.
func Age(started uint64) time.Duration {
	const tick = 10 * time.Millisecond // USER_HZ is 100
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) // it cannot fail
	return time.Duration(now.Nano()) - time.Duration(started)*tick
}

// exiting is PF_EXITING, which the kernel sets before it reports that a thread exits (include/linux/sched.h).
const exiting = 0x4

// Ended reports whether a process is gone, a zombie, or about to be one: to give its memory back may take the kernel
// long. Where only its first thread has ended it goes on. Where nothing can be read, as for lack of file descriptors,
// it is not said to have ended.
func Ended(pid int) bool {
	_, lives := living(pid)
	return !lives
}

// Living returns the id of a thread by which /proc shows a process, and by which its memory can be read: its own, or,
// where its first thread has ended, that of another one.
func Living(pid int) int {
	tid, _ := living(pid)
	return tid
}

// living returns a thread that has not ended, the first if it can be.
func living(pid int) (tid int, found bool) {
	fields, err := fieldsOf(statOf(pid))
	gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH)
	if err != nil && !gone || err == nil && !exits(fields) {
		return pid, true
	}
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range threads[:min(len(threads), maxThreads)] {
		tid, err := strconv.Atoi(t.Name())
		if err == nil && !ThreadEnded(pid, tid) {
			return tid, true
		}
	}
	return pid, false
}

// maxThreads bounds the threads that are looked at of a process whose first one has ended.
const maxThreads = 16

// exits reports whether a thread with these fields of stat has ended, or begun to.
func exits(fields []string) bool {
	if len(fields) < 7 {
		return true
	}
	flags, _ := strconv.ParseUint(fields[6], 10, 32)
	return fields[0] == "Z" || fields[0] == "X" || flags&exiting != 0
}

// ThreadCount returns how many threads a process has; 0 if it is gone. (proc_pid_stat(5), num_threads)
func ThreadCount(pid int) int {
	fields := statFields(pid)
	if len(fields) < 18 {
		return 0
	}
	n, _ := strconv.Atoi(fields[17])
	return n
}

// ThreadEnded reports whether a thread of a process has ended, or begun to.
func ThreadEnded(pid, tid int) bool {
	return exits(ThreadStat(pid, tid))
}

// Parent returns the parent of a process, or 0 if it has none or is gone.
func Parent(pid int) int {
	fields := statFields(pid)
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

// statFields returns the fields of /proc/PID/stat behind the name, which may hold anything but is in parentheses: the
// state, field 3, comes first. There are none if the process is gone.
func statFields(pid int) []string {
	fields, _ := fieldsOf(statOf(pid))
	return fields
}

func statOf(pid int) string { return fmt.Sprintf("/proc/%d/stat", pid) }

// ThreadStat returns the fields of /proc/PID/task/TID/stat behind the name: the state, field 3 of proc_pid_stat(5),
// comes first. There are none if the thread is gone.
func ThreadStat(pid, tid int) []string {
	fields, _ := fieldsOf(fmt.Sprintf("/proc/%d/task/%d/stat", pid, tid))
	return fields
}

func fieldsOf(path string) ([]string, error) {
	b, err := readProc(path)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])), nil
}

// DescendsFrom reports whether a process is ancestor or descends from it.
func DescendsFrom(pid, ancestor int) bool {
	for range 64 {
		if pid == ancestor {
			return true
		}
		if pid = Parent(pid); pid <= 1 {
			return false
		}
	}
	return false
}

// Root returns the path from here to the root directory of a process, in the process's mount namespace.
func Root(pid int) string { return fmt.Sprintf("/proc/%d/root", Living(pid)) }
